// @ts-check
/**
 * The timeline: a mark per attempt by outcome, jumps of the clock folded; drag to scrub, wheel to zoom, click to go.
 */

import { h, patch } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { podName, seconds } from "../../shared/units.js";
import { OUTCOME_MARKS } from "../../steps/parts/marks.js";

const ROUND = 17; // pixels an attempt, from which marks are round
const DENSE = 4; // below this many pixels attempts are counted in bars

export class Timeline {
	constructor() {
		/** @type {[number, number] | null} the part of the axis shown; null: all */
		this.window = null;
		this.dragging = false;
		/** @type {Map<number, number>} where each finger is; two of them zoom */
		this.fingers = new Map();
		/** @type {typeof import("./pod_lanes.js").podLanes | null} loaded when the lanes are opened */
		this.podLanes = null;
		/** @type {typeof import("./bars.js").bars | null} */
		this.barsOf = null;
		/** @type {typeof import("./hands.js").handsOn | null} */
		this.handsOn = null;
		/** What does not depend on the step is described once per axis. */
		this.kept = { axis: "", drawn: /** @type {Child[]} */ ([]) };
	}

	/** @param {View} view */
	async loadLanes(view) {
		this.podLanes = (await import("./pod_lanes.js")).podLanes;
		view.act.set({});
	}

	/** @param {View} view */
	async loadBars(view) {
		this.barsOf = (await import("./bars.js")).bars;
		view.act.set({});
	}

	async loadHands() {
		this.handsOn = (await import("./hands.js")).handsOn;
	}

	/** @param {RunIndex} index @returns {[number, number]} */
	range(index) {
		return this.window ?? [0, Math.max(1, index.width)];
	}

	/** @param {number} position @param {RunIndex} index @param {number} width */
	x(position, index, width) {
		const [from, to] = this.range(index);
		return ((position - from) / (to - from)) * width;
	}

	/** @param {RunIndex} index @param {number} from @param {number} size */
	show(index, from, size) {
		const start = Math.max(0, Math.min(from, index.width - size));
		this.window = size >= index.width ? null : [start, start + size];
	}

	/** Keep the playhead in sight. @param {RunIndex} index @param {number} position */
	follow(index, position) {
		if (!this.window || this.dragging) return;
		const [from, to] = this.window;
		if (position < from || position > to) this.show(index, position - (to - from) / 2, to - from);
	}

	/**
	 * @param {Element} target
	 * @param {View} view
	 * @returns {boolean} whether it is whole; else the lanes come with their module
	 */
	draw(target, view) {
		const { index, step, store } = view;
		const width = view.sizes.timeline;
		const total = Math.max(store.steps, view.run.steps);
		const position = index.positionOf(step, store.steps);
		this.follow(index, position);
		const unit = width / (this.range(index)[1] - this.range(index)[0]);
		const head = this.x(position, index, width);
		if (view.options.lanes && !this.podLanes) void this.loadLanes(view);
		const dense = unit < DENSE;
		if (dense && !this.barsOf) void this.loadBars(view);
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
					on: this.handsOn?.(this, target, view),
				},
				dense ? this.dense(view, width, unit) : [this.times(index, width, unit), this.marks(view, width, unit)],
				!store.complete && h("div", { key: "coming", class: "coming", title: t("run.streaming") }),
				h("div", { key: "playhead", class: "playhead", style: { left: `${head}px` } }),
				this.label(view, width, head),
			),
			view.options.lanes && this.podLanes?.(view, this, width),
		]);
		return (!view.options.lanes || this.podLanes !== null) && (!dense || this.barsOf !== null);
	}

	/** The amber pod's name over its mark. @param {View} view @param {number} width @param {number} head */
	label(view, width, head) {
		const column = view.index.columns[view.index.columnOf(view.step)];
		const text = column?.kind === "attempt" && view.hero ? podName(column.pod) : seconds(view.state.time);
		return h(
			"span",
			{ key: "label", class: "axis-label", style: { left: `${Math.max(20, Math.min(width - 20, head))}px` } },
			text,
		);
	}

	/** Columns in sight. @param {RunIndex} index */
	*visible(index) {
		const [from, to] = this.range(index);
		for (let i = 0; i < index.columns.length; i += 1) {
			if (index.edges[i + 1] < from) continue;
			if (index.edges[i] > to) return;
			yield { i, column: index.columns[i] };
		}
	}

	/** @param {View} view @param {number} width @param {number} unit */
	marks(view, width, unit) {
		const current = view.index.columnOf(view.step);
		return [...this.visible(view.index)].map(({ i, column }) => {
			const left = this.x(view.index.edges[i], view.index, width);
			const size = this.x(view.index.edges[i + 1], view.index, width) - left;
			if (column.kind === "gap") {
				const changes = column.changes.filter((change) => change.step <= view.reach);
				const nodes = changes.filter((change) => change.kind === "Node").length;
				const title = changes
					.map((change) => change.text)
					.slice(0, 12)
					.join(", ");
				const from = Math.max(0, left);
				return h("span", {
					key: `g${i}`,
					class: `gap ${changes.length ? "changed" : ""} ${nodes ? "nodes" : ""}`,
					title,
					style: { left: `${from}px`, width: `${Math.max(2, Math.min(width, left + size - 2) - from)}px` },
				});
			}
			if (left + size / 2 < 0 || left + size / 2 > width) return null; // only its edge is in sight
			const told = column.end <= view.reach;
			const outcome = (told && column.outcome) || "open";
			const round = unit >= ROUND;
			return h(
				"span",
				{
					key: `a${i}`,
					class: `mark ${outcome} ${round ? "round" : ""} ${i === current ? "now" : ""}`,
					title: titleOf(column, view.reach),
					style: { left: `${left + size / 2}px`, ...(round ? {} : { width: `${Math.max(2, size - 1.5)}px` }) },
				},
				round ? (OUTCOME_MARKS[/** @type {keyof typeof OUTCOME_MARKS} */ (outcome)] ?? "") : "",
			);
		});
	}

	/** Times and bars: the same at every step. @param {View} view @param {number} width @param {number} unit */
	dense(view, width, unit) {
		if (!this.barsOf) return null;
		const { first, next } = view.index;
		const axis = [first, next, width, view.reach, view.horizon?.step, ...this.range(view.index)].join(" ");
		if (axis !== this.kept.axis)
			this.kept = { axis, drawn: [this.times(view.index, width, unit), this.barsOf(view, this, width)] };
		return this.kept.drawn;
	}

	/**
	 * Virtual times under the axis, where there is room.
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

/** As much of an attempt as may be told. @param {AttemptColumn} column @param {number} reach */
function titleOf({ attempt, step, end, pod, node }, reach) {
	const who = step <= reach && pod ? `: ${podName(pod)}` : "";
	return `${t("attempt")} ${attempt}${who}${end <= reach && node ? ` → ${node}` : ""}`;
}
