// @ts-check
/**
 * The canvas of cells, one per node; they are selected by pointer or keyboard, zoomed with the wheel and moved by
 * dragging.
 */

import { t } from "../../shared/i18n.js";
import { count } from "../../shared/units.js";
import { allocatable, used } from "../../trace/room.js";
import { nodesSeen, PASSED } from "../filter/model.js";
import { plainReason } from "../parts/words.js";

/** @typedef {"unseen" | "alive" | "solid" | "final" | "pending"} Look */

const MAX_ZOOM = 12;

export class CellField {
	constructor() {
		this.scale = 1;
		this.left = 0;
		this.top = 0;
		this.cursor = -1;
		this.grid = { columns: 1, size: 8 };
		this.size = { width: 0, height: 0 };
		/** @type {View | null} */
		this.view = null;
		/** @type {Filtered | null} */
		this.model = null;
		/** @type {Set<string> | null} nodes of the picked reason: only they are drawn */
		this.picked = null;
		/** @type {import("../../what_if/result.js").Marks} what a "what if" changes */
		this.marks = new Map();
		/** @type {HTMLCanvasElement | null} */
		this.canvas = null;
		/** @type {HTMLElement | null} */
		this.tip = null;
	}

	/**
	 * Draws the view on a canvas.
	 * @param {HTMLCanvasElement} canvas @param {HTMLElement} tip @param {View} view @param {Filtered | null} model
	 */
	draw(canvas, tip, view, model) {
		if (canvas !== this.canvas) this.attach(canvas);
		Object.assign(this, { tip, view, model });
		this.paint();
	}

	/** Paints the last view again. */
	paint() {
		const { canvas, view } = this;
		const pen = canvas?.getContext("2d");
		if (!canvas || !view || !pen) return;
		const dense = devicePixelRatio || 1;
		const { width, height } = this.size;
		if (canvas.width !== width * dense || canvas.height !== height * dense)
			Object.assign(canvas, { width: width * dense, height: height * dense });
		this.grid = gridOf(view.state.order.length, width, height);
		pen.setTransform(dense, 0, 0, dense, 0, 0);
		pen.clearRect(0, 0, width, height);
		pen.translate(this.left, this.top);
		pen.scale(this.scale, this.scale);
		const ink = colours(canvas);
		this.paintCells(pen, ink);
		if (this.marks.size) drawMarks(pen, ink, { order: view.state.order, ...this.grid, scale: this.scale }, this.marks);
		this.paintLabels(pen, ink, width);
	}

	/** Paints a cell for each node. @param {CanvasRenderingContext2D} pen @param {Record<string, string>} ink */
	paintCells(pen, ink) {
		const view = /** @type {View} */ (this.view);
		const { size } = this.grid;
		const gap = size > 5 ? Math.max(1.5, size / 12) : 0.5;
		const paths = {
			unseen: new Path2D(),
			alive: new Path2D(),
			solid: new Path2D(),
			final: new Path2D(),
			pending: new Path2D(),
		};
		const full = { used: new Path2D(), closed: new Path2D() };
		const look = this.looks();
		view.state.order.forEach((name, i) => {
			const [x, y] = this.corner(i);
			const kind = look(name);
			if (kind === "unseen") paths.unseen.rect(x + size / 3, y + size / 3, size / 2.6, size / 2.6);
			else if (kind === "solid" || kind === "final") cross(paths[kind], x + gap, y + gap, size - 2 * gap);
			else paths[kind].rect(x + gap / 2, y + gap / 2, size - gap, size - gap);
			if (!this.model) this.addUsage(full, name, x, y, size, gap);
		});
		if (!this.model) return paintUsage(pen, ink, paths.alive, full);
		pen.fillStyle = ink.line;
		pen.fill(paths.unseen);
		pen.fillStyle = ink.line2;
		pen.fill(paths.pending);
		pen.fillStyle = ink.ink;
		pen.fill(paths.alive);
		pen.strokeStyle = ink.no;
		pen.lineWidth = Math.min(4, Math.max(1, size / 6));
		pen.stroke(paths.solid);
		pen.lineWidth = Math.max(0.6, size / 14);
		pen.stroke(paths.final);
	}

	/** Returns a function that gives the look of a node's cell at this step. @returns {(name: string) => Look} */
	looks() {
		const { model, view } = this;
		if (!model || !view) return () => "alive";
		const filtering = view.event.type === "NodesFiltered";
		const at = filtering && view.order === "plugin" ? view.frame : PASSED - 1;
		const seen =
			filtering && view.order === "node" ? new Set(model.walk.slice(0, nodesSeen(view.event, view.frame))) : null;
		return (name) => {
			const verdict = model.at.get(name);
			if (!verdict || (this.picked && !this.picked.has(name))) return "unseen";
			if (seen && !seen.has(name)) return "pending";
			if (verdict.stop > at) return "alive";
			return verdict.verdict?.code === "UnschedulableAndUnresolvable" ? "final" : "solid";
		};
	}

	/** Adds the used share of a node's cpu to a path. */
	addUsage(
		/** @type {{used: Path2D, closed: Path2D}} */ full,
		/** @type {string} */ name,
		/** @type {number} */ x,
		/** @type {number} */ y,
		/** @type {number} */ size,
		/** @type {number} */ gap,
	) {
		const node = this.view?.state.nodes.get(name);
		if (!node) return;
		const share = Math.min(1, used(node, "cpu") / Math.max(1, allocatable(node, "cpu")));
		const path = node.summary.unschedulable ? full.closed : full.used;
		if (share > 0) path.rect(x + gap / 2, y + gap / 2 + (size - gap) * (1 - share), size - gap, (size - gap) * share);
	}

	/**
	 * Paints the names of the chosen node and of the search's first and last node, and frames around the selected cells.
	 * @param {CanvasRenderingContext2D} pen
	 * @param {Record<string, string>} ink
	 * @param {number} width
	 */
	paintLabels(pen, ink, width) {
		const view = /** @type {View} */ (this.view);
		const { order } = view.state;
		const model = this.model;
		const put = labelWriter(pen, ink, { ...this.grid, width, scale: this.scale });
		const target = order.indexOf(this.chosen());
		if (target >= 0) {
			this.paintDot(pen, ink, target);
			put(target, `★ ${order[target]}`, 1);
		}
		const instead = order.findIndex((name) => this.marks.get(name) === "winner");
		if (instead >= 0) put(instead, `${order[instead]} ${t("ask.mark.winner")}`, 1);
		if (model && model.evaluated < order.length) {
			put(model.start % order.length, t("cells.start", { n: count(model.start + 1) }), -1);
			const last = (model.start + model.evaluated - 1) % order.length;
			if (view.scene === "score") put(last, t("cells.stop", { n: count(model.feasible.length) }), 1);
		}
		const selected = view.selection?.kind === "node" ? order.indexOf(view.selection.name) : -1;
		for (const at of [selected, this.cursor]) if (at >= 0) this.paintFrame(pen, ink, at);
	}

	/** The chosen node; between cycles, the one that the subject is on or nominated to; "" if there is none. */
	chosen() {
		const view = /** @type {View} */ (this.view);
		const pod = view.state.pods.get(view.subject);
		return view.state.cycle.HostSelected && view.scene !== "cluster"
			? view.state.cycle.HostSelected.node
			: pod?.node || pod?.nominated_node || "";
	}

	/** The upper left corner of a cell, in pixels before the zoom. @param {number} i */
	corner(i) {
		const { columns, size } = this.grid;
		return [(i % columns) * size, Math.floor(i / columns) * size];
	}

	/**
	 * Paints a dot on a cell.
	 * @param {CanvasRenderingContext2D} pen @param {Record<string, string>} ink @param {number} i
	 */
	paintDot(pen, ink, i) {
		const [x, y] = this.corner(i);
		pen.beginPath();
		pen.arc(
			x + this.grid.size / 2,
			y + this.grid.size / 2,
			Math.max(Math.min(this.grid.size * 0.9, 10), 6 / this.scale),
			0,
			7,
		);
		pen.fillStyle = ink.accent;
		pen.fill();
		pen.lineWidth = 2 / this.scale;
		pen.strokeStyle = ink.edge;
		pen.stroke();
	}

	/**
	 * Paints a frame around a cell.
	 * @param {CanvasRenderingContext2D} pen @param {Record<string, string>} ink @param {number} i
	 */
	paintFrame(pen, ink, i) {
		const [x, y] = this.corner(i);
		pen.lineWidth = 2.5 / this.scale;
		pen.strokeStyle = ink.edge;
		pen.strokeRect(x - 1, y - 1, this.grid.size + 2, this.grid.size + 2);
	}

	/** The index of the node's cell at a point of the canvas, or -1. @param {number} x @param {number} y */
	cellAt(x, y) {
		const { columns, size } = this.grid;
		const column = Math.floor((x - this.left) / this.scale / size);
		const row = Math.floor((y - this.top) / this.scale / size);
		const i = row * columns + column;
		return column >= 0 && column < columns && row >= 0 && i < (this.view?.state.order.length ?? 0) ? i : -1;
	}

	/** Zooms about a point, by default the middle. @param {number} factor @param {number} [x] @param {number} [y] */
	zoomBy(factor, x = (this.canvas?.clientWidth ?? 0) / 2, y = (this.canvas?.clientHeight ?? 0) / 2) {
		const next = Math.max(1, Math.min(MAX_ZOOM, this.scale * factor));
		const ratio = next / this.scale;
		this.scale = next;
		this.pan(x - (x - this.left) * ratio, y - (y - this.top) * ratio);
	}

	/** Moves the field, but not beyond its edges. @param {number} left @param {number} top */
	pan(left, top) {
		const [width, height] = [this.canvas?.clientWidth ?? 0, this.canvas?.clientHeight ?? 0];
		this.left = Math.min(0, Math.max(left, width * (1 - this.scale)));
		this.top = Math.min(0, Math.max(top, height * (1 - this.scale)));
		this.paint();
	}

	/** Takes over a canvas: measures it, and listens to the pointer and the keys. @param {HTMLCanvasElement} canvas */
	attach(canvas) {
		this.canvas = canvas;
		const field = /** @type {HTMLElement} */ (canvas.parentElement);
		const measure = () =>
			(this.size = { width: Math.floor(field.clientWidth), height: Math.floor(field.clientHeight) });
		measure();
		new ResizeObserver(() => {
			measure();
			if (this.canvas === canvas) this.paint();
		}).observe(field);
		/** @type {PointerEvent | null} */
		let from = null;
		canvas.addEventListener("wheel", (event) => {
			event.preventDefault();
			this.zoomBy(event.deltaY > 0 ? 0.8 : 1.25, event.offsetX, event.offsetY);
		});
		canvas.addEventListener("pointerdown", (event) => (from = event));
		canvas.addEventListener("pointermove", (event) => {
			if (from && event.buttons) this.pan(this.left + event.movementX, this.top + event.movementY);
			this.moveCursor(this.cellAt(event.offsetX, event.offsetY));
		});
		canvas.addEventListener("pointerup", (event) => {
			if (from && Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY) < 5)
				this.select(this.cellAt(event.offsetX, event.offsetY));
			from = null;
		});
		canvas.addEventListener("pointerleave", () => this.moveCursor(-1));
		canvas.addEventListener("keydown", (event) => this.handleKey(event));
		canvas.addEventListener("asked", (event) => {
			this.marks = /** @type {CustomEvent} */ (event).detail;
			this.paint();
		});
	}

	/** Moves the cursor, or selects its node. @param {KeyboardEvent} event */
	handleKey(event) {
		const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -this.grid.columns, ArrowDown: this.grid.columns }[event.key];
		if (event.key === "Enter" && this.cursor >= 0) this.select(this.cursor);
		else if (by && !event.shiftKey)
			this.moveCursor(Math.max(0, Math.min((this.view?.state.order.length ?? 1) - 1, Math.max(0, this.cursor) + by)));
		else return;
		event.preventDefault();
	}

	/** Selects the node of a cell. @param {number} i */
	select(i) {
		const name = this.view?.state.order[i];
		if (name) this.view?.act.select({ kind: "node", name });
	}

	/** Moves the cursor to a cell, and shows the node's name and verdict; -1 hides both. @param {number} i */
	moveCursor(i) {
		if (i === this.cursor) return;
		this.cursor = i;
		this.paint();
		const name = this.view?.state.order[i];
		if (!this.tip || !this.canvas) return;
		this.tip.hidden = !name;
		if (!name) return;
		const verdict = this.model?.at.get(name);
		const reason = verdict?.verdict ? plainReason(verdict.verdict.reasons[0] ?? "") : t("cells.fits");
		const label = this.model ? `${name}: ${verdict ? reason : t("lane.unseen")}` : name;
		const mark = this.marks.get(name);
		this.tip.textContent = mark ? `${label} (${t(`ask.mark.${mark}`)})` : label;
		const [x, y] = this.corner(i);
		this.tip.style.setProperty("left", `${Math.min(this.canvas.clientWidth - 200, x * this.scale + this.left + 14)}px`);
		this.tip.style.setProperty("top", `${y * this.scale + this.top - 30}px`);
	}
}

/**
 * The size of the largest cells that fit, at most 40 pixels, and the number of columns.
 * @param {number} n @param {number} width @param {number} height
 */
function gridOf(n, width, height) {
	let size = Math.max(1, Math.sqrt((width * height) / Math.max(1, n)));
	while (size > 1 && Math.ceil(n / Math.floor(width / size)) * size > height) size -= 0.1;
	size = Math.min(size, 40);
	return { columns: Math.max(1, Math.floor(width / size)), size };
}

/**
 * Fills the cells, and in them the used share of cpu; that of cordoned nodes in another colour.
 * @param {CanvasRenderingContext2D} pen
 * @param {Record<string, string>} ink
 * @param {Path2D} ground
 * @param {{used: Path2D, closed: Path2D}} full
 */
function paintUsage(pen, ink, ground, full) {
	for (const [colour, path] of /** @type {[string, Path2D][]} */ ([
		[ink.sunk, ground],
		[ink.ink2, full.used],
		[ink.line2, full.closed],
	])) {
		pen.fillStyle = colour;
		pen.fill(path);
	}
}

/** Adds a cross to a path. @param {Path2D} path @param {number} x @param {number} y @param {number} size */
function cross(path, x, y, size) {
	path.moveTo(x, y);
	path.lineTo(x + size, y + size);
	path.moveTo(x + size, y);
	path.lineTo(x, y + size);
}

/** The theme's colours. @param {Element} element @returns {Record<string, string>} */
function colours(element) {
	const look = getComputedStyle(element);
	const read = (/** @type {string} */ name) => look.getPropertyValue(name).trim();
	return {
		ink: read("--funnel"),
		ink2: read("--ink2"),
		line: read("--line"),
		line2: read("--line2"),
		no: read("--no"),
		accent: read("--accent"),
		edge: read("--subject-edge"),
		panel: read("--panel"),
		sunk: read("--sunk"),
	};
}

/** @typedef {import("../../what_if/result.js").Marks} Marks */

/**
 * Paints the marks of nodes whose result a what-if changes.
 * @param {CanvasRenderingContext2D} pen
 * @param {Record<string, string>} ink
 * @param {{order: string[], columns: number, size: number, scale: number}} grid
 * @param {Marks} marks
 */
function drawMarks(pen, ink, { order, columns, size, scale }, marks) {
	const paths = { gained: new Path2D(), lost: new Path2D() };
	order.forEach((name, i) => {
		const mark = marks.get(name);
		if (!mark) return;
		const inset = Math.min(2, size / 8);
		const path = mark === "lost" ? paths.lost : paths.gained;
		path.rect((i % columns) * size + inset, Math.floor(i / columns) * size + inset, size - 2 * inset, size - 2 * inset);
	});
	const width = Math.max(1.5 / scale, Math.min(3, size / 7));
	pen.save();
	pen.globalAlpha = 0.75;
	pen.fillStyle = ink.accent;
	pen.fill(paths.gained);
	pen.globalAlpha = 1;
	pen.lineWidth = width;
	pen.strokeStyle = ink.edge;
	pen.stroke(paths.gained);
	pen.strokeStyle = ink.no;
	pen.setLineDash([Math.max(2, size / 5), Math.max(1.5, size / 7)]);
	pen.stroke(paths.lost);
	pen.restore();
}

/** @typedef {{left: number, right: number, top: number}} Label */

const LINE = 20;

/**
 * Returns a function that writes beside a cell: after it (1), or before and above it (-1); lower if that would overlap.
 * @param {CanvasRenderingContext2D} pen
 * @param {Record<string, string>} ink
 * @param {{columns: number, size: number, width: number, scale: number}} grid
 */
function labelWriter(pen, ink, { columns, size, width, scale }) {
	/** @type {Label[]} */
	const taken = [];
	const unit = 1 / scale;
	return (/** @type {number} */ at, /** @type {string} */ text, /** @type {1 | -1} */ side) => {
		const x = (at % columns) * size;
		const y = Math.floor(at / columns) * size;
		pen.font = `650 ${13.5 * unit}px "Source Sans 3", system-ui, sans-serif`;
		const labelWidth = pen.measureText(text).width + 12 * unit;
		const after = x + size + 6 * unit;
		const beside = after + labelWidth > width ? x - labelWidth - 6 * unit : after;
		const left = Math.max(0, side < 0 ? Math.min(x - labelWidth, width - labelWidth) : beside);
		const near = Math.max(0, side > 0 ? y - 9 * unit + size / 2 : y - LINE * unit);
		const top = freeTop(taken, { left, right: left + labelWidth, top: near }, LINE * unit);
		taken.push({ left, right: left + labelWidth, top });
		pen.fillStyle = ink.panel;
		pen.fillRect(left, top, labelWidth, 18 * unit);
		pen.fillStyle = ink.ink;
		pen.fillText(text, left + 6 * unit, top + 13.5 * unit);
	};
}

/**
 * The first height, from a label's own downwards, at which it overlaps no other.
 * @param {Label[]} taken
 * @param {Label} label
 * @param {number} line
 */
export function freeTop(taken, { left, right, top }, line) {
	const near = taken.filter((box) => box.left < right && left < box.right).sort((a, b) => a.top - b.top);
	return near.reduce((highest, box) => (Math.abs(box.top - highest) < line ? box.top + line : highest), top);
}
