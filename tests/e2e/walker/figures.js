/** Each figure in a caption is one that the trace holds, or that follows from it by adding up or taking away. */

const { decodeColumn } = await import("/static/js/trace/columns.js");
const { amount, decimal } = await import("/static/js/shared/units.js");
const { allocatable, free, heldFor, used } = await import("/static/js/trace/room.js");
const { filtered } = await import("/static/js/steps/filter/model.js");
const { roomOf } = await import("/static/js/steps/preempt/arithmetic.js");
const { scores } = await import("/static/js/steps/score/model.js");

/** Numbers anywhere in a value. @param {any} value @param {(n: number) => void} take */
function within(value, take) {
	if (typeof value === "number") take(value);
	else if (typeof value === "string") for (const found of value.match(/\d+(\.\d+)?/g) ?? []) take(Number(found));
	else if (Array.isArray(value)) {
		take(value.length);
		for (const one of value) within(one, take);
	} else if (value && typeof value === "object") for (const one of Object.values(value)) within(one, take);
}

/** All that the step may speak of. @returns {Set<string>} */
function known({ event, state, step, hero, frame }) {
	const out = new Set(["0", "1", "2", "3", "5", "6", "100", "31"]);
	const take = (/** @type {number} */ n) => {
		out.add(decimal(n));
		out.add(decimal(Math.round(n)));
		out.add(decimal(n - state.time));
	};
	const took = (/** @type {string} */ resource, /** @type {number} */ value) => {
		for (const found of amount(resource, value).match(/[\d.]+/g) ?? []) out.add(found);
	};
	const before = kschedui.store.stateAfter(step - 1);
	for (const one of [event, kschedui.store.event(step - 1), kschedui.store.event(step + 1), state.cycle]) within(one, take);
	take(state.time);
	if (event.backoff_until) [event.backoff_until - event.timestamp, Math.floor(Math.max(event.backoff_until, state.time)) + 1].forEach(take);
	take(frame + 1);
	take((event.results ?? []).filter((one) => one.code === "Skip").length);
	for (const at of [state, before].filter(Boolean)) {
		const nodes = [...at.nodes.values()];
		take(nodes.length);
		take(new Set(nodes.map((node) => node.summary.labels?.["topology.kubernetes.io/zone"] ?? "")).size);
		for (const node of nodes) {
			within([node.summary.labels, node.summary.taints, node.pods], take);
			for (const resource of Object.keys(node.summary.allocatable)) {
				const [whole, taken] = [allocatable(node, resource), used(node, resource)];
				for (const value of [whole, taken, whole - taken, Math.max(0, free(at, node.summary.name, resource, hero))]) took(resource, value);
				took(resource, heldFor(at, node.summary.name, hero).reduce((sum, key) => sum + (at.pods.get(key)?.summary.requests?.[resource] ?? 0), 0));
				take(Math.round((100 * taken) / Math.max(1, whole)));
			}
		}
		const places = {};
		for (const pod of at.pods.values()) {
			places[pod.place] = (places[pod.place] ?? 0) + 1;
			within([pod.summary.labels, pod.summary.priority, pod.attempts, pod.backoff_until, pod.deadline, pod.timestamp], take);
			for (const [resource, value] of Object.entries(pod.summary.requests ?? {})) took(resource, value);
		}
		Object.values(places).forEach(take);
		take(at.pods.size);
		for (const one of at.storage.values()) took("memory", one.size ?? 0);
		for (let n = 1; n <= (places.active ?? 0); n += 1) take(n);
	}
	const model = filtered(state);
	if (model) {
		[model.evaluated, model.toFind, ...model.left].forEach(take);
		model.left.forEach((left, i) => take((model.left[i - 1] ?? model.evaluated) - left));
		for (let n = 0; n <= model.names.length; n += 1) if (model.names.length <= 60) take(n);
	}
	const points = scores(state);
	if (points) {
		for (const one of points.plugins) [one.raw, one.normalized, one.weighted].forEach((column) => column.forEach(take));
		for (const one of points.plugins) take(Math.max(...one.weighted) - Math.min(...one.weighted));
		for (const one of points.plugins) take(one.weight * 100);
		const sorted = [...points.totals].sort((a, b) => b - a);
		sorted.forEach((total) => { take(total); take(sorted[0] - total); });
		take(points.names.length);
		const best = points.names.length > 1 ? points.plugins.flatMap((one) => points.names.map((_, i) => Math.abs(one.weighted[i] - one.weighted[points.totals.indexOf(sorted[0])]))) : [];
		best.forEach(take);
		for (let n = 0; n <= Math.min(60, points.names.length); n += 1) take(n);
	}
	const play = state.cycle.PreemptionEvaluated;
	if (play) {
		take(play.candidates.reduce((sum, one) => sum + one.removed.length, 0));
		take((play.unhelpful ?? 0) + Object.keys(play.failed ?? {}).length + (play.more_failed ?? 0));
		take(play.candidates.length + (play.more?.count ?? 0));
		for (const one of play.candidates) {
			take((one.priority_sum ?? 0) - one.victims.length * 2 ** 31);
			take(state.time - (one.earliest_start ?? 0));
			const { resource, need, tried } = roomOf(state, one, hero);
			for (const { after } of tried) took(resource, Math.max(0, after));
			took(resource, need);
		}
		for (let n = 0; n <= 30; n += 1) take(n);
	}
	void decodeColumn;
	return out;
}

/** @returns {Generator<[string, string]>} */
export function* figures(view) {
	const numbers = known(view);
	for (const selector of ["#caption h1", "#caption .why:not(.lesson)"]) {
		const copy = document.querySelector(selector)?.cloneNode(true);
		if (!copy) continue;
		for (const name of copy.querySelectorAll(".name, .pod-name")) name.remove();
		const words = copy.textContent.replace(/2³¹/g, "").replace(/[A-Za-z][\w-]*\d[\w.…-]*/g, "").replace(/(\d),(\d{3})/g, "$1$2");
		for (const [found] of words.matchAll(/\d+(\.\d+)?/g)) {
			const plain = decimal(Number(found));
			if (!numbers.has(plain)) yield ["figure", `${found} in "${document.querySelector(selector).textContent.slice(0, 120)}"`];
		}
	}
}
