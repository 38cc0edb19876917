// @ts-check
/** The scores as stacked bars, and as a table. */

import { button, h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { decodeColumn } from "../../trace/feed.js";
import { PLUGINS } from "../parts/plugins.js";
import { ordinal, scoreName } from "../parts/words.js";

/** The number of plugins whose points are added so far. @param {View} view @param {Scores} model */
export function countScored({ event, frame }, { plugins }) {
	return event.type === "ScoresComputed" ? Math.min(frame + 1, plugins.length) : plugins.length;
}

/** The nodes' totals and ranks with the points added so far; null before Score. @param {View} view */
export function scoresSoFar(view) {
	const model = scores(view.state);
	if (!model) return null;
	const scored = countScored(view, model);
	const totals = totalsAfter(model, scored);
	return { scores: model, scored, totals, rank: ranking(totals) };
}

/**
 * The custom properties with the colour that a plugin declares; all others, and extenders, share the last one.
 * @param {string} plugin
 */
export function scoreStyle(plugin) {
	const slot = PLUGINS[plugin]?.colour ?? 6;
	return { "--c": `var(--s${slot})`, "--ct": `var(--s${slot}t)` };
}

/**
 * The legend of the scores, with a button for each plugin; null before Score.
 * @param {View} view @param {Lanes} lanes
 */
export function scoreLegend(view, { scores, scored, geometry }) {
	if (!scores) return null;
	const cell = tableCellWidth(geometry, scores.plugins.length);
	return h(
		"div",
		{ key: "legend", class: "legend" },
		scores.plugins.map((plugin, i) =>
			button(
				() => view.act.seek(view.step, i),
				{
					key: plugin.plugin,
					title: plugin.plugin,
					class:
						i + 1 === scored && view.event.type === "ScoresComputed" && view.frame < scores.plugins.length ? "now" : "",
					style: view.options.table ? { width: `${cell}px` } : {},
				},
				h("i", { class: "swatch", style: scoreStyle(plugin.plugin) }),
				scoreName(plugin.plugin),
				h("span", { class: "weight" }, ` ×${plugin.weight}`),
			),
		),
	);
}

/** The width of a cell of the table, in pixels. @param {Geometry} geometry @param {number} count of plugins */
function tableCellWidth(geometry, count) {
	return (geometry.width - 116) / Math.max(1, count);
}

const OUTWEIGHS = 1000; // weight

/** The width of a letter below a bar, in pixels; a label wider than its bar would cover the next one. */
const LETTER = 8;

const LABELLED = 26; // pixels: a narrower block has no room for its points
const MOST_POINTS = 100; // of a plugin, before its weight

/**
 * Finds the plugin whose weight outweighs all others, which is drawn shorter so that the others are visible: its index
 * (`at`; -1 if there is none), and the points that are left out (`by`).
 * @param {Scores} model
 */
function shortenedPlugin({ plugins, totals }) {
	const at = plugins.findIndex(
		({ weight, weighted }) => weight >= OUTWEIGHS && Math.min(...weighted) > 0 && new Set(weighted).size > 1,
	);
	if (at < 0) return { at, by: 0 };
	const rest = Math.max(1, ...totals.map((total, i) => total - plugins[at].weighted[i]));
	return { at, by: Math.max(0, Math.min(...plugins[at].weighted) - rest) };
}

const STUB = 34; // pixels of points that all nodes have

/**
 * The indexes of the plugins that give all nodes the same points, not 0, which are drawn as stubs; none for a single
 * node, or if the others give no points.
 * @param {Scores} model @returns {Set<number>}
 */
function equalPlugins({ plugins, totals }) {
	const equal = plugins.flatMap(({ weighted }, i) => (weighted[0] && new Set(weighted).size === 1 ? [i] : []));
	const rest = Math.max(...totals) - equal.reduce((sum, i) => sum + plugins[i].weighted[0], 0);
	return new Set(totals.length > 1 && rest > 0 ? equal : []);
}

/** Pixels per point; the total fits beside the longest bar. @param {Geometry} geometry @param {Scores} model */
function barScale({ width, phone }, model) {
	const best = Math.max(1, ...model.totals);
	const same = equalPlugins(model);
	const left = [...same].reduce((sum, i) => sum - model.plugins[i].weighted[0], best - shortenedPlugin(model).by);
	return (width - (phone ? 28 + 10 * String(best).length : 190) - STUB * same.size) / left;
}

/** The end of the bar of a total, in pixels. @param {Lanes} lanes @param {Scores} model @param {number} total */
function barEnd({ scored, geometry }, model, total) {
	const { at, by } = shortenedPlugin(model);
	const same = [...equalPlugins(model)].filter((i) => i < scored);
	const differing = same.reduce((sum, i) => sum - model.plugins[i].weighted[0], total - (scored > at ? by : 0));
	return differing * barScale(geometry, model) + STUB * same.length;
}

/**
 * The scores of a node, as bars or as a row of the table; null if the node has none.
 * @param {View} view @param {Lanes} lanes @param {string} name
 */
export function scoreBars(view, lanes, name) {
	const { scores, scored, totals, rank, geometry } = lanes;
	const i = scores?.names.indexOf(name) ?? -1;
	if (!scores || i < 0) return null;
	const body = view.options.table ? tableCells(view, lanes, name, i) : barSegments(view, lanes, name, i);
	const behind = totals[rank[0]] - totals[i];
	const higher = totals.filter((total) => total > totals[i]).length; // equal totals share a place
	const tied = totals.filter((total) => total === totals[i]).length > 1;
	const label =
		lanes.chosen === name
			? t("score.winner")
			: higher
				? t("score.place", { place: ordinal(higher + 1), gap: behind })
				: t(tied ? "score.tied" : "score.leads");
	const zero = scores.plugins
		.slice(0, scored)
		.filter((plugin) => !plugin.weighted[i] && plugin.weighted.some(Boolean))
		.map((plugin) => scoreName(plugin.plugin));
	const end = barEnd(lanes, scores, totals[i]);
	return [
		h(
			"div",
			{ key: "bars", class: "bars" },
			body,
			!view.options.table &&
				!geometry.phone &&
				zero.length > 0 &&
				end < geometry.width - 120 - 15 * zero.join(", ").length &&
				h(
					"span",
					{ key: "zero", class: "zero", style: { left: `${end + 9}px` } },
					`${zero.join(t("list.comma"))}${t("colon")}0`,
				),
		),
		button(
			() => view.act.pin(`total:${name}`),
			{ key: "total", class: "total" },
			h("b", { key: `total${totals[i]}`, class: "late" }, String(totals[i])),
			h("small", { key: label, class: "late" }, label),
		),
	];
}

/**
 * The bar of a node, with a block for each plugin; null before Score.
 * @param {View} view @param {Lanes} lanes @param {string} name @param {number} i
 */
function barSegments(view, lanes, name, i) {
	const { scores, scored, geometry, totals, rank } = lanes;
	if (!scores) return null;
	const cut = shortenedPlugin(scores);
	const same = equalPlugins(scores);
	const scale = barScale(geometry, scores);
	const lead = barEnd(lanes, scores, totals[rank[0]]);
	let left = 0;
	return scores.plugins.map((plugin, p) => {
		const points = plugin.weighted[i];
		const drawn = same.has(p) ? STUB : (p === cut.at ? points - cut.by : points) * scale;
		const width = p < scored ? drawn : 0;
		const at = left;
		left += width;
		const hot = view.pin === `score:${name}:${plugin.plugin}`;
		const product = `${plugin.normalized[i]} × ${plugin.weight}`;
		const labels = plugin.weight > 1 ? [`${scoreName(plugin.plugin)} ${product}`, product] : [];
		const factor = labels.find((label) => width > LETTER * label.length) ?? "";
		const under = width > LABELLED ? factor : width > LETTER * String(points).length ? String(points) : "";
		return [
			button(
				() => view.act.pin(`score:${name}:${plugin.plugin}`),
				{
					key: plugin.plugin,
					class: `segment ${hot ? "hot" : ""} ${width < 1 ? "nil" : ""} ${same.has(p) ? "stub" : ""}`,
					title: same.has(p) ? t("score.same", { name: scoreName(plugin.plugin), points }) : null,
					...accessibleName(p < scored, t("score.segment", { node: name, plugin: plugin.plugin, points })),
					style: { ...scoreStyle(plugin.plugin), left: `${at}px`, width: `${Math.max(0, width - 1.5)}px` },
				},
				width > LABELLED ? String(points) : "",
			),
			!geometry.phone &&
				h(
					"span",
					{
						key: `${plugin.plugin}under`,
						class: `under ${width ? "" : "off"}`,
						style: { left: `${Math.min(at + width / 2, lead - 5 * under.length)}px` },
					},
					under,
				),
		];
	});
}

/**
 * The attributes that name a plugin's points; before they are added, those that hide the button.
 * @param {boolean} scored
 * @param {string} label
 */
function accessibleName(scored, label) {
	return scored ? { "aria-label": label } : { "aria-hidden": "true", tabindex: "-1", disabled: true };
}

/**
 * The cells of a node in the table, one for each plugin; null before Score.
 * @param {View} view @param {Lanes} lanes @param {string} name @param {number} i
 */
function tableCells(view, { scores, scored, geometry }, name, i) {
	if (!scores) return null;
	const cell = tableCellWidth(geometry, scores.plugins.length);
	const most = Math.max(1, ...scores.plugins.map((plugin) => MOST_POINTS * plugin.weight));
	return scores.plugins.map((plugin, p) => {
		const on = p < scored;
		return [
			button(() => view.act.pin(`score:${name}:${plugin.plugin}`), {
				key: plugin.plugin,
				class: `segment ${view.pin === `score:${name}:${plugin.plugin}` ? "hot" : ""}`,
				...accessibleName(on, t("score.segment", { node: name, plugin: plugin.plugin, points: plugin.weighted[i] })),
				style: {
					...scoreStyle(plugin.plugin),
					left: `${p * cell}px`,
					width: `${on ? Math.max(3, (plugin.weighted[i] / most) * (cell - 8)) : 0}px`,
				},
			}),
			h(
				"span",
				{ key: `${plugin.plugin}cell`, class: "cell", style: { left: `${p * cell}px` } },
				h("b", null, on ? String(plugin.weighted[i]) : "–"),
				h("small", null, on ? `${plugin.raw[i]} → ${plugin.normalized[i]}` : ""),
			),
		];
	});
}

/** The switch between bars and a table. @param {View} view */
export function tableSwitch({ options, act }) {
	return h(
		"span",
		{ class: "segments", role: "group", "aria-label": t("score.as") },
		[false, true].map((table) => {
			const pressed = String(options.table === table);
			const on = { click: () => act.set({ table }) };
			return h("button", { type: "button", "aria-pressed": pressed, on }, t(table ? "score.table" : "score.bars"));
		}),
	);
}

/**
 * The line at the leader's total, to compare the others with; null in the table and before Score.
 * @param {View} view @param {Lanes} lanes
 */
export function leadLine(view, lanes) {
	const { phase, totals, rank, scores } = lanes;
	if (phase !== "score" || !scores || view.options.table) return null;
	const end = barEnd(lanes, scores, totals[rank[0]]);
	return h("div", { key: "lead", class: "lead", style: { left: `calc(var(--head) + ${end}px)` } });
}

/** @type {WeakMap<object, Scores>} */
const cache = new WeakMap();

/** The scores of this cycle; null before Score. @param {State} state @returns {Scores | null} */
export function scores(state) {
	const event = state.cycle.ScoresComputed;
	if (!event) return null;
	const cached = cache.get(event);
	if (cached) return cached;
	const names = [...decodeColumn(event.rows, event.count)].map((row) => state.order[row]);
	const plugins = [...event.plugins, ...(event.extenders ?? [])].map((plugin) => scorer(plugin, names.length));
	const model = { names, plugins, totals: [...decodeColumn(event.total, names.length)], skipped: event.skipped ?? [] };
	cache.set(event, model);
	return model;
}

/**
 * Decodes the points of a Score plugin.
 * @param {import("../../trace/trace").PluginScores} plugin @param {number} size @returns {Scorer}
 */
function scorer(plugin, size) {
	const normalized = [...decodeColumn(plugin.normalized, size)];
	const raw = plugin.raw === undefined || plugin.raw === null ? normalized : [...decodeColumn(plugin.raw, size)];
	return {
		plugin: plugin.plugin,
		weight: plugin.weight,
		raw,
		normalized,
		weighted: normalized.map((n) => n * plugin.weight),
	};
}

/** Points per node after the first `k` plugins. @param {Scores} model @param {number} k */
export function totalsAfter(model, k) {
	if (k >= model.plugins.length) return model.totals;
	return model.names.map((_, i) => model.plugins.slice(0, k).reduce((sum, plugin) => sum + plugin.weighted[i], 0));
}

/** Indexes of the nodes, best first; equal ones in search order. @param {number[]} totals */
export function ranking(totals) {
	return totals.map((_, i) => i).sort((a, b) => totals[b] - totals[a] || a - b);
}
