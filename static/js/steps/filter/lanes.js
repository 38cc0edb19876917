// @ts-check
/**
 * Filter and Score as lanes, one per node. The line of a rejected node ends at the plugin that rejected it, with the
 * reason; the lines of feasible nodes become bars of scores. Rows never change order.
 */

import { button, h, PHONE, patch } from "../../shared/dom.js";
import { list, plain, t } from "../../shared/i18n.js";
import { count } from "../../shared/units.js";
import { fullBarAmount, zones } from "../../trace/room.js";
import { plainReason, question } from "../parts/words.js";
import { leadLine, scoreLegend, scoresSoFar, tableSwitch } from "../score/bars.js";
import { laneRow } from "./lane_row.js";
import { filterModel, nodesSeen, PASSED } from "./model.js";

const HEADS = 12; // nodes; of more, the rows are low
const LONG = 19; // letters of a name that needs a wider column
const STAGGERED = 52; // pixels of a narrow column
const DOTTED = 30; // pixels of a column that has no room for words

/**
 * Draws the lanes.
 * @param {Element} target
 * @param {View} view
 */
export function draw(target, view) {
	const lanes = lanesOf(view);
	const groups = zones(view.state);
	const rows = groups.flatMap(([zone, names], z) =>
		names.map((name, i) => ({
			name,
			newZone: i === 0 && z > 0,
			zone: i === 0 && groups.length > 1 ? { zone, names } : null,
			within: groups.length > 1 ? { zone, names } : null,
		})),
	);
	const reasons = lanes.mode === "thin" ? groupsOf(lanes) : [];
	const picked = pickedNodes(view, reasons);
	patch(target, [
		h(
			"div",
			{
				key: "lanes",
				class: `lanes ${lanes.phase} ${lanes.mode} ${view.options.table ? "table" : ""} ${picked ? "picking" : ""}`,
				style: { "--head": `${lanes.geometry.head}px` },
			},
			header(view, lanes),
			reasonList(view, reasons),
			h(
				"div",
				{
					key: "rows",
					class: "rows",
					role: "list",
					"aria-label": t("lane.rows"),
					style: { "--lanes": String(rows.length) },
				},
				currentBand(lanes),
				leadLine(view, lanes) ?? h("div", { key: "lead", class: "lead off" }),
				rows.map((row) => laneRow(view, lanes, row, picked?.has(row.name))),
			),
		),
	]);
}

/** The contents of the lanes in this frame, and their measures. @param {View} view @returns {Lanes} */
function lanesOf(view) {
	const model =
		view.event.type === "CycleStarted" || view.event.type === "PreFilterFinished" ? null : filterModel(view.state);
	const upcoming = view.following?.type === "NodesFiltered" ? view.following.plugins : [];
	const plugins = model?.plugins ?? upcoming;
	const byNode = view.order === "node" && view.event.type === "NodesFiltered";
	const seenCount = byNode ? nodesSeen(view.event, view.frame) : 0;
	const scored = view.scene === "score" ? scoresSoFar(view) : null;
	const at = !model ? -1 : view.event.type === "NodesFiltered" && !byNode ? view.frame : plugins.length;
	const nodeCount = view.state.nodes.size;
	const mode = nodeCount > HEADS ? modeOf(view, nodeCount) : "heads";
	const focus = byNode ? -1 : Math.min(at, plugins.length - 1);
	const focusWidth = (plugins[focus]?.length ?? 0) > LONG ? 172 : 148;
	const geometry = geometryOf(view.sizes.stage, view.width <= PHONE, plugins.length, focus, focusWidth);
	return {
		phase: scored ? "score" : "filter",
		plugins,
		at,
		model,
		mode,
		scores: null,
		totals: [],
		scored: 0,
		rank: [],
		...scored,
		seen: byNode ? new Set(model?.walk.slice(0, seenCount)) : null,
		latest: byNode ? (model?.walk[seenCount - 1] ?? "") : "",
		geometry,
		letters: mode === "middle" ? lettersBeside(geometry) : undefined,
		chosen: view.state.cycle.HostSelected?.node ?? "",
		longest: longestOnce(view),
	};
}

/**
 * Returns a function that computes the amount of a full bar once for each resource.
 * @param {View} view @returns {(resource: string) => number}
 */
function longestOnce({ state, subject }) {
	/** @type {Map<string, number>} */
	const amounts = new Map();
	return (resource) => {
		const known = amounts.get(resource) ?? fullBarAmount(state, resource, subject);
		amounts.set(resource, known);
		return known;
	};
}

/**
 * Columns of the plugins; the current one has `focusWidth` pixels, less on a phone.
 * @type {(width: number, phone: boolean, count: number, focus: number, focusWidth: number) => Geometry}
 */
function geometryOf(width, phone, count, focus, focusWidth) {
	const head = phone ? 124 : width < 880 ? 218 : 262;
	const track = Math.max(60, width - head - 16);
	const end = phone ? 0 : width < 800 ? 86 : 112;
	const current = phone ? 26 : focusWidth;
	const other = phone
		? Math.min(22, (track - 110) / Math.max(1, count))
		: (track - end - current) / Math.max(1, count - 1);
	/** @type {[number, number][]} */
	const x = [];
	let left = 0;
	for (let i = 0; i < count; i += 1) {
		const w =
			i === focus || (focus < 0 && count === 1) ? current : focus < 0 ? (track - end) / count : Math.min(other, 150);
		x.push([left, w]);
		left += w;
	}
	return { x, width: track, phone, head };
}

/**
 * The head of the lanes: the names of the plugins, and the number of nodes left.
 * @param {View} view @param {Lanes} lanes
 */
function header(view, lanes) {
	const { model, at, plugins, geometry, phase } = lanes;
	const whole = model?.evaluated ?? view.state.nodes.size;
	const left = countLeft(lanes, whole);
	return h(
		"div",
		{ key: "header", class: "lanes-head" },
		h(
			"div",
			{ key: "title", class: "lanes-title" },
			h(
				"b",
				{ key: `left${left}`, class: "late" },
				phase === "score"
					? t("lane.scored", { n: left })
					: view.event.rejected_by
						? t("lane.rejected")
						: t(whole < view.state.nodes.size ? "lane.left.checked" : "lane.left", { n: left, total: whole }),
			),
			phase === "score"
				? tableSwitch(view)
				: model
					? switches(view)
					: h("p", null, t(lanes.mode === "heads" ? "lane.legend" : "lane.legend.short")),
		),
		phase === "filter" &&
			funnel(
				geometry,
				lanes.seen ? [] : (model?.left ?? []),
				whole,
				lanes.seen ? -1 : model ? Math.min(at, plugins.length - 1) : -1,
			),
		phase === "filter" && plugins.map((plugin, i) => columnHead(view, lanes, plugin, i)),
		phase === "score" && scoreLegend(view, lanes),
	);
}

/**
 * The number of nodes left in this frame: those with scores, those that passed (node by node), or those left after the
 * current plugin.
 * @param {Lanes} lanes @param {number} whole of all evaluated nodes
 */
function countLeft({ phase, scores, seen, model, at, plugins }, whole) {
	if (phase === "score") return scores?.names.length ?? 0;
	if (seen) return [...seen].filter((name) => model?.at.get(name)?.stop === PASSED).length;
	if (!model || at < 0) return whole;
	return model.left[Math.min(at, plugins.length - 1)] ?? model.feasible.length;
}

/** The head of a plugin's column. @param {View} view @param {Lanes} lanes @param {string} plugin @param {number} i */
function columnHead(view, { geometry, at, phase, seen, model, mode }, plugin, i) {
	const cut = model ? (i ? model.left[i - 1] : model.evaluated) - model.left[i] : 0;
	const [left, width] = geometry.x[i];
	const kind = i === at && !seen ? "now" : i < at || seen ? "past" : "ahead";
	const staggered = width < STAGGERED;
	const place = width < DOTTED ? "dotted" : staggered ? `staggered ${i % 2 ? "low" : ""}` : "";
	return button(
		() => view.act.seek(view.step, i),
		{
			key: `head${i}`,
			class: `column-head ${kind} ${place}`,
			title: plugin,
			style: { left: `${left + width / 2}px`, "--column": `${staggered ? 2 * width : width}px` },
			"aria-current": kind === "now" ? "step" : null,
			disabled: phase !== "filter" || view.event.type !== "NodesFiltered" || view.order === "node",
		},
		question(plugin),
		mode === "middle" && cut > 0 && i <= at && h("em", null, ` −${cut}`),
		h("small", null, plugin.includes("://") ? t("lane.extender") : plugin),
	);
}

/** The switches for the order of the search, and for plugins that were not called. @param {View} view */
function switches({ order, options, act }) {
	const node = order === "node";
	return h(
		"div",
		{ key: "switches", class: "lane-switches" },
		button(
			() => act.set({ order: node ? "plugin" : "node" }),
			{ "aria-pressed": String(node), title: t("lane.switch.order.title") },
			t("lane.switch.order"),
		),
		button(
			() => act.set({ later: !options.later }),
			{ "aria-pressed": String(options.later), title: t("lane.switch.later") },
			t("lane.switch.later.short"),
		),
	);
}

/** The band behind the current column. @param {Lanes} lanes */
function currentBand({ geometry, at, phase, seen }) {
	const current = phase === "filter" && !seen ? geometry.x[at] : undefined;
	return h("div", {
		key: "band",
		class: `band ${current ? "" : "off"}`,
		style: current ? { left: `calc(var(--head) + ${current[0]}px)`, width: `${current[1]}px` } : {},
	});
}

const ROOM = 60; // pixels that two numbers need
const FIRST = 48; // pixels; a column that ends before has no room for its number
const TEXT = 9; // half the height of a number

/**
 * @typedef {{x: [number, number][], width: number, phone: boolean, head: number}} Geometry columns as [left, width]
 */

/**
 * The funnel, as high at each column as the number of nodes that are left.
 * @param {Geometry} geometry @param {number[]} left @param {number} whole @param {number} at the current column
 * @returns {Child}
 */
export function funnel({ x, width, phone }, left, whole, at) {
	const mid = phone ? 21 : 29;
	const half = (/** @type {number} */ n) => (n / Math.max(1, whole)) * (phone ? 20 : 28);
	const alive = (/** @type {number} */ i) => (i <= 0 ? whole : left[i - 1]);
	const upto = Math.min(at, x.length - 1);
	if (upto < 0)
		return h("svg", { key: "funnel", class: "funnel", "aria-hidden": "true" }, dashes(0, width, mid, half(whole)));
	/** @type {[number, number][]} */
	const points = [[0, whole]];
	/** @type {Child[]} */
	const wedges = [];
	for (let i = 0; i <= upto; i += 1) {
		const middle = x[i][0] + x[i][1] / 2;
		const reach = Math.min(x[i][1] * 0.44, 34);
		points.push([middle - reach, alive(i)], [middle + reach, alive(i + 1)]);
		if (alive(i) > alive(i + 1)) wedges.push(...wedge(middle, reach, mid, half(alive(i)), half(alive(i + 1)), i));
	}
	const end = x[upto][0] + x[upto][1];
	const bare = (/** @type {number} */ n) => (half(n) < TEXT ? "beside" : ""); // no room for a number in it
	const thin = bare(alive(upto + 1)) && end < width - 60;
	points.push([end, alive(upto + 1)]);
	const body = (/** @type {number} */ i) => {
		const part = points.slice(2 * i, 2 * i + 4); // a column's slope, and up to the next
		const edge = (/** @type {1 | -1} */ side) => part.map(([px, n]) => `${px} ${mid + side * half(n)}`);
		return h("path", {
			key: `body${i}`,
			class: "funnel-body",
			d: `M${edge(-1).join("L")}L${edge(1).reverse().join("L")}Z`,
		});
	};
	return h(
		"svg",
		{ key: "funnel", class: "funnel", "aria-hidden": "true" },
		wedges,
		x.slice(0, upto + 1).map((_, i) => body(i)),
		end < width - 8 && dashes(end, width, mid, half(alive(upto + 1))),
		end > ROOM &&
			h("text", { key: "first", class: `funnel-n ${bare(whole)}`, x: phone ? 6 : 10, y: mid + 7 }, String(whole)),
		!phone &&
			x
				.slice(0, upto)
				.map(
					([left0, w], i) =>
						alive(i) > alive(i + 1) &&
						half(alive(i + 1)) > TEXT &&
						left0 + w > FIRST &&
						h(
							"text",
							{ key: `n${i}`, class: "funnel-n", x: left0 + w - 12, y: mid + 7, "text-anchor": "middle" },
							String(alive(i + 1)),
						),
				),
		h(
			"text",
			{
				key: `last${upto}`,
				class: `funnel-n now ${bare(alive(upto + 1))}`,
				x: thin ? end + 5 : end - (phone ? 12 : 24),
				y: mid + 8,
				"text-anchor": thin ? "start" : "middle",
			},
			String(alive(upto + 1)),
		),
		!phone &&
			upto < x.length - 1 &&
			alive(upto + 1) > 0 &&
			end < width - 130 &&
			h("text", { key: "to", class: "funnel-to", x: width - 14, y: mid + 5, "text-anchor": "end" }, t("lane.toscore")),
	);
}

/**
 * The red part of the funnel at a plugin: the nodes that it rejected. `from`, `to`: half the height before and after.
 * @type {(x: number, reach: number, mid: number, from: number, to: number, key: number) => Child[]}
 */
function wedge(x, reach, mid, from, to, key) {
	return [-1, 1].map((side) =>
		h("path", {
			key: `w${key}${side}`,
			class: "funnel-cut",
			d: `M${x - reach} ${mid + side * from}H${x + reach}V${mid + side * to}Z`,
		}),
	);
}

/**
 * The part of the funnel that is still to come.
 * @type {(from: number, to: number, mid: number, half: number) => Child}
 */
function dashes(from, to, mid, half) {
	return h("path", {
		key: "ahead",
		class: "funnel-ahead",
		d: `M${from} ${mid - half}H${to - 8}M${from} ${mid + half}H${to - 8}`,
	});
}

/** @typedef {{key: string, plugin: string, words: string, nodes: string[]}} Group */

const MIDDLE = 40; // nodes
const ABOVE = 112; // pixels above the rows
const ROW = 19; // pixels of a row with text
const LETTER = 7.6;
const NAMED = 8; // named nodes of the picked reason

/**
 * The mode in which `count` rows fit; on a phone, they scroll.
 * @param {View} view
 * @param {number} count
 */
export function modeOf({ width, sizes }, count) {
	const room = width <= PHONE || !sizes.height ? MIDDLE : Math.floor((sizes.height - ABOVE) / ROW);
	return count <= Math.min(MIDDLE, room) ? "middle" : "thin";
}

/** The number of letters of a name that fit beside the bar in a low row. @param {Geometry} geometry */
function lettersBeside({ head, phone }) {
	return Math.floor((phone ? head - 24 : (head - 36) * 0.6) / LETTER);
}

/**
 * Reasons so far: in the order of the plugins, then the most frequent first.
 * @param {Pick<Lanes, "model" | "at" | "plugins" | "seen">} lanes
 * @returns {Group[]}
 */
export function groupsOf({ model, at, plugins, seen }) {
	/** @type {Map<string, Group>} */
	const groups = new Map();
	/** @type {Map<object, Group>} nodes with the same verdict share it */
	const byVerdict = new Map();
	for (const name of model?.names ?? []) {
		const { stop, verdict } = model?.at.get(name) ?? {};
		if (!verdict || (stop ?? 0) > at || (seen && !seen.has(name))) continue;
		const same = byVerdict.get(verdict);
		if (same) {
			same.nodes.push(name);
			continue;
		}
		const words = plain(list([...new Set(verdict.reasons.map(plainReason))]));
		const key = `${verdict.plugin}: ${words}`;
		const group = groups.get(key) ?? { key, plugin: verdict.plugin, words, nodes: [] };
		group.nodes.push(name);
		groups.set(key, group);
		byVerdict.set(verdict, group);
	}
	return [...groups.values()].sort(
		(a, b) => plugins.indexOf(a.plugin) - plugins.indexOf(b.plugin) || b.nodes.length - a.nodes.length,
	);
}

/**
 * The nodes of the picked reason; null if it is not among these groups.
 * @param {View} view
 * @param {Group[]} groups
 */
export function pickedNodes(view, groups) {
	const group = groups.find((candidate) => candidate.key === view.options.reason);
	return group ? new Set(group.nodes) : null;
}

/**
 * The list of reasons with their number of nodes; null if there are none.
 * @param {View} view @param {Group[]} groups
 */
export function reasonList(view, groups) {
	if (!groups.length) return null;
	return h(
		"ul",
		{ key: "reasons", class: "reasons", "aria-label": t("lane.reasons") },
		groups.map((group, i) => {
			const picked = group.key === view.options.reason;
			const first = groups[i - 1]?.plugin !== group.plugin;
			return h(
				"li",
				{ key: group.key, class: first ? "first" : "" },
				button(
					() => view.act.set({ reason: picked ? "" : group.key }),
					{ "aria-pressed": String(picked), title: group.plugin },
					h("span", null, first && h("b", null, question(group.plugin), " "), group.words),
					h("em", null, count(group.nodes.length)),
				),
				picked && h("p", null, nodeLinks(view, group.nodes)),
			);
		}),
	);
}

/**
 * Names of nodes as links; after the first few, the number of the others.
 * @param {View} view @param {string[]} nodes
 */
function nodeLinks(view, nodes) {
	const shown = nodes.slice(0, NAMED);
	return [
		shown.map((name, i) => [
			h(
				"span",
				{ key: name },
				button(() => view.act.select({ kind: "node", name }), { class: "link" }, name),
				i + 1 < nodes.length && t("list.comma").trim(),
			),
			" ",
		]),
		nodes.length > NAMED && t("list.more", { n: nodes.length - NAMED }),
	];
}
