/** Checks that a block is as long as its share of the node: pods on bars and in columns, and gauges. */

const SLACK = 3; // pixels
const SEEN = 4; // pixels that a block has at least, so that it is seen

/** @param {any} state @param {Element} block the pod that a block's title begins with */
function podOf(state, block) {
	const name = block.getAttribute("data-pod") ?? block.getAttribute("title")?.split(/[,，]/)[0] ?? "";
	return state.pods.get(name) ?? [...state.pods.values()].find((pod) => pod.summary.pod.endsWith(`/${name}`));
}

/** @param {any} state @param {Element} bar @returns {Generator<[string, string]>} */
function* onBar(state, bar) {
	const name = bar.closest("[data-node]")?.getAttribute("data-node") ?? "";
	const node = state.nodes.get(name);
	const width = bar.getBoundingClientRect().width;
	if (!node || width < 1) return;
	const blocks = [...bar.querySelectorAll(":scope > .block")].map((block) => ({
		name: block.getAttribute("title") ?? "",
		over: block.matches(".over"),
		pixels: block.getBoundingClientRect().width,
		asked: podOf(state, block)?.summary.requests ?? {},
	}));
	const resources = bar.dataset.resource ? [bar.dataset.resource] : Object.keys(node.summary.allocatable);
	const wrong = resources.map((resource) => {
		const sum = blocks.reduce((all, one) => all + (one.over ? 0 : (one.asked[resource] ?? 0)), 0);
		const whole = Math.max(1, node.summary.allocatable[resource], sum);
		return blocks.flatMap((one) => {
			const due = ((one.asked[resource] ?? 0) / whole) * width;
			return Math.abs(due - one.pixels) > SLACK + blocks.length ? [`${one.name} on ${name}: ${Math.round(one.pixels)} px, due ${Math.round(due)} px of ${resource}`] : [];
		});
	});
	const best = wrong.sort((a, b) => a.length - b.length)[0] ?? [];
	for (const one of best) yield ["share", one];
}

/** In columns, a unit has the same height everywhere. @param {any} state @returns {Generator<[string, string]>} */
function* inColumns(state) {
	const blocks = [...document.querySelectorAll(".scene:not([hidden]) .candidate-pod:not(.fate-victim, .fate-lifted)")];
	const found = blocks.map((block) => ({ block, pod: podOf(state, block), high: block.getBoundingClientRect().height + 2 }));
	const known = found.filter((one) => one.pod && one.high > 8);
	const scales = ["cpu", "memory"].map((resource) => {
		const each = known.map((one) => one.high / (one.pod.summary.requests?.[resource] || Number.NaN)).filter(Number.isFinite);
		const middle = each.sort((a, b) => a - b)[each.length >> 1];
		return known.filter((one) => Math.abs((one.pod.summary.requests?.[resource] ?? 0) * middle - one.high) > SLACK + 1);
	});
	const wrong = known.length > 1 ? scales.sort((a, b) => a.length - b.length)[0] : [];
	for (const one of wrong) yield ["share", `${one.pod.summary.pod} is ${Math.round(one.high)} px high in its column`];
	for (const bar of document.querySelectorAll(".scene:not([hidden]) .candidate-bar"))
		for (const block of bar.querySelectorAll(".candidate-pod:not(.fate-victim, .fate-lifted), .candidate-subject:not(.off)")) {
			const [own, whole] = [block.getBoundingClientRect(), bar.getBoundingClientRect()];
			if (own.top < whole.top - 4 || own.bottom > whole.bottom + 4) yield ["share", `.${block.className} stands out of its column`];
		}
}

/** @returns {Generator<[string, string]>} */
function* gauges() {
	for (const gauge of document.querySelectorAll(".scene:not([hidden]) .gauge")) {
		const figures = (gauge.querySelector("b")?.textContent ?? "").split("→").at(-1)?.match(/[\d.]+/g)?.map(Number) ?? [];
		const bar = gauge.querySelector(".gauge-bar");
		if (figures.length < 2 || !bar) continue;
		const filled = [...bar.children].reduce((sum, one) => sum + one.getBoundingClientRect().width, 0);
		const whole = bar.getBoundingClientRect().width;
		if (!whole) continue;
		const [one, other] = figures;
		const off = [one / other, other / one].map((share) => Math.abs(Math.min(1, share) - filled / whole)); // Chinese tells the whole first
		if (Math.min(...off) * whole > SLACK) yield ["share", `a gauge shows ${gauge.textContent}, and ${Math.round((100 * filled) / whole)} % of it`];
	}
}

/**
 * Horizontal bars of candidates: the pods that stay, and the amount that the pod requests.
 * @param {any} view
 * @returns {Generator<[string, string]>}
 */
function* laneBars({ state, subject }) {
	for (const bar of document.querySelectorAll(".scene:not([hidden]) .lane-bar")) {
		const node = state.nodes.get(bar.closest("[data-node]")?.getAttribute("data-node"));
		const width = bar.getBoundingClientRect().width;
		const blocks = [...bar.children].map((block) => ({ block, pod: block.tagName === "U" ? state.pods.get(subject) : podOf(state, block) }));
		if (!node) yield ["nameless", "a candidate does not say which node it is"];
		const wrong = ["cpu", "memory"].map((resource) =>
			blocks.filter(({ block, pod }) => Math.abs(((pod?.summary.requests?.[resource] ?? 0) / node?.summary.allocatable[resource]) * width - block.getBoundingClientRect().width) > SLACK + blocks.length),
		);
		for (const { block } of wrong.sort((a, b) => a.length - b.length)[0]) yield ["share", `${block.title || block.tagName} has ${Math.round(block.getBoundingClientRect().width)} of ${Math.round(width)} px`];
	}
}

/**
 * The pixels of one unit of a bar's resource. The bar shows the node, or more if the requests exceed it.
 * @param {any} state
 * @param {HTMLElement} bar
 */
function unitOf(state, bar) {
	const node = state.nodes.get(bar.closest("[data-node]")?.getAttribute("data-node"));
	const resource = bar.dataset.resource ?? "cpu";
	const blocks = [...bar.querySelectorAll(":scope > .block:not(.over)")].map((block) => podOf(state, block)?.summary.requests?.[resource] ?? 0);
	const whole = Math.max(node?.summary.allocatable[resource] ?? 0, blocks.reduce((sum, one) => sum + one, 0));
	return { resource, whole, pixels: bar.getBoundingClientRect().width, picture: bar.closest(".placement, .scene") };
}

/**
 * In one picture, a unit has the same length on every node, also for an amount that is missing.
 * @param {any} view
 * @returns {Generator<[string, string]>}
 */
function* oneScale({ state, subject }) {
	const bars = [...document.querySelectorAll(".scene:not([hidden]) .bar-room > .podbar")].filter((bar) => bar.getBoundingClientRect().width > 1);
	const units = bars.map((bar) => ({ bar, ...unitOf(state, bar) })).filter(({ whole }) => whole > 0);
	for (const { bar, resource, whole, pixels, picture } of units) {
		const unit = Math.max(...units.filter((one) => one.resource === resource && one.picture === picture).map((one) => one.pixels / one.whole));
		const name = bar.closest("[data-node]")?.getAttribute("data-node");
		if (Math.abs(pixels - whole * unit) > SLACK) yield ["scale", `${name}: ${Math.round(pixels)} px for ${whole} of ${resource}, due ${Math.round(whole * unit)} px`];
		const requested = bar.querySelector(":scope > .requested:not(.more)");
		if (!requested) continue;
		const need = state.pods.get(state.cycle.CycleStarted?.pod ?? subject)?.summary.requests?.[resource] ?? 0;
		const drawn = requested.getBoundingClientRect();
		const due = Math.max(SEEN, need * unit);
		if (Math.abs(drawn.width - due) > SLACK) yield ["scale", `${name}: the pod is ${Math.round(drawn.width)} px long, due ${Math.round(due)} px`];
		const missing = Math.max(0, drawn.right - bar.getBoundingClientRect().right);
		const hatched = requested.querySelector("u")?.getBoundingClientRect().width ?? 0;
		if (Math.abs(missing - hatched) > SLACK + 2) yield ["scale", `${name}: ${Math.round(hatched)} px are hatched, and ${Math.round(missing)} px stand out`];
	}
}

/** @param {any} view @returns {Generator<[string, string]>} */
export function* shares(view) {
	const { state } = view;
	yield* oneScale(view);
	for (const bar of document.querySelectorAll(".scene:not([hidden]) .podbar:not(.plain)")) yield* onBar(state, bar);
	yield* inColumns(state);
	yield* laneBars(view);
	yield* gauges();
}
