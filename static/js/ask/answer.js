// @ts-check
/** The answer, drawn against what really happened: the outcome, nodes that changed sides, totals that moved. */

import { h } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { podName } from "../shared/units.js";
import { scoreName } from "../steps/parts/plain_words.js";

/** @typedef {import("./questions.js").Side} Side */
/** @typedef {import("./questions.js").NodeChange} NodeChange */
/** @typedef {import("./panel.js").Panel} Panel */

const MOST = 6; // of each list

/** @param {Panel} panel @returns {Child} */
export function answerView(panel) {
	const { answer, about } = panel.questions;
	if (!answer || !about) return panel.asked.attempt ? h("p", { key: "wait", class: "note" }, t("ask.wait")) : null;
	const { before, after } = answer;
	const edited = panel.questions.judged.length > 0;
	const same = told(before) === told(after);
	return h(
		"section",
		{ key: "answer", class: "ask-answer", "aria-live": "polite" },
		h(
			"dl",
			{ key: "sides", class: "ask-sides" },
			side("before", before, t("ask.really")),
			edited && side(`after ${same ? "" : "differs"}`, after, t("ask.then")),
		),
		edited && same && !answer.counts.some(Boolean) && h("p", { key: "same", class: "note" }, t("ask.same")),
		list("gained", answer.gained, answer.counts[0], gained),
		list("lost", answer.lost, answer.counts[1], lost),
		list("moved", winnersFirst(answer.moved, after.node, before.node), answer.counts[2], (one) =>
			moved(one, bestOf(answer.moved), after.node),
		),
	);
}

/** @param {Side} side */
function told({ node, nominated, victims }) {
	if (node) return t("ask.goes", { node });
	if (nominated) return t("ask.evicts", { pods: victims.map(podName).join(", "), node: nominated });
	return t("ask.waits");
}

/** @param {string} kind @param {Side} one @param {string} label */
function side(kind, one, label) {
	return h(
		"div",
		{ key: kind.split(" ")[0], class: `ask-side ${kind} ${one.node || one.nominated ? "" : "none"}` },
		h("dt", null, label),
		h("dd", null, h("b", null, told(one)), !one.node && one.message && h("small", { class: "raw" }, one.message)),
	);
}

/** @param {string} key @param {NodeChange[]} all @param {number} count @param {(one: NodeChange) => Child} draw */
function list(key, all, count, draw) {
	if (!count) return null;
	return h(
		"section",
		{ key, class: `ask-changes ${key}` },
		h("h3", null, t(`ask.${key}`, { n: count })),
		h("ul", null, all.slice(0, MOST).map(draw)),
		count > MOST && h("p", { class: "note" }, t("list.more", { n: count - MOST })),
	);
}

/** @param {NodeChange} one */
function gained(one) {
	return h("li", { key: one.node }, h("b", { class: "yes" }, `✓ ${one.node}`), " ", h("s", null, one.before));
}

/** @param {NodeChange} one */
function lost(one) {
	return h("li", { key: one.node }, h("b", { class: "no" }, `✕ ${one.node}`), " ", one.after);
}

/** The nodes that are and were taken, before the others. @param {NodeChange[]} all @param {string[]} taken */
function winnersFirst(all, ...taken) {
	const place = (/** @type {NodeChange} */ { node }) => (taken.includes(node) ? taken.indexOf(node) : taken.length);
	return [...all].sort((a, b) => place(a) - place(b));
}

/** @param {NodeChange[]} all */
function bestOf(all) {
	return Math.max(1, ...all.flatMap((one) => [one.total_before ?? 0, one.total_after ?? 0]));
}

/** Two bars, the old one above the new one. @param {NodeChange} one @param {number} best @param {string} winner */
function moved(one, best, winner) {
	const bar = (/** @type {string} */ key, /** @type {number | null | undefined} */ total) =>
		h("i", { key, class: `ask-bar ${key}`, style: { width: `${((total ?? 0) / best) * 100}%` } });
	const why = (one.scores ?? [])
		.slice(0, 3)
		.map(([plugin, old, now]) => `${scoreName(plugin)} ${old ?? "–"} → ${now ?? "–"}`);
	return h(
		"li",
		{ key: one.node },
		h(
			"span",
			{ class: "ask-total" },
			h("b", null, `${one.node === winner ? "★ " : ""}${one.node}`),
			` ${one.total_before ?? "–"} → ${one.total_after ?? "–"}`,
		),
		h("span", { class: "ask-bars", "aria-hidden": "true" }, bar("old", one.total_before), bar("new", one.total_after)),
		h("small", null, why.join(t("list.comma"))),
	);
}
