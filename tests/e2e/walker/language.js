/** Finds English text on a Chinese page. */
import { WORDS } from "./english.js";

// what kube-scheduler, kubectl or a manifest says, in their words
const QUOTED = "code, pre, .raw, .message, .spec";

const { podParts } = await import("/static/js/shared/names.js");

/** A message that a lesson quotes before its step, and the key of a label that no node has. */
const QUOTES = ["cannot allocate all claims", "zone："];

/** @type {Set<string>} */
const everyName = new Set();
let counted = 0;

/** The names that the run's events tell: also of what is not created yet, or gone, as a label that is removed. */
function told() {
	for (; counted < kschedui.store.steps; counted += 1) {
		const event = kschedui.store.event(counted);
		const changed = (event?.changes ?? []).map((/** @type {any} */ change) => change.name); // the key of a label or taint
		for (const name of [event?.name, event?.pod, event?.workload?.called, ...changed]) if (typeof name === "string") everyName.add(name).add(name.slice(name.lastIndexOf("/") + 1));
	}
	return everyName;
}

/** The names in the scenario, the longest first. @param {any} state */
function names(state) {
	const labels = [...state.nodes.values(), ...state.pods.values()].flatMap(({ summary }) => Object.entries(summary.labels ?? {}).flat());
	const taints = [...state.nodes.values()].flatMap(({ summary }) => (summary.taints ?? []).flat());
	const workloads = [...state.workloads].flatMap(([key, { state: { called } }]) => [called, key.slice(key.lastIndexOf("/") + 1)]);
	const parts = [...state.pods.keys()].flatMap((key) => podParts(key)); // the workload of a pod that is gone
	const own = [...state.nodes.keys(), ...workloads, ...parts, ...[...state.pods.keys()].flatMap((key) => [key, ...key.split("/")])];
	return [...new Set([...own, ...labels, ...taints, ...told()])].filter((name) => /[a-z]/.test(name)).sort((a, b) => b.length - a.length);
}

/** The messages of kube-scheduler that the step quotes. @param {any} value @returns {Generator<string>} */
function* quotes(value) {
	if (typeof value === "string" && value.includes(" ")) yield value;
	else if (value && typeof value === "object") for (const one of Object.values(value)) yield* quotes(one);
}

/** All texts of a region, including those that are folded or scrolled out of view. @param {Element} region */
export function* everyText(region) {
	const walker = document.createTreeWalker(region, NodeFilter.SHOW_TEXT);
	for (let node = walker.nextNode(); node; node = walker.nextNode()) {
		const text = (node.nodeValue ?? "").trim();
		if (text && node.parentElement) yield { text, parent: node.parentElement };
	}
}

/** @param {{text: string, parent: Element}[]} found @param {any} view @returns {Generator<[string, string]>} kind and what is wrong */
export function* english(found, { state, event, step }) {
	const chinese = (/** @type {Element} */ one) => one.closest("[lang]")?.getAttribute("lang")?.startsWith("zh");
	const suspects = found.filter(({ text, parent }) => WORDS.test(text) && chinese(parent) && !parent.closest(QUOTED));
	if (!suspects.length) return;
	const told = [...QUOTES, ...quotes(event), ...quotes(state.cycle), ...quotes([...state.pods.values()].map((pod) => pod.message))];
	const following = kschedui.store.event(step + 1); // which is announced
	const said = [event, following].flatMap((one) => [one?.name, one?.workload?.called, one?.verb]).filter(Boolean);
	const given = [...told, ...names(state), ...said];
	for (const { text, parent } of suspects) {
		const rest = given.reduce((left, name) => left.replaceAll(name, "·"), text);
		const [word] = WORDS.exec(rest) ?? [];
		if (word && !told.some((one) => one.includes(text))) yield ["english", `"${word}" in "${text.slice(0, 60)}" of .${parent.className?.baseVal ?? parent.className}`];
	}
}
