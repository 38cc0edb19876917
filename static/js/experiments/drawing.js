// @ts-check
/** A measure by a factor: a dot for each run, with boxes where levels are few. Draws with Observable Plot. */
import { axisY, boxY, dot, gridY, plot } from "../../vendor/plot/plot.js";
import { dotPlaces, formatValue, isSingle, MAX_BOXES } from "./rows.js";

const LONGEST_LABEL = 24; // letters
const MAX_TICKS = 8;
const MANY_DOTS = 2000; // of more, dots are small and pale
const LETTER = 15; // pixels that a line of text takes

/**
 * @typedef {object} Asked
 * @property {import("./rows.js").Point[]} points
 * @property {string[]} labels
 * @property {string} factor
 * @property {string} measure
 * @property {boolean} share whether it is drawn in percent
 * @property {number} width
 * @property {string} label
 */

/**
 * The figure: bars if every level has one run, boxes for up to MAX_BOXES levels, otherwise dots.
 * @param {Asked} asked
 */
export function drawFigure(asked) {
	const few = asked.labels.length <= MAX_BOXES;
	if (isSingle(asked.points)) return bars(asked);
	const figure = few ? boxes(asked) : dotField(asked);
	for (const style of figure.querySelectorAll("style")) style.remove(); // the site's policy would refuse them
	// the figure has one
	for (const part of figure.querySelectorAll("g[aria-label]")) part.removeAttribute("aria-label");
	figure.setAttribute("role", "img");
	figure.setAttribute("aria-label", asked.label);
	return figure;
}

/** The options of both kinds of plots: size, margins, and the axis of values. @param {Asked} asked */
function commonOptions({ share, width, measure }) {
	return {
		className: "plot",
		width,
		height: Math.round(Math.min(460, Math.max(300, width * 0.45))),
		marginLeft: 60,
		marginTop: 36,
		style: { fontSize: "14px" },
		y: { label: `↑ ${measure}`, nice: true, inset: 10, ...(share ? { percent: true } : {}) },
	};
}

/** The grid and the axis of values; for whole numbers that are close, a line for each. @param {Asked} asked */
function scale({ points, share }) {
	const values = points.map((point) => point.value);
	const whole = !share && values.every(Number.isInteger);
	const span = Math.max(...values) - Math.min(...values);
	const ticks = whole && span < MAX_TICKS ? { interval: 1, tickFormat: "d" } : { ticks: MAX_TICKS };
	return [gridY(ticks), axisY({ ...ticks, facetAnchor: "left" })]; // once, and not in each facet
}

/** The options of dots, with their tooltips. @param {Asked} asked */
function dots({ points, labels, factor, measure }) {
	const title = (/** @type {import("./rows.js").Point} */ point) =>
		`${factor}: ${labels[point.level]}\n${measure}: ${Number(point.value.toPrecision(6))}\n#${point.run}`;
	return {
		title,
		y: "value",
		r: points.length > MANY_DOTS ? 2 : 3.5,
		fill: "var(--s0)",
		fillOpacity: points.length > MANY_DOTS ? 0.35 : 0.6,
		tip: { maxRadius: 16, fill: "var(--panel)" },
	};
}

/**
 * A bar with its value for each level, if each has only one run.
 * @param {Asked} asked
 */
function bars({ points, labels, share, label }) {
	const figure = /** @type {HTMLElement & {value?: {run: number}}} */ (document.createElement("ol"));
	figure.className = "plot-bars";
	figure.setAttribute("aria-label", label);
	const most = Math.max(...points.map(({ value }) => Math.abs(value)), Number.MIN_VALUE);
	for (const { level, value, run } of [...points].sort((a, b) => a.level - b.level)) {
		const row = document.createElement("li");
		const name = document.createElement("button");
		name.type = "button";
		name.className = "link";
		name.textContent = labels[level];
		name.addEventListener("click", () => (figure.value = { run }));
		const bar = document.createElement("i");
		bar.style.setProperty("width", `${(Math.abs(value) / most) * 100}%`);
		const number = document.createElement("b");
		number.textContent = formatValue(value, share);
		const line = document.createElement("span");
		line.append(bar, number);
		row.append(name, line);
		figure.append(row);
	}
	return figure;
}

/** One box for each level. @param {Asked} asked */
function boxes(asked) {
	const { points, labels, factor, width } = asked;
	const level = (/** @type {import("./rows.js").Point} */ point) => labels[point.level];
	const x = dotPlaces(points);
	const room = width / labels.length;
	const longest = Math.min(LONGEST_LABEL, Math.max(...labels.map((label) => label.length)));
	const rotate = longest * 8 <= room ? 0 : room > 24 ? -35 : -90;
	const shown = labels.filter((_, i) => i % Math.ceil(LETTER / room) === 0);
	return plot({
		...commonOptions(asked),
		marginBottom: rotate ? 44 + longest * (rotate < -35 ? 8 : 4) : 56,
		x: { axis: null, domain: [-1, 1] },
		fx: {
			label: factor,
			domain: labels,
			padding: 0.1,
			ticks: shown,
			tickRotate: rotate,
			tickFormat: short,
			axis: "bottom",
		},
		marks: [
			...scale(asked),
			boxY(points, { fx: level, y: "value", fill: "var(--sunk)", stroke: "var(--ink)", r: 0 }),
			dot(points, { ...dots(asked), fx: level, x }),
		],
	});
}

/** A label, cut to LONGEST_LABEL letters. @param {string} label */
function short(label) {
	return label.length > LONGEST_LABEL ? `${label.slice(0, LONGEST_LABEL - 1)}…` : label;
}

/** Dots along an axis with many levels: by value if all are numbers, otherwise by their order. @param {Asked} asked */
function dotField(asked) {
	const { points, labels, factor } = asked;
	const numbers = labels.every((label) => label !== "" && Number.isFinite(Number(label)));
	const x = (/** @type {import("./rows.js").Point} */ point) =>
		numbers ? Number(labels[point.level]) : point.level + 1;
	return plot({
		...commonOptions(asked),
		marginBottom: 56,
		x: { label: `${factor} →`, nice: true },
		marks: [...scale(asked), dot(points, { ...dots(asked), x })],
	});
}
