// @ts-check
/** All keys of the player in one table with their actions, which the help dialog shows. */

/**
 * @typedef {object} Page
 * @property {(dialog: string) => void} open
 * @property {(factor: number) => void} zoom
 * @property {(change: any) => void} set
 * @property {() => any} state
 * @property {() => void} goOn to the next lesson
 */
/** @typedef {{keys: string[], name: string, run: (player: Player, page: Page, key: string) => void}} Binding */

const FAILED = new Set(["Unschedulable", "Error"]);

/** Whether an event is a preemption with candidates. @param {any} event */
function isPreemption(event) {
	return event.type === "PreemptionEvaluated" && event.candidates.length > 0;
}

/** Whether an event says that an attempt failed, or that binding did. @param {any} event */
function isFailure(event) {
	return (event.type === "SchedulingFailed" && FAILED.has(event.outcome)) || event.type === "BindingFailed";
}

/**
 * Returns a test for events that are about the pod.
 * @param {string} pod @returns {(event: any) => boolean}
 */
function concerns(pod) {
	return (event) => event.pod === pod || event.preemptor === pod || event.pod?.pod === pod;
}

/** Goes to the nearest event of another type than the current one's. @param {Player} player @param {1 | -1} by */
function goToOtherType(player, by) {
	const here = player.event?.type;
	player.jump(by, (event) => event.type !== here && event.type !== "AttemptFinished");
}

/** Bindings by purpose; the help dialog has the same groups. @type {Record<string, Binding[]>} */
export const KEYS = {
	move: [
		{ keys: [" "], name: "play", run: (player) => player.play() },
		{ keys: ["ArrowRight", "PageDown"], name: "forward", run: (player) => void player.forward() },
		{ keys: ["ArrowLeft", "PageUp"], name: "back", run: (player) => player.back() },
		{ keys: ["Shift+ArrowRight"], name: "attempton", run: (player) => player.goToAttempt(1) },
		{ keys: ["Shift+ArrowLeft"], name: "attemptback", run: (player) => player.goToAttempt(-1) },
		{ keys: ["]"], name: "pointon", run: (player) => goToOtherType(player, 1) },
		{ keys: ["["], name: "pointback", run: (player) => goToOtherType(player, -1) },
		{ keys: ["Home"], name: "first", run: (player) => player.seek(0) },
		{ keys: ["End"], name: "last", run: (player) => player.seek(player.store.steps - 1, 1e6) },
		{ keys: ["+", "="], name: "faster", run: (player) => player.changeSpeed(1) },
		{ keys: ["-"], name: "slower", run: (player) => player.changeSpeed(-1) },
	],
	find: [
		{ keys: ["n"], name: "preemption", run: (player) => void player.jump(1, isPreemption) },
		{ keys: ["f"], name: "failure", run: (player) => void player.jump(1, isFailure) },
		{ keys: ["p"], name: "samepod", run: (player, page) => void player.jump(1, concerns(page.state().subject)) },
		{ keys: ["/"], name: "search", run: (_, page) => page.open("search") },
		{ keys: ["g"], name: "goto", run: (_, page) => page.open("goto") },
		{ keys: ["b"], name: "breakpoints", run: (_, page) => page.open("breakpoints") },
		{ keys: ["t"], name: "transcript", run: (_, page) => page.open("transcript") },
	],
	look: [
		{ keys: ["l"], name: "lanes", run: (_, page) => page.set({ lanes: !page.state().options.lanes }) },
		{
			keys: ["o"],
			name: "order",
			run: (_, page) => page.set({ order: page.state().order === "node" ? "plugin" : "node" }),
		},
		{ keys: ["i"], name: "inspect", run: (_, page) => page.set({ margin: !page.state().options.margin }) },
		{ keys: ["z"], name: "zoomin", run: (_, page) => page.zoom(0.6) },
		{ keys: ["x"], name: "zoomout", run: (_, page) => page.zoom(1 / 0.6) },
		{ keys: ["e"], name: "everystep", run: (_, page) => page.state().learner?.everyStep() },
	],
	predict: [
		{ keys: ["q"], name: "predict", run: (_, page) => page.state().learner?.predict() },
		{
			keys: ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"],
			name: "pick",
			run: (_, page, key) => page.state().learner?.pickKey(key),
		},
		{ keys: ["Enter"], name: "reveal", run: (_, page) => page.state().learner?.predictions.goOn() },
	],
	teach: [
		{ keys: ["v"], name: "present", run: () => present() },
		{ keys: ["m"], name: "speaker", run: (_, page) => page.open("speaker") },
		{ keys: ["s"], name: "share", run: (_, page) => page.open("share") },
	],
	ask: [
		{ keys: ["w"], name: "ask", run: (_, page) => page.open("ask") },
		{ keys: ["?"], name: "help", run: (_, page) => page.open("help") },
	],
};

const BINDINGS = Object.values(KEYS).flat();

/** The name of the pressed key in KEYS. @param {KeyboardEvent} event */
function nameOf(event) {
	return event.shiftKey && event.key.startsWith("Arrow") ? `Shift+${event.key}` : event.key;
}

/**
 * Runs the command of the key that was pressed, unless the browser or a text field needs the key.
 * @param {KeyboardEvent} event @param {Player} player @param {Page} page
 */
export function press(event, player, page) {
	if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
	const focused = /** @type {Element} */ (event.target);
	// A dialog that was closed keeps the focus until the browser draws.
	const target = focused.closest?.("dialog:not([open])") ? document.body : focused;
	if (target.closest?.("input, textarea, select, dialog[open], .margin pre")) return;
	if (event.key === " " && target.closest?.("button, a, summary") && !target.closest?.(".play")) return;
	if (event.key === "Enter" && target.closest?.("button, a, summary, [tabindex]:not(.margin)")) return;
	const binding = BINDINGS.find(({ keys }) => keys.includes(nameOf(event)));
	if (!binding) return;
	event.preventDefault();
	if (binding.name === "forward" && player.atEnd && player.store.complete && !event.repeat) page.goOn();
	else binding.run(player, page, event.key);
}

const REST_MS = 2500; // the spotlight goes out when the pointer rests

/** @type {HTMLElement | null} */
let light = null;
let rest = 0;

/** Begins or ends the presentation. */
function present() {
	const on = document.body.classList.toggle("presenting");
	if (on) begin();
	else end();
	dispatchEvent(new Event("resize"));
}

/** Begins the presentation: full screen, and a light that follows the pointer. */
function begin() {
	light ??= document.createElement("div");
	light.className = "spotlight";
	light.setAttribute("aria-hidden", "true");
	document.body.append(light);
	addEventListener("pointermove", moveLight);
	document.addEventListener("fullscreenchange", onFullscreenChange);
	void document.documentElement.requestFullscreen?.().catch(() => {}); // without it the page alone is large
}

/** Ends the presentation. */
function end() {
	removeEventListener("pointermove", moveLight);
	document.removeEventListener("fullscreenchange", onFullscreenChange);
	light?.remove();
	if (document.fullscreenElement) void document.exitFullscreen();
}

/** Ends the presentation when Escape leaves full screen. */
function onFullscreenChange() {
	if (!document.fullscreenElement && document.body.classList.contains("presenting")) present();
}

/** Moves the light to the pointer, and hides it when the pointer rests. @param {PointerEvent} event */
function moveLight({ clientX, clientY }) {
	light?.style.setProperty("transform", `translate(${clientX}px, ${clientY}px)`);
	light?.classList.add("on");
	clearTimeout(rest);
	rest = setTimeout(() => light?.classList.remove("on"), REST_MS);
}
