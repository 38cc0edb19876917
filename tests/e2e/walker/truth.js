/** Compares a step on screen with the trace: stations, the amber pod, verdicts, arrows, announcements, figures. */

const { preemptionOf } = await import("/static/js/steps/preempt/model.js");
const { free, request, resourceOf } = await import("/static/js/trace/room.js");
const { filterModel } = await import("/static/js/steps/filter/model.js");
const { scores } = await import("/static/js/steps/score/bars.js");
const { askedAt } = await import("/static/js/steps/registry.js");
const { explainer } = await import("/static/js/player/page.js");
const { STATIONS } = await import("/static/js/trace/phase.js");
const POINTS = Object.values(STATIONS).flat();
const nameOf = (/** @type {string} */ key) => key.slice(key.indexOf("/") + 1);
const shown = (/** @type {string} */ selector) => [...document.querySelectorAll(selector)].filter((one) => !one.closest("[hidden]"));

/** Within an attempt, the amber station only moves forward. @returns {Generator<[string, string]>} */
export function* stations({ event, state }, memory) {
	const current = document.querySelector(".station.current")?.textContent?.replace(/[^A-Za-z].*$/, "") ?? "";
	const at = POINTS.indexOf(current);
	if (event.type === "CycleStarted") memory.station = -1;
	if (state.cycle.AttemptFinished || !state.cycle.CycleStarted || memory.attempt !== state.attempt) memory.station = -1;
	memory.attempt = state.attempt;
	if (state.cycle.AttemptFinished || at < 0) return;
	if (at > POINTS.indexOf("Permit") && state.pods.get(state.cycle.CycleStarted?.pod)?.place === "waiting") yield ["station", `${current}, and the pod still waits on Permit`];
	const undone = ["PodUnreserved", "SchedulingFailed"].includes(event.type);
	const own = !event.pod || event.pod === state.cycle.CycleStarted?.pod;
	if (own && at < memory.station && !undone) yield ["station", `${event.type}: from ${POINTS[memory.station]} back to ${current}`];
	if (own) memory.station = Math.max(memory.station, at);
}

/** One pod is amber, and the sentence is about it. @returns {Generator<[string, string]>} */
export function* amber() {
	const card = document.querySelector("#subject .subject:not(.none)")?.getAttribute("title") ?? "";
	const others = shown(".queue-pod.mine, .block.mine, #caption .pod-name, .pod-lane.mine .pod-lane-name")
		.map((one) => one.getAttribute("data-fly") ?? one.getAttribute("data-pod") ?? one.getAttribute("title")?.split(/[,，]/)[0] ?? one.textContent ?? "")
		.map((name) => nameOf(name.trim()));
	const group = kschedui.player.state.pod_groups.has(card) ? [...kschedui.player.state.pods.values()].filter((pod) => pod.summary.pod_group === card) : [];
	const own = [card, ...group.map((pod) => pod.summary.pod)].map(nameOf);
	const isOwn = (/** @type {string} */ name) => own.some((one) => one === name || (name.includes("\u00a0") && name.split("\u00a0").every((part) => one.includes(part)))); // "web lxx5d"
	const wrong = others.filter((name) => name && !isOwn(name));
	if (wrong.length) yield ["amber", `${nameOf(card) || "nobody"} on the card, amber too: ${wrong.join(", ")}`];
	const told = shown("#caption .name, #caption .pod-name").map((one) => one.getAttribute("title") ?? one.textContent?.trim());
	const pods = told.filter((name) => [...kschedui.player.state.pods.keys()].some((key) => nameOf(key) === name));
	if (card && pods.length && ![...pods, ...(group.length ? told : [])].includes(nameOf(card))) yield ["amber", `${nameOf(card)} on the card, the sentence is about ${pods.join(", ")}`];
}

/** "Too little cpu" is shown only if the free amount is too small. @returns {Generator<[string, string]>} */
export function* verdicts({ state, subject }) {
	for (const card of shown(".node-card")) {
		const note = card.querySelector(".node-note")?.textContent ?? "";
		const name = card.getAttribute("data-node") ?? "";
		const verdict = filterModel(state)?.at.get(name)?.verdict;
		if (!note.startsWith("✕") || verdict?.plugin !== "NodeResourcesFit") continue;
		const resource = resourceOf(verdict.reasons[0]);
		if (request(state, subject, resource) <= free(state, name, resource, subject))
			yield ["stale", `${name} says "${note}", and ${subject} would fit`];
	}
}

/** A dry run of preemption is shown as it was when it ran. @returns {Generator<[string, string]>} */
export function* dryRun({ event, state, step, last }, memory) {
	const play = preemptionOf(state);
	const table = document.querySelector("#margin .segments.wrap") ? document.querySelector("#margin table.figures")?.textContent : null;
	const blocks = shown(".on-preempt .candidate-pod").map((one) => `${one.title} ${one.className.replace(/small|tiny|narrow/g, "").trim()} ${one.style.height}`).sort().join("; ");
	if (event.type === "PreemptionEvaluated") memory.dryRun = last ? { step, table, blocks, attempt: state.attempt } : null;
	const kept = memory.dryRun;
	if (kept?.attempt !== state.attempt || !play || event.type === "PreemptionEvaluated") return;
	if (table && kept.table && table !== kept.table && kept.node === undefined)
		yield ["moment", `the dry run of step ${kept.step} was "${kept.table.slice(0, 90)}" and is "${table.slice(0, 90)}"`];
	if (blocks && kept.blocks && blocks !== kept.blocks) yield ["moment", `the columns of step ${kept.step} are drawn otherwise`];
}

/** The scenes between attempts, which may be shown again. */
const AROUND = new Set(["cluster", "group", "autoscaling"]);

/**
 * The scene of an attempt is left only to show how a deleted pod releases its resources.
 * @returns {Generator<[string, string]>}
 */
export function* scenes({ event, state }, memory) {
	const scene = document.querySelector("#player").dataset.scene;
	if (event.type === "ObjectDeleted" && scene === "cluster") return;
	if (memory.sceneAttempt !== state.attempt) memory.scenes = [];
	memory.sceneAttempt = state.attempt;
	if (memory.scenes.at(-1) === scene) return;
	if (memory.scenes.includes(scene) && !AROUND.has(scene)) yield ["flips", `${[...memory.scenes, scene].join(", ")} in attempt ${state.attempt}`];
	memory.scenes.push(scene);
}

/** The node of a step is visible. @returns {Generator<[string, string]>} */
export function* sight({ event, state, subject }) {
	const pod = state.pods.get(subject);
	const name = event.kind === "Node" ? event.name : (typeof event.node === "string" && event.node) || pod?.node || pod?.nominated_node;
	const card = shown(".node-card").find((one) => one.getAttribute("data-node") === name);
	const box = card?.getBoundingClientRect();
	const frame = card?.closest(".zones")?.getBoundingClientRect();
	if (box && frame && innerWidth > 700 && (box.bottom < frame.top + 12 || box.top > frame.bottom - 12))
		yield ["sight", `${name} is at ${Math.round(box.top)}, and the stage shows ${Math.round(frame.top)} to ${Math.round(frame.bottom)}`];
}

/** "1 → 2" shows the requested amount of the node before and after this step. @returns {Generator<[string, string]>} */
export function* arrows({ state, step }) {
	const before = kschedui.store.stateAfter(step - 1);
	for (const card of shown(".node-card")) {
		const name = card.getAttribute("data-node") ?? "";
		const figure = card.querySelector(".gauge b")?.textContent ?? "";
		if (!figure.includes("→")) continue;
		const [from, to] = figure.split("→").map((text) => Number.parseFloat(text.replace(/^.*?共/, "")));
		const used = (/** @type {any} */ at) => (at?.nodes.get(name)?.requested.cpu ?? 0) / 1000;
		if (Math.abs(used(before) - from) > 0.01) yield ["arrow", `${name} shows ${figure} and held ${used(before)} before`];
		void to;
	}
}

/** The time at which a pod in backoffQ is moved; Infinity if it never is. */
function moved(step, pod) {
	let time = kschedui.player.state.time;
	for (const { event } of kschedui.store.walk(step + 1, 1)) {
		if (event.type === "ClockAdvanced") time = event.time;
		if (event.pod === pod && (event.type === "PodEnqueued" || event.type === "CycleStarted")) return time;
		if (event.type === "RunFinished") return Number.POSITIVE_INFINITY;
	}
	return Number.POSITIVE_INFINITY;
}

/** Announced events happen. @returns {Generator<[string, string]>} */
export function* promises({ event, state, step }) {
	const words = document.querySelector("#caption h1")?.textContent ?? "";
	if (event.type === "PodEnqueued" && event.queue === "backoff") {
		const at = moved(step, event.pod);
		const told = [...words.matchAll(/([\d.]+) (?:s\b|秒)/g)].map((one) => Number(one[1]));
		const wait = at - state.time;
		const early = wait < Math.max(...told) && state.feature_gates.SchedulerPopFromBackoffQ !== false && /latest|最晚/.test(words);
		if (told.length && Number.isFinite(wait) && !early && !told.some((one) => Math.abs(one - wait) < 0.06 || Math.abs(one - at) < 0.06))
			yield ["promise", `"${words}", and it moves after ${wait.toFixed(2)} s`];
	}
	const next = document.querySelector("#next p")?.textContent ?? "";
	const evicts = /(is|are) evicted\.$|驱逐这些|被驱逐。$/.test(next);
	if (evicts && event.type === "PreemptionEvaluated") {
		const following = kschedui.store.event(step + 1);
		const gone = (following?.type === "VictimEvicted" || (event.victims ?? []).some((pod) => state.pods.get(pod)?.gone_at === null));
		if (!gone) yield ["promise", `"${next}", and ${following?.type} follows`];
	}
	if (event.type === "PodsKeptWaiting" && /^Nobody|^没有/.test(words)) {
		const before = kschedui.store.event(step - 1);
		if (before?.type === "PodEnqueued" && before.event === event.event) yield ["promise", `"${words}", and ${before.pod} was moved by the same event`];
	}
	if (event.type === "HostSelected" && /only node that fits|唯一/.test(words)) {
		const unseen = (filterModel(state)?.evaluated ?? 0) < (state.cycle.NodesFiltered?.total ?? state.nodes.size) && !state.cycle.PreFilterFinished?.nodes;
		if (unseen) yield ["promise", `"${words}", and only ${filterModel(state)?.evaluated} of ${state.nodes.size} nodes were checked`];
	}
	if (event.type === "AttemptFinished" && event.outcome === "Scheduled" && / is placed on /.test(words) && state.pods.get(event.pod)?.place !== "bound")
		yield ["promise", `"${words}", and it is ${state.pods.get(event.pod)?.place}`];
}

/**
 * The free amount is the same number in the sentence, on the lane and in the margin.
 * @returns {Generator<[string, string]>}
 */
export function* rooms({ event, state, subject }) {
	if (event.type !== "NodesFiltered") return;
	for (const lane of shown(".lane.hit")) {
		const name = lane.getAttribute("data-node") ?? "";
		const verdict = filterModel(state)?.at.get(name)?.verdict;
		const [need, left, gap] = (lane.querySelector(".why-stopped")?.textContent ?? "").match(/[\d.]+/g)?.map(Number) ?? [];
		if (verdict?.plugin !== "NodeResourcesFit" || resourceOf(verdict.reasons[0]) !== "cpu" || gap === undefined || verdict.reasons.length > 1) continue;
		if (request(state, subject, "cpu") > (state.nodes.get(name)?.summary.allocatable.cpu ?? 0)) continue;
		if (Math.abs(need - left - gap) > 0.011) yield ["room", `${name}: ${need} needed, ${left} free, short by ${gap}`];
	}
	for (const cell of shown("#margin tr.sum.hot td:last-child")) {
		if (/^[−-]/.test(cell.textContent ?? "")) yield ["room", `${cell.textContent} free in the margin`];
	}
}

/**
 * A waiting pod shows every plugin that rejected it, or the number of the others.
 * @returns {Generator<[string, string]>}
 */
export function* reasons({ state }) {
	for (const item of shown(".queue-section.unschedulable .queue-item")) {
		const name = item.querySelector(".queue-pod")?.getAttribute("data-fly") ?? "";
		const pod = state.pods.get(name);
		const small = item.querySelector("small:not(.moved, .hash)");
		if (!pod || !small) continue;
		const text = `${small.textContent} ${small.getAttribute("title") ?? ""}`;
		const hidden = pod.unschedulable_plugins.filter((plugin) => !text.includes(plugin));
		if (hidden.length && !/\d/.test(small.textContent ?? "")) yield ["hidden", `${name} waits for ${hidden.join(", ")} too`];
	}
}

/**
 * The cards of nodes fill the stage: there is no large blank area below the last card of a zone.
 * @returns {Generator<[string, string]>}
 */
export function* blanks() {
	const alone = shown(".cluster:not(.dense) .zones:not(:has(> .zone ~ .zone))");
	for (const zone of [...alone, ...shown(".cluster:not(.dense) .zones:not(.flow) .zone")]) {
		const { bottom, height } = zone.getBoundingClientRect();
		const ends = [...zone.querySelectorAll(".node-card")].map((card) => card.getBoundingClientRect().bottom);
		const lowest = Math.max(...ends);
		if (innerWidth > 700 && ends.length && bottom - lowest > height / 5) yield ["blank", `${Math.round(bottom - lowest)} of ${Math.round(height)} px are below the last node's card`];
	}
}

const HOLLOW = 2 / 5; // of a card's height

/** A node's bar fills its card: the room between it and the figures below is small. @returns {Generator<[string, string]>} */
export function* hollow() {
	const names = Math.max(0, ...shown(".outside-names").map((one) => one.getBoundingClientRect().height));
	for (const card of shown(".cluster:not(.dense) .node-card:not(.upcoming)")) {
		const parts = [...card.querySelectorAll(".bar-room, .outside-names")].map((one) => one.getBoundingClientRect().bottom);
		const { bottom, height } = card.getBoundingClientRect();
		const figures = [...card.querySelectorAll(".gauges, .devices")].map((one) => one.getBoundingClientRect()).filter((box) => box.height);
		const rows = parts.length > 1 ? 0 : names; // kept where others have names below their bars
		const empty = Math.min(bottom, ...figures.map((box) => box.top)) - Math.max(...parts) - rows;
		if (innerWidth > 700 && parts.length && empty > HOLLOW * height) yield ["hollow", `${Math.round(empty)} of ${Math.round(height)} px of ${card.getAttribute("data-node")}'s card are blank`];
	}
}

const PADDING = 14; // pixels beside the text of a card

/** Reasons in the rows end where their other text ends, not at the card's edge. @returns {Generator<[string, string]>} */
export function* edges() {
	const rows = shown(".lanes:not(.thin) .rows")[0]?.getBoundingClientRect();
	for (const reason of innerWidth > 700 && rows ? shown(".lanes:not(.thin) .why-stopped") : []) {
		const { right } = reason.getBoundingClientRect();
		if (right > rows.right - PADDING) yield ["edge", `"${reason.textContent}" ends ${Math.round(rows.right - right)} px before the card's edge`];
	}
}

/** On a phone, too, the pods that wait are named where it is told which of them is next. @returns {Generator<[string, string]>} */
export function* rivals({ event, state }) {
	const waiting = [...state.pods.values()].filter(({ place }) => place === "active").length;
	if (innerWidth > 700 || event.type !== "CycleStarted" || !waiting) return;
	if (!shown("#queue .active .queue-pod:not(.left)").some((one) => one.getBoundingClientRect().height)) yield ["rivals", `${waiting} pods wait in activeQ, and none is named`];
}

/**
 * The lines of the pod's card that the rejecting plugin reads are highlighted.
 * @returns {Generator<[string, string]>}
 */
export function* read({ event }) {
	if (!event.rejected_by || event.rejected_by.startsWith("NodeResources")) return;
	for (const line of shown("#margin .spec .hot"))
		if (line.textContent?.startsWith("requests.")) yield ["unread", `${event.rejected_by} does not read "${line.textContent}"`];
}

/**
 * Lines that do not fit on the pod's card are counted there, and not cut off.
 * @returns {Generator<[string, string]>}
 */
export function* wishes() {
	for (const line of shown("#subject .labels"))
		if (line.scrollHeight > line.clientHeight + 2 && getComputedStyle(line).whiteSpace !== "nowrap") yield ["wish", `"${line.textContent}" is cut off`];
}

/**
 * The column and the sentence agree on the queue that the pod was popped from.
 * @returns {Generator<[string, string]>}
 */
export function* leaving({ event, state }) {
	const source = state.cycle.CycleStarted?.source ?? "active";
	for (const one of shown(".queue-pod.left"))
		if (!one.closest(".queue-section")?.classList.contains(source)) yield ["queue", `"${one.textContent}", and it was popped from ${source}Q`];
	const told = /(active|backoff)Q/.exec(document.querySelector("#caption h1")?.textContent ?? "")?.[1];
	if (event.type === "CycleStarted" && told && told !== source) yield ["queue", `the sentence names ${told}Q, and it was popped from ${source}Q`];
}

/**
 * At the end, the counts in the sentence and in the picture are those of the trace.
 * @param {any} view
 * @returns {Generator<[string, string]>}
 */
export function* ends({ event, state }) {
	const bound = document.querySelector(".end-card dd")?.textContent ?? "0";
	const words = document.querySelector("#caption h1")?.textContent ?? "";
	if (event.type === "RunFinished" && bound !== "0" && !words.match(/[\d.]+/g)?.includes(bound)) yield ["end", `"${words}", and ${bound} on the card`];
	const drawn = [...state.pods.values()].filter(({ place }) => place === "bound").length;
	if (event.type === "RunFinished" && drawn && !words.match(/[\d.]+/g)?.includes(String(drawn))) yield ["end", `"${words}", and ${drawn} pods are on nodes`];
}

const COUNTS = { no: 0, one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, 一: 1, 两: 2, 三: 3, 四: 4, 五: 5, 六: 6 };
const CONCERNS = {
	NodeAffinity: /label|affinity|标签|亲和/i,
	TaintToleration: /taint|污点/i,
	PodTopologySpread: /spread|zone|分布|区/i,
	ImageLocality: /image|镜像/i,
	NodeResourcesBalancedAllocation: /balance|均衡/i,
	NodeResourcesFit: /room|cpu|full|空间|满/i,
};

/**
 * A teacher's note agrees with the step: the number of remaining nodes, and the plugin that decides between the
 * best two.
 * @returns {Generator<[string, string]>}
 */
export function* notes({ event, state }) {
	const note = document.querySelector("#caption .lesson")?.textContent ?? "";
	if (!note) return;
	const left = /(\d+|\w+) (?:feasible )?nodes? (?:is|are) left|剩(?:下)?(\d+|.) ?个节点/i.exec(note);
	const count = left && (COUNTS[(left[1] ?? left[2]).toLowerCase()] ?? Number(left[1] ?? left[2]));
	const feasible = filterModel(state)?.feasible.length;
	if (count !== null && feasible !== undefined && count !== feasible) yield ["note", `"${note}", and ${feasible} nodes are left`];
	const points = event.type === "ScoresComputed" ? scores(state) : null;
	if (!points || points.names.length < 2 || !/decid|ahead|决定|领先/.test(note)) return;
	const [first, second] = points.totals.map((_, i) => i).sort((a, b) => points.totals[b] - points.totals[a]);
	const gaps = points.plugins.map((one) => one.weighted[first] - one.weighted[second]);
	const { plugin } = points.plugins[gaps.indexOf(Math.max(...gaps))];
	const named = Object.keys(CONCERNS).filter((one) => CONCERNS[one].test(note));
	if (named.length && !named.includes(plugin)) yield ["note", `"${note}", and ${plugin} puts ${points.names[first]} ahead of ${points.names[second]}`];
}

const REPEATED = 0.7; // the share of a note's words from which on it tells nothing new
const stems = (/** @type {string} */ text) => (text.toLowerCase().match(/[a-z]{4,}/g) ?? []).map((word) => word.slice(0, 5));

/**
 * A teacher's note adds something to the sentences above it; checked for English only.
 * @returns {Generator<[string, string]>}
 */
export function* repeats() {
	if (!document.documentElement.lang.startsWith("en")) return; // names of pods are the only letters
	const note = document.querySelector("#caption .lesson")?.textContent ?? "";
	const told = new Set(stems([...document.querySelectorAll("#caption :is(h1, .why)")].map((one) => one.textContent).join(" ")));
	const words = stems(note);
	const again = words.filter((word) => told.has(word)).length;
	if (words.length >= 4 && again >= REPEATED * words.length) yield ["repeats", `"${note}"`];
}

/**
 * On a phone, too, the preview of the next step is visible, and not behind the timeline.
 * @returns {Generator<[string, string]>}
 */
export function* ahead({ event }) {
	const next = shown("#next p")[0];
	if (innerWidth > 700 || innerHeight < 800 || event.type === "RunFinished" || !next?.textContent) return;
	const cut = next.getBoundingClientRect().bottom - document.querySelector(".controls").getBoundingClientRect().top;
	if (cut > 0) yield ["ahead", `"${next.textContent}" is behind the timeline with ${Math.round(cut)} px`];
}

const { workloadRows } = await import("/static/js/steps/controllers/model.js");
const { actorOf } = await import("/static/js/trace/actors.js");

/** The text and the pips of a workload's row agree with its pods. @returns {Generator<[string, string]>} */
export function* workloads({ state }) {
	const rows = workloadRows(state);
	for (const drawn of shown(".workload")) {
		const row = rows.find((one) => one.key === drawn.getAttribute("data-workload"));
		const pips = (/** @type {string} */ kind) => drawn.querySelectorAll(`.pip.${kind}`).length;
		const count = drawn.querySelector(".workload-count")?.textContent?.match(/\d+/g)?.map(Number) ?? [];
		if (!row) yield ["workload", `${drawn.textContent} is no workload of this step`];
		else if (row.kind !== "Job" && row.pips.length <= 16 && pips("ready") !== count[0])
			yield ["workload", `${row.name} says ${drawn.querySelector(".workload-count")?.textContent} and shows ${pips("ready")} ready pips`];
		const parts = row?.revisions.length ? row.revisions : row ? [row] : [];
		const all = parts.reduce((sum, part) => sum + part.pips.length + part.missing, 0);
		if (all <= 16 && drawn.querySelectorAll(".pip").length !== all)
			yield ["workload", `${row?.name} has and misses ${all} pods, and shows ${drawn.querySelectorAll(".pip").length} pips`];
	}
}

/** The card names the actor, and its reason for creating or deleting a pod. @returns {Generator<[string, string]>} */
export function* actors({ event }) {
	const actor = actorOf(event);
	const card = document.querySelector("#subject .subject.actor");
	if (Boolean(actor) !== Boolean(card)) yield ["actor", `${actor || "nobody"} acts in ${event.type}, and the card is "${document.querySelector("#subject")?.textContent}"`];
	const decides = (event.type === "ObjectApplied" && event.kind === "Pod" && event.action === "create") || event.type === "PodDeletionRequested";
	if (actor && decides && !document.querySelector("#caption .why")?.textContent?.trim()) yield ["actor", `${actor} acts in ${event.type} without a cause`];
}

/** A node that is not ready, unreachable or being drained is drawn as such. @returns {Generator<[string, string]>} */
export function* conditions({ state }) {
	for (const card of shown(".node-card[data-node]")) {
		const node = state.nodes.get(card.getAttribute("data-node") ?? "");
		const lost = (node?.ready ?? "True") !== "True";
		if (lost !== card.classList.contains("lost")) yield ["condition", `${node?.summary.name} is Ready=${node?.ready ?? "True"} and is drawn otherwise`];
	}
}

/** The lines of a score's arithmetic have the engine's results. @returns {Generator<[string, string]>} */
export function* arithmetic(view) {
	if (view.event.type !== "ScoresComputed" || document.documentElement.lang !== "en") return;
	globalThis.drawNow?.(); // an explanation that has arrived since
	const [kind, node, plugin] = askedAt({ ...view, scene: "score" })?.split(":") ?? [];
	const engine = kind === "score" ? explainer.score(view.state.attempt, node, plugin)?.arithmetic : null;
	if (!engine || !document.querySelector("#margin h2")?.textContent?.endsWith(node)) return;
	const results = (/** @type {(string | null)[]} */ lines) => lines.map((text) => /-?[\d.]+(?=\D*$)/.exec(text ?? "")?.[0] ?? "0").sort((a, b) => Number(a) - Number(b));
	const withNumbers = (/** @type {(string | null)[]} */ lines) => lines.filter((text) => /\d/.test(text ?? ""));
	const lines = withNumbers(shown("#margin p:is(.formula, .note)").map((line) => line.textContent)); // those that decide come first
	const computed = withNumbers(engine);
	const [drawn, due] = [results(lines.slice(0, computed.length)), results(computed)];
	const rounding = (/** @type {string} */ number) => 10 ** -(number.split(".")[1]?.length ?? 0) / 2;
	if (due.some((value, k) => Math.abs(Number(value) - Number(drawn[k])) > rounding(drawn[k]) + 1e-9)) yield ["arithmetic", `${lines.join("; ")} for the engine's ${engine.join("; ")}`];
}
