// @ts-check
/**
 * Captions of the run's start and end, and of a replay: what the cluster's own scheduler decided, beside the simulated
 * decision.
 */

import { button, h } from "../../shared/dom.js";
import { list, num, parts, t } from "../../shared/i18n.js";
import { count, seconds } from "../../shared/units.js";
import { panel } from "../parts/panel.js";
import { extenderName, node, plainReason, pod } from "../parts/words.js";

/** The caption of the start of the run. @param {Context} context @returns {Partial<Caption>} */
function runStarted({ state, event }) {
	const zones = new Set(
		[...state.nodes.values()].map((node) => node.summary.labels?.["topology.kubernetes.io/zone"]).filter(Boolean),
	).size;
	const running = event.pods.filter((/** @type {any} */ pod) => pod.node).length;
	const key = state.nodes.size ? `run.started${running ? "" : ".empty"}${zones ? "" : ".nozone"}` : "run.started.none";
	return {
		eyebrow: parts("eyebrow.start"),
		sentence: parts(key, { n: num(count(state.nodes.size)), pods: num(count(running)), zones: num(zones) }),
		why: state.nodes.size ? parts("run.started.why") : parts("run.started.nonodes"),
	};
}

/** The text `key` with the names of the pods; [] without pods. @param {string} key @param {string[]} pods */
function nameList(key, pods) {
	const marks = pods.map((name) => pod(name));
	return pods.length ? parts(key, { pods: list(marks, 5), n: pods.length }) : [];
}

/** The number of pods that have finished and use no resources any more. @param {State} state */
export function endedPodCount(state) {
	let ended = 0;
	for (const { place } of state.pods.values()) if (place === "finished") ended += 1;
	return ended;
}

/** The caption of the end of the run. @param {Context} context @returns {Partial<Caption>} */
function runFinished({ state, event: { time, bound, stayed = 0, pending, deleted } }) {
	const ended = endedPodCount(state);
	const placed = Object.keys(bound).length + stayed - ended;
	const done = placed || !ended ? "run.finished.done" : "run.finished.alldone";
	const key = !pending.length ? done : placed ? "run.finished" : "run.finished.nobody";
	return {
		eyebrow: parts("eyebrow.end"),
		sentence: parts(key, { time: num(seconds(time)), bound: num(placed), pending: num(pending.length), n: num(ended) }),
		why: [
			...(ended && key !== "run.finished.alldone" ? [...parts("run.finished.ended", { n: num(ended) }), " "] : []),
			...nameList("run.finished.pending", pending),
			...(pending.length && deleted.length ? [" "] : []),
			...nameList("run.finished.deleted", deleted),
		],
	};
}

/** The caption of what the cluster's own scheduler decided. @param {Context} context @returns {Partial<Caption>} */
function observedCaption({ event, subject }) {
	const chosen = event.node || event.nominated_node || "";
	const pods = (/** @type {string[]} */ keys = []) => keys.map((key) => pod(key, subject));
	const outcome = event.node ? "bound" : event.nominated_node ? "nominated" : "failed";
	const values = {
		pod: pod(event.pod, subject),
		node: node(chosen),
		simulated: node(event.simulated_node || ""),
		points: num(event.points ?? 0, chosen ? `total:${chosen}` : undefined),
		plugin: extenderName(event.plugin || ""),
		reasons: list((event.reasons ?? []).map(plainReason)),
		victims: list(pods(event.victims), 3),
		others: list(pods(event.simulated_victims), 3),
		message: event.message || "",
		note: event.note || "",
	};
	return {
		eyebrow: parts(`eyebrow.observed.${event.verdict}`),
		sentence: parts(`observed.${outcome}`, values),
		why: parts(`observed.why.${event.cause || event.verdict}${event.node ? "" : ".failed"}`, values),
	};
}

/** @type {Record<string, (context: Context) => Partial<Caption>>} */
export const CAPTIONS = {
	RunStarted: runStarted,
	RunFinished: runFinished,
	DecisionObserved: observedCaption,
};

/** The margin's panel for the run: what the scenario is about. @param {View} view @returns {Child} */
export function explain(view) {
	const { scenario, lesson } = view.boot;
	return panel(
		t("margin.about"),
		scenario?.title || view.state.title,
		lesson?.description && h("p", { key: "text", class: "note" }, lesson.description),
		lesson?.look_at && [
			h("h3", { key: "look" }, t("lesson.look")),
			h("p", { key: "lookat", class: "note" }, lesson.look_at),
		],
		view.boot.today &&
			!view.boot.embed &&
			h(
				"p",
				{ key: "today", class: "note" },
				h("a", { href: view.boot.today.url }, t("lesson.today", { release: view.boot.today.release })),
			),
		view.state.finished &&
			!view.boot.embed &&
			button(() => view.act.open("ask:run"), { key: "ask", class: "button" }, t("ask.title")),
		h("p", { key: "keys", class: "note" }, t("margin.keys")),
	);
}
