// @ts-check
/** Compares the answer with the run: the outcome, nodes that fit now or no longer, and changed totals. */

import { cornerOf, rowsOf, SIZE } from "../chrome/rows.js";
import { h, patch } from "../shared/dom.js";
import { parts, t } from "../shared/i18n.js";
import { nameInKey } from "../shared/units.js";
import { node, pod, scoreName } from "../steps/parts/words.js";

/** @typedef {import("./questions.js").Side} Side */
/** @typedef {import("./questions.js").NodeChange} NodeChange */
/** @typedef {import("./panel.js").Panel} Panel */

const MOST = 6; // of each list
const TOTALS = 110; // pixels at a row's end, where Score has its totals

/**
 * The section with the outcome before and after the edits, and the nodes that differ; a note until they are known; null
 * if no attempt was asked about, or the request failed.
 * @param {Panel} panel @returns {Child}
 */
export function answerView(panel) {
	const { answer, about, problem } = panel.questions;
	if (!answer || !about)
		return panel.asked.attempt && !problem ? h("p", { key: "wait", class: "note" }, t("ask.wait")) : null;
	const { before, after } = answer;
	const edited = panel.questions.judged.length > 0;
	const same = placeWords(before) === placeWords(after);
	return h(
		"section",
		{ key: "answer", class: "ask-answer", "aria-live": "polite" },
		h(
			"dl",
			{ key: "sides", class: "ask-sides" },
			outcomeSide("before", before, t("ask.really")),
			edited && outcomeSide(`after ${same ? "" : "differs"}`, after, t("ask.then")),
		),
		edited && same && !answer.counts.some(Boolean) && h("p", { key: "same", class: "note" }, t("ask.same")),
		changeList("gained", answer.gained, answer.counts[0], gainedRow),
		changeList("lost", answer.lost, answer.counts[1], lostRow),
		changeList("moved", winnersFirst(answer.moved, after.node, before.node), answer.counts[2], (row) =>
			totalsRow(row, bestOf(answer.moved), after.node),
		),
	);
}

/** Where the pod goes, whom it evicts for that, or that it waits, in words. @param {Side} side */
function placeWords({ node, nominated, victims }) {
	if (node) return t("ask.goes", { node });
	if (nominated) return t("ask.evicts", { pods: victims.map(nameInKey).join(", "), node: nominated });
	return t("ask.waits");
}

/** The entry with the result before or after the edits. @param {string} kind @param {Side} row @param {string} label */
function outcomeSide(kind, row, label) {
	return h(
		"div",
		{ key: kind.split(" ")[0], class: `ask-side ${kind} ${row.node || row.nominated ? "" : "none"}` },
		h("dt", null, label),
		h("dd", null, h("b", null, placeWords(row)), !row.node && row.message && h("small", { class: "raw" }, row.message)),
	);
}

/**
 * A section with the first of `count` changed nodes; null if there are none.
 * @param {string} key @param {NodeChange[]} all @param {number} count @param {(row: NodeChange) => Child} draw
 */
function changeList(key, all, count, draw) {
	if (!count) return null;
	return h(
		"section",
		{ key, class: `ask-changes ${key}` },
		h("h3", null, t(`ask.${key}`, { n: count })),
		h("ul", null, all.slice(0, MOST).map(draw)),
		count > MOST && h("p", { class: "note" }, t("list.more", { n: count - MOST })),
	);
}

/** A node that becomes feasible, with the reason for its earlier rejection. @param {NodeChange} row */
function gainedRow(row) {
	return h("li", { key: row.node }, h("b", { class: "yes" }, `✓ ${row.node}`), " ", h("s", null, row.before));
}

/** A node that becomes infeasible, with the reason. @param {NodeChange} row */
function lostRow(row) {
	return h("li", { key: row.node }, h("b", { class: "no" }, `✕ ${row.node}`), " ", row.after);
}

/** The changes with those of the chosen nodes first. @param {NodeChange[]} all @param {string[]} taken */
function winnersFirst(all, ...taken) {
	const place = (/** @type {NodeChange} */ { node }) => (taken.includes(node) ? taken.indexOf(node) : taken.length);
	return [...all].sort((a, b) => place(a) - place(b));
}

/** The highest total before or after, at least 1. @param {NodeChange[]} all */
function bestOf(all) {
	return Math.max(1, ...all.flatMap((row) => [row.total_before ?? 0, row.total_after ?? 0]));
}

/** A bar for a total. @param {string} key @param {number | null | undefined} total @param {number} best */
function bar(key, total, best) {
	return h("i", { key, class: `ask-bar ${key}`, style: { width: `${((total ?? 0) / best) * 100}%` } });
}

/** Two bars, the old one above the new one. @param {NodeChange} row @param {number} best @param {string} winner */
function totalsRow(row, best, winner) {
	const why = (row.scores ?? [])
		.slice(0, 3)
		.map(([plugin, old, now]) => `${scoreName(plugin)} ${old ?? "–"} → ${now ?? "–"}`);
	return h(
		"li",
		{ key: row.node },
		h(
			"span",
			{ class: "ask-total" },
			h("b", null, `${row.node === winner ? "★ " : ""}${row.node}`),
			` ${row.total_before ?? "–"} → ${row.total_after ?? "–"}`,
		),
		h(
			"span",
			{ class: "ask-bars", "aria-hidden": "true" },
			bar("old", row.total_before, best),
			bar("new", row.total_after, best),
		),
		h("small", null, why.join(t("list.comma"))),
	);
}

/** @typedef {Map<string, "gained" | "lost" | "winner">} Marks */

/**
 * The outcome of the what-if as the headline, with the run's outcome below it.
 * @param {import("./questions.js").Judgement} answer
 * @param {Part[]} changes in words; [] if they are not shown
 */
export function headline({ pod: key, before, after }, changes) {
	const kind = after.node ? "goes" : after.nominated ? "evicts" : "waits";
	const values = {
		pod: pod(key, key),
		node: node(after.node || after.nominated),
		pods: after.victims.map(nameInKey).join(", "),
	};
	return {
		eyebrow: changes.length ? changes : [t("ask.title")],
		sentence: parts(`ask.would.${kind}`, values),
		why: [`${t("ask.really")}${t("colon")}${placeWords(before)}`],
	};
}

/** @type {HTMLElement | null} */
let layer = null;

/**
 * Draws the result over the rows: totals before and after, and the pod at its new node.
 * @param {View} view @param {import("./questions.js").Judgement | null} answer
 */
function drawAnswerRows(view, answer) {
	const root = document.getElementById("player");
	if (!root || (!answer && !layer)) return;
	if (!layer) {
		layer = document.createElement("section");
		layer.id = "answer-rows";
		layer.setAttribute("aria-hidden", "true"); // the panel contains the same
		root.querySelector("#stage")?.after(layer);
	}
	const goes = answer?.after.node || answer?.after.nominated || "";
	const differs = goes !== (answer?.before.node || answer?.before.nominated || "");
	const rows = new Map((answer?.moved ?? []).map((row) => [row.node, row]));
	if (goes && differs && !rows.has(goes)) rows.set(goes, /** @type {any} */ ({ node: goes }));
	const best = bestOf([...rows.values()]);
	const totals = (/** @type {any} */ row) => view.scene === "score" && (row.total_after ?? null) !== null;
	const shown = [...rows.values()].filter((row) => totals(row) || (row.node === goes && differs));
	const boxes = rowsOf(
		root,
		shown.map((row) => ({ key: row.node, kind: "node" })),
	);
	const stage = root.querySelector("#stage")?.getBoundingClientRect();
	patch(
		layer,
		shown.flatMap((row, i) => {
			const box = boxes[i];
			if (!box || !stage || box.bottom > stage.bottom + 1 || box.top < stage.top - 1) return [];
			const { left, top } = cornerOf(root, box);
			const style = { left: `${left + SIZE - (view.scene === "score" ? TOTALS : 0)}px`, top: `${top + SIZE / 2}px` };
			return h(
				"div",
				{ key: row.node, class: "answer-row", style },
				row.node === goes && differs && h("b", { key: "pod", class: "answer-pod" }, nameInKey(answer?.pod ?? "")),
				totals(row) && [
					h(
						"span",
						{ key: "bars", class: "ask-bars" },
						bar("old", row.total_before, best),
						bar("new", row.total_after, best),
					),
					h("span", { key: "n" }, `${row.total_before ?? "–"} → ${row.total_after}`),
				],
			);
		}),
	);
}

/**
 * Marks the nodes in the picture whose result the edits change; without an answer, removes the marks.
 * @param {View} view @param {import("./questions.js").Judgement | null} answer
 */
export function markStage(view, answer) {
	drawAnswerRows(view, answer);
	const marks = marksOf(answer);
	for (const element of document.querySelectorAll("#stage [data-node]")) {
		const mark = marks.get(element.getAttribute("data-node") ?? "");
		if (mark) {
			element.setAttribute("data-asked", mark);
			element.setAttribute("data-asked-label", t(`ask.mark.${mark}`));
		} else if (element.hasAttribute("data-asked")) {
			element.removeAttribute("data-asked");
			element.removeAttribute("data-asked-label");
		}
	}
	// cells are not elements: their canvas draws the marks
	document.querySelector("#stage canvas")?.dispatchEvent(new CustomEvent("asked", { detail: marks }));
}

/**
 * The marks by node: it becomes feasible, becomes infeasible, or is chosen instead of another.
 * @param {import("./questions.js").Judgement | null} answer @returns {Marks}
 */
export function marksOf(answer) {
	/** @type {Marks} */
	const marks = new Map();
	if (!answer) return marks;
	const { before, after, gained, lost, more = [[], []] } = answer;
	for (const name of [...gained.map((row) => row.node), ...more[0]]) marks.set(name, "gained");
	for (const name of [...lost.map((row) => row.node), ...more[1]]) marks.set(name, "lost");
	const node = after.node || after.nominated;
	if (node && node !== (before.node || before.nominated)) marks.set(node, "winner");
	return marks;
}
