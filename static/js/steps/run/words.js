// @ts-check
/** Captions of the run's start and end. */

import { h } from "../../shared/dom.js";
import { list, num, parts, t } from "../../shared/i18n.js";
import { count, seconds } from "../../shared/units.js";
import { panel } from "../parts/panel.js";
import { pod } from "../parts/words.js";

/** @param {Context} context @returns {Partial<Caption>} */
function runStarted({ state, event }) {
	const zones = new Set(
		[...state.nodes.values()].map((node) => node.summary.labels?.["topology.kubernetes.io/zone"] ?? ""),
	).size;
	const running = event.pods.filter((/** @type {any} */ pod) => pod.node).length;
	const podList = [...state.nodes.values()].some(
		(node) => "topology.kubernetes.io/zone" in (node.summary.labels ?? {}),
	);
	const key = state.nodes.size
		? `run.started${running ? "" : ".empty"}${podList ? "" : ".nozone"}`
		: "run.started.none";
	return {
		eyebrow: parts("eyebrow.start"),
		sentence: parts(key, { n: num(count(state.nodes.size)), pods: num(count(running)), zones: num(zones) }),
		why: state.nodes.size ? parts("run.started.why") : parts("run.started.nonodes"),
	};
}

/** @param {string} key @param {string[]} pods */
function nameList(key, pods) {
	const marks = pods.map((key) => pod(key));
	return pods.length ? parts(key, { pods: list(marks, 5), n: pods.length }) : [];
}

/** @param {Context} context @returns {Partial<Caption>} */
function runFinished({ event: { time, bound, stayed = 0, pending, deleted } }) {
	const placed = Object.keys(bound).length + stayed;
	const key = !pending.length ? "run.finished.done" : placed ? "run.finished" : "run.finished.nobody";
	return {
		eyebrow: parts("eyebrow.end"),
		sentence: parts(key, { time: num(seconds(time)), bound: num(placed), pending: num(pending.length) }),
		why: [
			...nameList("run.finished.pending", pending),
			...(pending.length && deleted.length ? [" "] : []),
			...nameList("run.finished.deleted", deleted),
		],
	};
}

/** @type {Record<string, (context: Context) => Partial<Caption>>} */
export const CAPTIONS = {
	RunStarted: runStarted,
	RunFinished: runFinished,
};

/** @param {View} view @returns {Child} */
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
			h(
				"button",
				{ key: "ask", type: "button", class: "button", on: { click: () => view.act.open("ask:run") } },
				t("ask.title"),
			),
		h("p", { key: "keys", class: "note" }, t("margin.keys")),
	);
}
