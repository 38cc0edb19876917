// @ts-check
/**
 * The timeline: a block per attempt with its outcome, and folded jumps of the clock. Drag to scrub, use the wheel to
 * zoom, click to go to a step. The mark of the current attempt moves with the playhead. When opened, it has a row per
 * pod, which shows where the pod was at each attempt, and a chip for each of the pod's own attempts.
 */

import { button, h, patch } from "../shared/dom.js";
import { list, plain, t } from "../shared/i18n.js";
import { shortPod } from "../shared/names.js";
import { nameInKey, rampStyle, seconds, widthOf } from "../shared/units.js";
import { podLabel } from "../steps/parts/pods.js";
import { OUTCOME_MARKS } from "../steps/parts/words.js";
import { lastUpTo } from "../trace/run_index.js";

const ROUND = 17; // pixels per attempt, from which marks are round
const RADIUS = 10; // pixels of a round mark
const MAX_NAMES = 6;
const MAX_CHANGES = 12; // in the title of a jump of the clock
/** The position of the signs in a column, from 0 to 1. @type {Record<Act["kind"], number>} */
const ACT_PLACES = { deleted: 0.3, created: 0.5, node: 0.7 };
const DENSE = 4; // below this many pixels attempts are counted in bars

export class Timeline {
	constructor() {
		/** @type {[number, number] | null} the part of the axis shown; null: all */
		this.window = null;
		this.dragging = false;
		/** @type {Map<number, number>} position of each finger; two of them zoom */
		this.fingers = new Map();
		/** Parts that do not depend on the step are created once per axis. */
		this.kept = { axis: "", drawn: /** @type {Child[]} */ ([]) };
	}

	/** The first and the last position that is visible. @param {RunIndex} index @returns {[number, number]} */
	range(index) {
		return this.window ?? [0, Math.max(1, index.width)];
	}

	/**
	 * The distance in pixels from the left edge.
	 * @param {number} position @param {RunIndex} index @param {number} width
	 */
	x(position, index, width) {
		const [from, to] = this.range(index);
		return ((position - from) / (to - from)) * width;
	}

	/**
	 * Shows `size` positions from `from` on; all, if there are no more.
	 * @param {RunIndex} index @param {number} from @param {number} size
	 */
	show(index, from, size) {
		const start = Math.max(0, Math.min(from, index.width - size));
		this.window = size >= index.width ? null : [start, start + size];
	}

	/** Scrolls so that the playhead stays visible. @param {RunIndex} index @param {number} position */
	follow(index, position) {
		if (!this.window || this.dragging) return;
		const [from, to] = this.window;
		if (position < from || position > to) this.show(index, position - (to - from) / 2, to - from);
	}

	/**
	 * Draws the timeline with its playhead, and the rows of pods if they are shown.
	 * @param {Element} target @param {View} view
	 */
	draw(target, view) {
		const { index, step, store } = view;
		const width = view.sizes.timeline;
		const total = Math.max(store.steps, view.run.steps);
		const position = positionOf(view);
		this.follow(index, position);
		const unit = width / (this.range(index)[1] - this.range(index)[0]);
		const head = this.x(position, index, width);
		const dense = unit < DENSE;
		patch(target, [
			h(
				"div",
				{
					key: "axis",
					class: "axis",
					role: "slider",
					tabindex: "0",
					"aria-label": t("timeline"),
					"aria-valuemin": "0",
					"aria-valuemax": String(Math.max(0, total - 1)),
					"aria-valuenow": String(step),
					"aria-valuetext": t("timeline.value", { step, time: seconds(view.state.time), attempt: view.state.attempt }),
					on: axisHandlers(this, target, view),
				},
				dense
					? this.dense(view, width, unit)
					: [this.times(index, width, unit), this.marks(view, width, unit, head), this.acts(view, width)],
				!store.complete && h("div", { key: "coming", class: "coming", title: t("run.streaming") }),
				h("div", { key: "playhead", class: "playhead", style: { left: `${head}px` } }),
				this.label(view, width, head),
			),
			view.options.lanes && podLanes(view, this, width),
		]);
	}

	/**
	 * The label over the playhead: the subject's name, or the time.
	 * @param {View} view @param {number} width @param {number} head
	 */
	label(view, width, head) {
		const column = view.index.columns[view.index.columnOf(view.step)];
		const text = column?.kind === "attempt" && view.subject ? shortPod(view.subject) : seconds(view.state.time);
		return h(
			"span",
			{ key: "label", class: "axis-label", style: { left: `${Math.max(20, Math.min(width - 20, head))}px` } },
			text,
		);
	}

	/** Yields the visible columns. @param {RunIndex} index */
	*visible(index) {
		const [from, to] = this.range(index);
		for (let i = 0; i < index.columns.length; i += 1) {
			if (index.edges[i + 1] < from) continue;
			if (index.edges[i] > to) return;
			yield { i, column: index.columns[i] };
		}
	}

	/**
	 * One mark for each visible column: an attempt, or the time between two.
	 * @param {View} view @param {number} width @param {number} unit @param {number} head
	 */
	marks(view, width, unit, head) {
		const current = view.index.columnOf(view.step);
		const acted = new Set(view.index.acts.map(({ column }) => column)); // these have signs
		return [...this.visible(view.index)].map(({ i, column }) => {
			const left = this.x(view.index.edges[i], view.index, width);
			const size = this.x(view.index.edges[i + 1], view.index, width) - left;
			if (column.kind === "gap") {
				const changes = column.changes.filter((change) => change.step <= view.reach);
				const nodes = changes.filter((change) => change.kind === "Node").length;
				const title = changes
					.map((change) => change.text)
					.slice(0, MAX_CHANGES)
					.join(", ");
				const from = Math.max(0, left);
				return h("span", {
					key: `g${i}`,
					class: `gap ${changes.length && !acted.has(i) ? "changed" : ""} ${nodes ? "nodes" : ""}`,
					title,
					style: { left: `${from}px`, width: `${Math.max(2, Math.min(width, left + size - 2) - from)}px` },
				});
			}
			if (left + size / 2 < 0 || left + size / 2 > width) return null; // its middle is out of sight
			const mayShow = column.end <= view.reach;
			const outcome = (mayShow && column.outcome) || "open";
			const round = unit >= ROUND;
			const end = Math.min(size / 2, RADIUS) + 3;
			const place = !round ? size / 2 : i < current ? size - end : i > current ? end - 3 : head - left;
			return [
				round && h("i", { key: `s${i}`, class: "span", style: { left: `${left}px`, width: `${size - 3}px` } }),
				h(
					"span",
					{
						key: `a${i}`,
						class: `mark ${outcome} ${round ? "round" : ""} ${i === current ? "now" : ""}`,
						title: attemptTitle(column, view.reach),
						style: { left: `${left + place}px`, ...(round ? {} : { width: `${Math.max(2, size - 1.5)}px` }) },
					},
					round ? (OUTCOME_MARKS[/** @type {keyof typeof OUTCOME_MARKS} */ (outcome)] ?? "") : "",
				),
			];
		});
	}

	/**
	 * A sign for each kind of action by other actors, in its column.
	 * @param {View} view @param {number} width
	 */
	acts(view, width) {
		/** @type {Map<string, {kind: Act["kind"], column: number, names: string[]}>} */
		const marks = new Map();
		for (const { column, kind, step, name } of view.index.acts) {
			if (step > view.reach) break;
			const key = `${column}${kind}`;
			const mark = marks.get(key) ?? { kind, column, names: [] };
			marks.set(key, { ...mark, names: [...mark.names, name] });
		}
		return [...marks].map(([key, { kind, column, names }]) => {
			const [from, to] = [0, 1].map((edge) => this.x(view.index.edges[column + edge], view.index, width));
			const left = from + (to - from) * ACT_PLACES[kind];
			if (left < 0 || left > width) return null;
			const title = t(`act.${kind}`, { names: plain(list(names.map(shortPod), MAX_NAMES)) });
			return h("i", { key: `act${key}`, class: `act ${kind}`, title, style: { left: `${left}px` } });
		});
	}

	/**
	 * The times and bars, which are the same at every step.
	 * @param {View} view
	 * @param {number} width
	 * @param {number} unit
	 */
	dense(view, width, unit) {
		const { first, next } = view.index;
		const axis = [first, next, width, view.reach, view.horizon?.step, ...this.range(view.index)].join(" ");
		if (axis !== this.kept.axis)
			this.kept = { axis, drawn: [this.times(view.index, width, unit), outcomeBars(view, this, width)] };
		return this.kept.drawn;
	}

	/**
	 * Virtual times under the axis, if they fit.
	 * @param {RunIndex} index
	 * @param {number} width
	 * @param {number} unit
	 */
	times(index, width, unit) {
		/** @type {Child[]} */
		const out = [];
		let free = -Infinity;
		for (const { i, column } of this.visible(index)) {
			if (column.kind !== "gap") continue;
			const x = this.x(index.edges[i], index, width) + (i ? (unit * 0.7) / 2 : 0);
			if (x < free || x > width - 12) continue;
			free = x + 50;
			out.push(
				h(
					"span",
					{ key: `t${i}`, class: `time ${i ? "" : "first"}`, style: { left: `${x}px` } },
					seconds(column.time).replace(".0 s", " s"),
				),
			);
		}
		return out;
	}
}

/**
 * The title of an attempt; its pod and node only if they may be shown.
 * @param {AttemptColumn} column @param {number} reach
 */
function attemptTitle({ attempt, step, end, pod, node }, reach) {
	const who = step <= reach && pod ? `: ${nameInKey(pod)}` : "";
	return `${t("attempt")} ${attempt}${who}${end <= reach && node ? ` → ${node}` : ""}`;
}

/**
 * The outcomes of the attempts as narrow bars, for when there are too many attempts to draw each.
 * @param {View} view @param {Timeline} line @param {number} width
 */
export function outcomeBars(view, line, width) {
	const size = 5; // pixels
	/** @type {{good: number, bad: number}[]} outcomes that may not be shown count as good */
	const buckets = Array.from({ length: Math.ceil(width / size) }, () => ({ good: 0, bad: 0 }));
	for (const { i, column } of line.visible(view.index)) {
		if (column.kind !== "attempt") continue;
		const bucket = buckets[Math.floor(line.x(view.index.edges[i] + 0.5, view.index, width) / size)];
		if (bucket)
			bucket[column.outcome === "Scheduled" || !column.outcome || column.end > view.reach ? "good" : "bad"] += 1;
	}
	const most = Math.max(1, ...buckets.map((bucket) => bucket.good + bucket.bad));
	const path = (/** @type {(bucket: {good: number, bad: number}) => [number, number]} */ rangeOf) =>
		buckets
			.map((bucket, i) => {
				const [low, high] = rangeOf(bucket);
				const [from, to] = [low, high].map((n) => 44 - (n / most) * 26);
				return high > low ? `M${i * size} ${from}V${to}H${i * size + size - 1}V${from}Z` : "";
			})
			.join("");
	return h(
		"svg",
		{ key: "bars", class: "mark-bars", "aria-hidden": "true" },
		h("path", { class: "bar-good", d: path((bucket) => [0, bucket.good]) }),
		h("path", { class: "bar-bad", d: path((bucket) => [bucket.good, bucket.good + bucket.bad]) }),
	);
}

/** The position of the playhead; the frames of a step follow each other within it. @param {View} view */
function positionOf({ index, store, player, step, frame }) {
	return index.positionOf(step, store.steps, (frame + 0.5) / player.frames(step));
}

/**
 * The step at a position on the axis, and the share of the step before the position.
 * @param {RunIndex} index
 * @param {number} position
 * @param {number} steps
 * @returns {[number, number]}
 */
function stepAt({ columns, edges }, position, steps) {
	const i = lastUpTo(columns.length, (at) => edges[at] <= position);
	const first = columns[i].step;
	const end = columns[i + 1]?.step ?? steps;
	const part = (position - edges[i]) / (edges[i + 1] - edges[i]);
	const exact = Math.max(0, first + Math.max(0, Math.min(0.999, part)) * (end - first));
	const step = Math.min(steps - 1, Math.floor(exact));
	return [step, exact - step];
}

/**
 * Zooms about a position.
 * @param {Timeline} line
 * @param {RunIndex} index
 * @param {number} factor of the visible part: below 1, it zooms in
 * @param {number} about share of the width
 */
export function zoom(line, index, factor, about) {
	const [from, to] = line.range(index);
	const size = Math.min(index.width, Math.max(4, (to - from) * factor));
	line.show(index, from + (to - from) * about - size * about, size);
}

/**
 * Zooms with two fingers, around the point between them.
 * @param {Timeline} line
 * @param {Element} target
 * @param {View} view
 * @param {PointerEvent} event
 */
function pinch(line, target, view, event) {
	const apart = () => Math.max(8, Math.abs([...line.fingers.values()].reduce((a, b) => a - b)));
	const before = apart();
	line.fingers.set(event.pointerId, event.clientX);
	const box = target.getBoundingClientRect();
	const middle = [...line.fingers.values()].reduce((a, b) => a + b) / 2;
	zoom(line, view.index, before / apart(), (middle - box.left) / box.width);
	view.act.set({});
}

/**
 * The handlers of the pointer and the wheel: they move the playhead, scroll and zoom.
 * @param {Timeline} line @param {Element} target @param {View} view
 */
export function axisHandlers(line, target, view) {
	const go = (/** @type {PointerEvent} */ event) => {
		const box = target.getBoundingClientRect();
		const [from, to] = line.range(view.index);
		const position = from + ((event.clientX - box.left) / box.width) * (to - from);
		const [step, part] = stepAt(view.index, position, view.store.steps);
		view.act.seek(step, Math.floor(part * view.player.frames(step)));
	};
	const lift = (/** @type {PointerEvent} */ event) => {
		line.fingers.delete(event.pointerId);
		line.dragging = false;
	};
	return {
		pointerdown: (/** @type {PointerEvent} */ event) => {
			line.fingers.set(event.pointerId, event.clientX);
			line.dragging = line.fingers.size === 1;
			/** @type {Element} */ (event.currentTarget).setPointerCapture(event.pointerId);
			if (line.dragging) go(event);
		},
		pointermove: (/** @type {PointerEvent} */ event) => {
			if (line.fingers.size === 2) pinch(line, target, view, event);
			else if (line.dragging) go(event);
		},
		pointerup: lift,
		pointercancel: lift,
		dblclick: () => {
			line.window = null;
			view.act.set({});
		},
		wheel: (/** @type {WheelEvent} */ event) => {
			event.preventDefault();
			const box = target.getBoundingClientRect();
			const [from, to] = line.range(view.index);
			if (Math.abs(event.deltaX) > Math.abs(event.deltaY))
				line.show(view.index, from + (event.deltaX / box.width) * (to - from), to - from);
			else zoom(line, view.index, event.deltaY > 0 ? 1.25 : 0.8, (event.clientX - box.left) / box.width);
			view.act.set({});
		},
	};
}

const MAX_ROWS = 60;
const LINES = ["active", "backoff", "unschedulable", "gated", "waiting", "binding", "bound"];
const ROW = 20; // pixels
const KEY = 28; // pixels of the legend
const LETTER = 7.6; // pixels
const MAX_NAME = 120; // pixels
const MARK = 18; // pixels from which a chip has its mark

/**
 * The rows of the pods, MAX_ROWS at most, with the legend and the playhead.
 * @param {View} view @param {Timeline} timeline @param {number} width
 */
function podLanes(view, timeline, width) {
	const rows = [...view.index.moves]
		.map(([pod, moves]) => /** @type {const} */ ([pod, moves.filter((move) => move.step <= view.reach)]))
		.filter(([, moves]) => moves.some((move) => move.place !== "gone"));
	const from = firstRow(
		view,
		rows.map(([pod]) => pod),
	);
	// for all pods of the run, so that the stage keeps its size
	const height = `${view.index.moves.size * ROW + KEY}px`;
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
		rows.slice(from, from + MAX_ROWS).map(([pod, moves]) => podLane(view, timeline, width, pod, moves)),
		lanesLegend(rows),
		rows.length > MAX_ROWS && h("p", { key: "more" }, t("list.more", { n: rows.length - MAX_ROWS })),
		h("div", {
			key: "head",
			class: "playhead",
			style: { left: `${timeline.x(positionOf(view), view.index, width)}px` },
		}),
	);
}

/** The legend of the lines, for the places that pods were in. @param {(readonly [string, Move[]])[]} rows */
function lanesLegend(rows) {
	const places = new Set(rows.flatMap(([, moves]) => moves.map((move) => move.place)));
	return h(
		"p",
		{ key: "key", class: "lanes-key" },
		LINES.filter((place) => places.has(place)).map((place) =>
			h("span", { key: place }, h("i", { class: `lane-stay ${place}` }), t(`place.${place}`)),
		),
	);
}

/**
 * The index of the first row to show; with many pods, the subject's row is in the middle.
 * @param {View} view @param {string[]} pods
 */
function firstRow(view, pods) {
	if (pods.length <= MAX_ROWS) return 0;
	return Math.max(0, Math.min(pods.indexOf(view.subject) - MAX_ROWS / 2, pods.length - MAX_ROWS));
}

/**
 * The row of one pod: where it was at each time, and its attempts.
 * @param {View} view
 * @param {Timeline} timeline
 * @param {number} width
 * @param {string} pod
 * @param {Move[]} moves
 */
function podLane(view, timeline, width, pod, moves) {
	const { index } = view;
	const x = (/** @type {number} */ step) => timeline.x(index.positionOf(step, view.store.steps), index, width);
	const end = view.horizon
		? x(view.step)
		: view.reach < view.store.steps
			? x(view.reach)
			: timeline.x(index.width, index, width);
	const priority = view.state.pods.get(pod)?.summary.priority ?? 0;
	return h(
		"div",
		{ key: pod, role: "listitem", class: `pod-lane ${pod === view.subject ? "mine" : ""}` },
		moves.map((move, i) => {
			const from = Math.max(0, x(move.step));
			const to = Math.min(width, moves[i + 1] ? x(moves[i + 1].step) : end);
			if (to <= from || move.place === "gone" || move.place === "scheduling") return null;
			return h("span", {
				key: `m${i}`,
				class: `lane-stay ${move.place}`,
				title: t(`place.${move.place}`),
				style: { left: `${from}px`, width: `${to - from}px` },
			});
		}),
		moves.filter((move) => move.place === "scheduling").map((move) => attemptChip(view, timeline, width, pod, move)),
		button(
			() => view.act.select({ kind: "pod", name: pod }),
			{ key: "name", class: "pod-lane-name", style: rampStyle(priority) },
			podLabel(pod),
		),
	);
}

/**
 * The button for an attempt of a pod in its row; null if the column is not an attempt, or is out of sight.
 * @param {View} view
 * @param {Timeline} timeline
 * @param {number} width
 * @param {string} pod
 * @param {Move} move
 */
function attemptChip(view, timeline, width, pod, move) {
	const column = view.index.columns[move.column];
	if (column.kind !== "attempt") return null;
	const left = timeline.x(view.index.edges[move.column], view.index, width);
	const right = timeline.x(view.index.edges[move.column + 1], view.index, width);
	if (right < 0 || left > width) return null;
	const outcome = column.end <= view.reach ? column.outcome : null;
	const mark = OUTCOME_MARKS[/** @type {keyof typeof OUTCOME_MARKS} */ (outcome ?? "")] ?? "…";
	const text = `${mark} ${(outcome && column.node) || t(`outcome.short.${outcome ?? "open"}`)}`;
	// pixels covered by the pod's name
	const covered = Math.max(0, Math.min(MAX_NAME, shortPod(pod).length * LETTER + 12) - left);
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
