// @ts-check
/**
 * Two synchronised stages: when one goes to a step, the other goes to the same moment of the corresponding attempt. The
 * address contains both steps: `#12,15`.
 */

/** @typedef {[before: number, after: number, same: number, pod: string, number: number]} Pair */

const NONE = -1;
const { first, pairs } = /** @type {{first: number, pairs: Pair[]}} */ (
	JSON.parse(document.getElementById("comparison")?.textContent ?? "{}")
);
const slider = /** @type {HTMLInputElement} */ (document.getElementById("at"));
const where = /** @type {HTMLElement} */ (document.getElementById("where"));
const frames = /** @type {HTMLIFrameElement[]} */ ([...document.querySelectorAll("iframe[data-side]")]);

/** The step that each side was sent to, until it is there. @type {(number | null)[]} */
const sent = [null, null];
let at = 0;

/**
 * The player and the run of a side; undefined until its frame is loaded.
 * @param {number} side @returns {{player: Player, store: ChunkStore} | undefined}
 */
function pageOf(side) {
	return /** @type {any} */ (frames[side].contentWindow).kschedui;
}

/** The attempts of a side, in its own order: [its first step, the index of its pair]. */
const begun = [0, 1].map((side) =>
	pairs
		.map((pair, pairIndex) => [Number(pair[side]), pairIndex])
		.filter(([step]) => step !== NONE)
		.sort((a, b) => a[0] - b[0]),
);

/** The index of a step's pair; before any attempt, of the first pair. @param {number} side @param {number} step */
function pairAt(side, step) {
	const stretch = begun[side].findLast(([from]) => from <= step) ?? begun[side][0];
	return stretch ? stretch[1] : 0;
}

/**
 * The step of the same moment in the other side's attempt; null if that side does not have the attempt.
 * @param {number} side whose step it is
 * @param {number} step
 * @param {number} pairIndex
 */
function twinStep(side, step, pairIndex) {
	if (!pairs[pairIndex]) return step; // neither run has attempts
	const other = 1 - side;
	const [from, to] = [Number(pairs[pairIndex][side]), Number(pairs[pairIndex][other])];
	if (to === NONE) return null;
	const [mine, theirs] = [pageOf(side)?.store, pageOf(other)?.store];
	const type = mine?.event(step)?.type;
	if (step < from || !theirs || !type) return step < from ? Math.max(0, to - (from - step)) : to;
	let earlier = 0; // events of the type in the attempt before the step
	for (let own = from; own < step; own += 1) earlier += Number(mine?.event(own)?.type === type);
	let last = to;
	for (const { event, step: at } of theirs.walk(to, 1)) {
		if (at > to && event.type === "CycleStarted") break;
		if (event.type !== "AttemptFinished" && theirs.event(last)?.type === "AttemptFinished") break;
		last = at;
		if (event.type !== type) continue;
		if (!earlier) break;
		earlier -= 1;
	}
	return last;
}

/** Moves a side to a step, unless it is there. @param {number} side @param {number} step @param {number} [frame] */
function send(side, step, frame = 0) {
	const player = pageOf(side)?.player;
	if (!player || (player.step === step && player.frame === frame)) return;
	sent[side] = step;
	player.seek(step, frame);
}

/**
 * Moves both sides to the decision of the pair's attempt, or to its beginning if it has none.
 * @param {number} pairIndex
 */
function goTo(pairIndex) {
	at = Math.max(0, Math.min(pairIndex, pairs.length - 1));
	for (const side of [0, 1]) {
		const from = Number(pairs[at][side]);
		if (from !== NONE) send(side, outcomeStep(side, from, pairs[at][3]));
	}
	showPlaces();
}

/**
 * The step that shows the outcome of a pod's attempt; `from` if none does. A group tries its other pods in between.
 * @param {number} side @param {number} from the first step of the attempt @param {string} pod
 */
function outcomeStep(side, from, pod) {
	let tried = "";
	for (const { event, step } of pageOf(side)?.store.walk(from, 1) ?? []) {
		if (event.type === "CycleStarted") tried = event.pod;
		if ((event.type === "HostSelected" || event.type === "PreemptionEvaluated") && tried === pod) return step;
		if ((event.type === "SchedulingFailed" || event.type === "AttemptFinished") && event.pod === pod) return step;
	}
	return from;
}

/**
 * Goes to the next or previous attempt that `wanted` accepts.
 * @param {1 | -1} by
 * @param {(pair: Pair) => boolean} wanted
 */
function jump(by, wanted) {
	for (let pairIndex = at + by; pairIndex >= 0 && pairIndex < pairs.length; pairIndex += by)
		if (wanted(pairs[pairIndex])) return goTo(pairIndex);
}

/** Moves one step on the side that has this attempt; the other side follows. @param {1 | -1} by */
function moveBy(by) {
	const player = pageOf(pairs[at]?.[0] === NONE ? 1 : 0)?.player;
	if (by > 0) player?.forward();
	else player?.back();
}

/** Shows the places of both runs, in words and in the address. */
function showPlaces() {
	slider.value = String(at);
	const pair = pairs[at];
	if (!pair) return;
	const [, , isSame, pod] = pair;
	where.textContent = `${at + 1} / ${pairs.length} · ${pod} · ${isSame ? "=" : "≠"}`;
	for (const side of [0, 1]) {
		const note = frames[side].parentElement?.querySelector(".compare-none");
		if (note instanceof HTMLElement) note.hidden = pair[side] !== NONE;
	}
	const steps = [0, 1].map((side) => pageOf(side)?.player.step ?? 0);
	history.replaceState(null, "", `${location.pathname}${location.search}#${steps.join(",")}`);
}

/** Handles a new step of one side, whether it was sent there or the reader moved it. @param {number} side */
function whenShown(side) {
	const player = pageOf(side)?.player;
	if (!player || !pageOf(1 - side)?.player) return;
	if (sent[side] !== null) {
		sent[side] = null;
		return showPlaces();
	}
	at = pairAt(side, player.step);
	const other = twinStep(side, player.step, at);
	if (other !== null) send(1 - side, other, player.frame);
	showPlaces();
}

/** Goes to the steps in the address, or to the first difference, once both sides are drawn. */
function begin() {
	const match = /^#(\d+),(\d+)$/.exec(location.hash);
	if (match) {
		for (const side of [0, 1]) send(side, Number(match[side + 1]));
		at = pairAt(0, Number(match[1]));
		showPlaces();
	} else if (pairs.length) goTo(Math.max(0, first));
	document.body.dataset.ready = "";
}

let ready = 0;

/** Waits until the player of a side is ready, and follows it. @param {number} side */
function watch(side) {
	const player = frames[side].contentDocument?.getElementById("player");
	if (!player) return;
	let isReady = false;
	const look = () => {
		if (!player.dataset.ready) return;
		if (isReady) return ready === 2 && whenShown(side);
		if (!pageOf(side)?.store.complete) return void setTimeout(look, 100);
		isReady = true;
		ready += 1;
		if (ready === 2) begin();
	};
	new MutationObserver(look).observe(player, { attributes: true, attributeFilter: ["data-ready"] });
	look();
}

/** @type {Record<string, () => void>} */
const commands = {
	back: () => moveBy(-1),
	on: () => moveBy(1),
	"attempt-back": () => jump(-1, () => true),
	"attempt-on": () => jump(1, () => true),
	"difference-back": () => jump(-1, (pair) => !pair[2]),
	"difference-on": () => jump(1, (pair) => !pair[2]),
};
/** @type {Record<string, string>} */
const keys = { ArrowLeft: "back", ArrowRight: "on", "[": "difference-back", "]": "difference-on" };

/** Runs the command of the key that was pressed. @param {KeyboardEvent} event */
function press(event) {
	if (/** @type {Element} */ (event.target).closest("input, select, textarea") || event.ctrlKey || event.metaKey)
		return;
	const command =
		keys[event.key] && event.shiftKey ? keys[event.key].replace(/^(back|on)$/, "attempt-$1") : keys[event.key];
	if (!command) return;
	event.preventDefault();
	commands[command]();
}

document.addEventListener("click", (event) => {
	const button = /** @type {Element} */ (event.target).closest("[data-go], [data-at]");
	if (!(button instanceof HTMLElement)) return;
	if (button.dataset.go) commands[button.dataset.go]();
	else {
		goTo(Number(button.dataset.at));
		document.querySelector(".compare-time")?.scrollIntoView({ block: "start" });
	}
});
document.addEventListener("keydown", press);
slider.addEventListener("input", () => goTo(Number(slider.value)));
for (const side of [0, 1]) {
	if (frames[side].contentDocument?.readyState === "complete") watch(side);
	frames[side].addEventListener("load", () => watch(side));
}
