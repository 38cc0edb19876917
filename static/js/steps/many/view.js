// @ts-check
/**
 * Above 200 nodes: a field of cells in search order on a canvas, with the funnel, the spread and the best five below.
 */

import { button, h, PHONE, patch } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { nodeName } from "../../shared/names.js";
import { count } from "../../shared/units.js";
import { groupsOf, pickedNodes, reasonList } from "../filter/lanes.js";
import { filterModel } from "../filter/model.js";
import { question } from "../parts/words.js";
import { countScored, ranking, scoreStyle, scores, totalsAfter } from "../score/bars.js";
import { CellField } from "./cell_field.js";

const BEST = 5;
const field = new CellField();

/**
 * Draws a cluster of many nodes: a cell for each, and in a cycle the counts of Filter and the best totals below them.
 * @param {Element} target @param {View} view
 */
export function drawCells(target, view) {
	const model = view.scene === "cluster" ? null : filterModel(view.state);
	const filtering = view.event.type === "NodesFiltered" && view.order === "plugin";
	const groups = model && filtering ? groupsOf({ model, plugins: model.plugins, at: view.frame, seen: null }) : [];
	patch(target, [
		h(
			"div",
			{ key: "cells", class: `cells ${model ? "" : "alone"}` },
			h(
				"h3",
				{ key: "title", class: "cells-title" },
				t("cells.title", { n: count(view.state.nodes.size) }),
				h("span", null, ` ${model ? t("cells.wrap") : t("cells.used")}`),
				h(
					"span",
					{ class: "cells-zoom", role: "group", "aria-label": t("cells.zoom") },
					[
						["−", 0.7],
						["+", 1.4],
					].map(([text, factor]) =>
						button(() => field.zoomBy(Number(factor)), { key: text, "aria-label": `${t("cells.zoom")} ${text}` }, text),
					),
				),
			),
			h(
				"div",
				{ key: "field", class: "cells-field" },
				h("canvas", {
					key: "canvas",
					tabindex: "0",
					role: "application",
					"aria-label": t("cells.label", { n: view.state.nodes.size }),
					opaque: true,
				}),
				h("span", { key: "tip", class: "cell-tip", hidden: true, opaque: true }),
			),
			model &&
				h(
					"div",
					{ key: "below", class: "cells-below" },
					funnelBars(view),
					h(
						"div",
						{ key: "right" },
						groups.length ? reasonList(view, groups) : [colourKey(view), histogram(view), bestBars(view, BEST)],
					),
				),
		),
	]);
	const canvas = target.querySelector("canvas");
	field.picked = pickedNodes(view, groups);
	if (canvas) field.draw(canvas, /** @type {HTMLElement} */ (target.querySelector(".cell-tip")), view, model);
}

const MAX_BARS = 10;
const ABOVE = 86; // pixels above the rows
const ROW = 42;
const FEWEST = 3;
const LETTER = 8;
const STAR = 4; // letters that the chosen node's star takes
const LABELLED = 0.07; // of the best bar: a narrower block has no room for its points
const BINS = 36;
const LEAST_NODES = 8; // for a histogram
const TRACK = 76; // per cent of the track: the rest is for the number behind it

/**
 * Draws Score with 13 to 200 nodes: the best as bars, a histogram of all, and the funnel of Filter.
 * @param {Element} target
 * @param {View} view
 */
export function drawRanked(target, view) {
	patch(target, [
		h(
			"div",
			{ key: "many", class: "many-nodes" },
			colourKey(view),
			h("div", { key: "left", class: "many-best" }, bestBars(view, rowCount(view))),
			h("div", { key: "right", class: "many-side" }, histogram(view), funnelBars(view)),
		),
	]);
}

/** The number of rows: those that fit on the stage, at least FEWEST; on a phone, MAX_BARS. @param {View} view */
function rowCount({ width, sizes }) {
	if (width <= PHONE || !sizes.height) return MAX_BARS;
	return Math.max(FEWEST, Math.min(MAX_BARS, Math.floor((sizes.height - ABOVE) / ROW)));
}

/** The number of letters that fit in the column of names. @param {View} view */
const lettersFor = ({ width, sizes }) => Math.floor(((width <= PHONE ? 1 : 0.56) * 0.3 * (sizes.stage - 50)) / LETTER);

/**
 * A bar for each Filter plugin, with the nodes that are left and those that are rejected; null before Filter.
 * @param {View} view
 */
function funnelBars(view) {
	const model = filterModel(view.state);
	if (!model) return null;
	const byPlugin = view.event.type === "NodesFiltered" && view.order === "plugin"; // a frame is a plugin
	const at = byPlugin ? view.frame : model.plugins.length;
	const whole = Math.max(1, model.evaluated);
	return h(
		"div",
		{ key: "funnel", class: "funnel-bars" },
		h(
			"h3",
			{ key: "title" },
			t("cells.looked", { n: count(model.evaluated) }),
			h(
				"span",
				null,
				` ${t("cells.turned", { n: count(model.evaluated - (model.left[at] ?? model.feasible.length)) })}`,
			),
		),
		model.plugins.map((plugin, i) => {
			const before = i ? model.left[i - 1] : model.evaluated;
			const after = model.left[i];
			const reached = i <= at;
			return button(
				() => (byPlugin ? view.act.seek(view.step, i) : view.act.pin(`column:${plugin}`)),
				{ key: plugin, class: `funnel-bar ${i === at ? "now" : ""} ${reached ? "" : "ahead"}` },
				h("span", { class: "funnel-name" }, h("b", null, question(plugin)), h("small", null, plugin)),
				h(
					"span",
					{ class: "funnel-track" },
					h("i", { style: { width: `${((reached ? after : before) / whole) * TRACK}%` } }),
					reached &&
						after < before &&
						h("u", { style: { left: `${(after / whole) * TRACK}%`, width: `${((before - after) / whole) * TRACK}%` } }),
					reached &&
						after < before &&
						h("em", { style: { left: `calc(${(before / whole) * TRACK}% + 5px)` } }, `−${count(before - after)}`),
				),
				h("b", { class: "funnel-count" }, reached ? count(after) : ""),
			);
		}),
	);
}

/** The histogram of the totals; null before Score, for few nodes, and for equal totals. @param {View} view */
export function histogram(view) {
	const model = scores(view.state);
	if (!model || model.names.length < LEAST_NODES) return null;
	const totals = totalsAfter(model, countScored(view, model));
	const [low, high] = [Math.min(...totals), Math.max(...totals)];
	if (low === high) return null;
	const bins = new Array(BINS).fill(0);
	for (const total of totals)
		bins[Math.min(BINS - 1, Math.floor(((total - low) / Math.max(1, high - low)) * BINS))] += 1;
	const most = Math.max(...bins);
	return h(
		"div",
		{ key: "spread", class: "spread" },
		h("h3", null, t("score.spread", { n: count(model.names.length) })),
		h(
			"div",
			{ class: "spread-bins", role: "img", "aria-label": `${low}–${high}` },
			bins.map((n, i) =>
				h("i", {
					key: i,
					class: i === BINS - 1 ? "top" : "",
					style: { height: `${n ? Math.max(4, (n / most) * 100) : 0}%` },
				}),
			),
		),
		h("div", { class: "spread-ends" }, h("span", null, String(low)), h("span", null, String(high))),
	);
}

/** The best nodes as bars; null before Score. @param {View} view @param {number} most */
function bestBars(view, most) {
	const model = scores(view.state);
	if (!model) return null;
	const k = countScored(view, model);
	const totals = totalsAfter(model, k);
	const best = Math.max(1, ...model.totals);
	const chosen = view.state.cycle.HostSelected?.node ?? "";
	return h(
		"div",
		{ key: "best", class: "best" },
		h("h3", null, t("score.best", { n: Math.min(most, model.names.length) })),
		chosenFirst(ranking(totals), totals, model.names.indexOf(chosen))
			.slice(0, most)
			.map((i) => {
				const name = model.names[i];
				const wins = name === chosen;
				return h(
					"div",
					{ key: name, class: `best-row ${wins ? "win" : ""}` },
					button(
						() => view.act.select({ kind: "node", name }),
						{ class: "best-name", title: name },
						wins ? "★ " : "",
						nodeName(name, lettersFor(view) - (wins ? STAR : 0)),
					),
					h(
						"span",
						{ class: "best-bar" },
						model.plugins.slice(0, k).map(({ plugin, weighted }) => {
							const points = weighted[i];
							const share = points / best;
							return button(
								() => view.act.pin(`score:${name}:${plugin}`),
								{
									key: plugin,
									title: `${plugin} ${points}`,
									"aria-label": t("score.segment", { node: name, plugin, points }),
									style: { ...scoreStyle(plugin), width: `${share * 100}%` },
								},
								share > LABELLED ? String(points) : "",
							);
						}),
					),
					button(() => view.act.pin(`total:${name}`), { class: "best-total" }, String(totals[i])),
				);
			}),
	);
}

/** The legend of the blocks' colours; null before Score. @param {View} view */
function colourKey(view) {
	const model = scores(view.state);
	if (!model) return null;
	const k = countScored(view, model);
	return h(
		"div",
		{ key: "key", class: "colour-key" },
		model.plugins.map((plugin, i) =>
			h(
				"span",
				{ key: plugin.plugin, class: i + 1 === k ? "now" : "" },
				h("i", { class: "swatch", style: scoreStyle(plugin.plugin) }),
				t(`score.${plugin.plugin}`),
				` ×${plugin.weight}`,
			),
		),
	);
}

/**
 * Sorts nodes by total, the chosen one first among equals.
 * @param {number[]} order
 * @param {number[]} totals
 * @param {number} chosen
 */
function chosenFirst(order, totals, chosen) {
	return order.sort((a, b) => totals[b] - totals[a] || Number(b === chosen) - Number(a === chosen));
}
