// @ts-check
/** The timeline opened: one row per pod, where it was at each attempt, and a chip for each of its own attempts. */

import { button, h } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { podName, rampStyle, widthOf } from "../shared/units.js";
import { OUTCOME_MARKS } from "../steps/parts/words.js";

const MOST_ROWS = 60;
const LINES = ["active", "backoff", "unschedulable", "gated", "waiting", "binding", "bound"];
const ROW = 20; // pixels
const KEY = 28;
const LETTER = 7.6;
const MOST_NAME = 120;
const MARK = 18; // pixels from which a chip has its mark

/** @param {View} view @param {Timeline} timeline @param {number} width */
export function podLanes(view, timeline, width) {
	const rows = [...view.index.moves]
		.map(([pod, moves]) => /** @type {const} */ ([pod, moves.filter((move) => move.step <= view.reach)]))
		.filter(([, moves]) => moves.some((move) => move.place !== "gone"));
	const from = firstRow(
		view,
		rows.map(([pod]) => pod),
	);
	const height = `${view.index.moves.size * ROW + KEY}px`; // of all pods of the run: the stage stays as it is
	return h(
		"div",
		{
			key: "lanes",
			class: "pod-lanes",
			tabindex: "0",
			role: "list",
			"aria-label": t("lanes.title"),
			style: { height },
		},
		rows.slice(from, from + MOST_ROWS).map(([pod, moves]) => row(view, timeline, width, pod, moves)),
		key(rows),
		rows.length > MOST_ROWS && h("p", { key: "more" }, t("list.more", { n: rows.length - MOST_ROWS })),
		h("div", {
			key: "head",
			class: "playhead",
			style: { left: `${timeline.x(view.index.positionOf(view.step, view.store.steps), view.index, width)}px` },
		}),
	);
}

/** The legend of the lines, for the places that pods were in. @param {(readonly [string, Move[]])[]} rows */
function key(rows) {
	const places = new Set(rows.flatMap(([, moves]) => moves.map((move) => move.place)));
	return h(
		"p",
		{ key: "key", class: "lanes-key" },
		LINES.filter((place) => places.has(place)).map((place) =>
			h("span", { key: place }, h("i", { class: `lane-stay ${place}` }), t(`place.${place}`)),
		),
	);
}

/** With many pods the rows around the amber one are shown. @param {View} view @param {string[]} pods */
function firstRow(view, pods) {
	if (pods.length <= MOST_ROWS) return 0;
	return Math.max(0, Math.min(pods.indexOf(view.hero) - MOST_ROWS / 2, pods.length - MOST_ROWS));
}

/**
 * @param {View} view
 * @param {Timeline} timeline
 * @param {number} width
 * @param {string} pod
 * @param {Move[]} moves
 */
function row(view, timeline, width, pod, moves) {
	const { index } = view;
	const x = (/** @type {number} */ step) => timeline.x(index.positionOf(step, view.store.steps), index, width);
	const end = view.horizon
		? x(view.step)
		: view.reach < view.store.steps
			? x(view.reach)
			: timeline.x(index.width, index, width);
	const [low, high] = [0, width];
	const priority = view.state.pods.get(pod)?.summary.priority ?? 0;
	return h(
		"div",
		{ key: pod, role: "listitem", class: `pod-lane ${pod === view.hero ? "mine" : ""}` },
		moves.map((move, i) => {
			const from = Math.max(low, x(move.step));
			const to = Math.min(high, moves[i + 1] ? x(moves[i + 1].step) : end);
			if (to <= from || move.place === "gone" || move.place === "scheduling") return null;
			return h("span", {
				key: `m${i}`,
				class: `lane-stay ${move.place}`,
				title: t(`place.${move.place}`),
				style: { left: `${from}px`, width: `${to - from}px` },
			});
		}),
		moves.filter((move) => move.place === "scheduling").map((move) => chip(view, timeline, width, pod, move)),
		button(
			() => view.act.select({ kind: "pod", name: pod }),
			{ key: "name", class: "pod-lane-name", style: rampStyle(priority) },
			podName(pod),
		),
	);
}

/**
 * @param {View} view
 * @param {Timeline} timeline
 * @param {number} width
 * @param {string} pod
 * @param {Move} move
 */
function chip(view, timeline, width, pod, move) {
	const column = view.index.columns[move.column];
	if (column.kind !== "attempt") return null;
	const left = timeline.x(view.index.edges[move.column], view.index, width);
	const right = timeline.x(view.index.edges[move.column + 1], view.index, width);
	if (right < 0 || left > width) return null;
	const outcome = column.end <= view.reach ? column.outcome : null;
	const mark = OUTCOME_MARKS[/** @type {keyof typeof OUTCOME_MARKS} */ (outcome ?? "")] ?? "…";
	const text = `${mark} ${(outcome && column.node) || t(`outcome.short.${outcome ?? "open"}`)}`;
	const covered = Math.max(0, Math.min(MOST_NAME, podName(pod).length * LETTER + 12) - left); // by the pod's name
	const room = right - left - covered;
	return button(
		() => view.act.seek(column.step),
		{
			key: `c${move.step}`,
			class: `chip-attempt ${outcome ?? ""}`,
			title: `${t("attempt")} ${column.attempt}`,
			style: {
				left: `${left}px`,
				width: `${Math.max(8, right - left - 1)}px`,
				"padding-left": covered ? `${covered + 3}px` : "",
			},
		},
		room > widthOf(text) * LETTER + MARK ? text : room > MARK ? mark : "",
	);
}
