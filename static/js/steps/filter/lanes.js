// @ts-check
/**
 * Filter and Score as lanes, one per node: elimination is a line that stops, and what stopped it is written where it
 * stopped; then the survivors' lines become bars. Rows never change order.
 */

import { h, patch } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { zones } from "../../trace/room.js";
import { question } from "../parts/plain_words.js";
import { laneRow } from "./lane_row.js";
import { filtered, nodesSeen, PASSED } from "./model.js";

/** @type {Lanes["later"]} */
let later;

const HEADS = 12;
const STAGGERED = 52; // pixels of a narrow column

/**
 * @param {Element} target
 * @param {View} view
 * @param {Parts} parts bars for Score, the funnel for Filter, reasons for many nodes
 */
export function draw(target, view, { bars, funnel, reasons }) {
	const lanes = { ...lanesOf(view, bars, reasons), bars, funnel, later };
	const rows = zones(view.state).flatMap(([zone, names], z) =>
		names.map((name, i) => ({ name, zone, first: i === 0 && z > 0 })),
	);
	const groups = (lanes.mode === "thin" && reasons?.groupsOf(lanes)) || [];
	const picked = reasons?.pickedNodes(view, groups);
	patch(target, [
		h(
			"div",
			{
				key: "lanes",
				class: `lanes ${lanes.phase} ${lanes.mode} ${view.options.table ? "table" : ""} ${picked ? "picking" : ""}`,
				style: { "--head": `${lanes.geometry.head}px` },
			},
			header(view, lanes),
			reasons?.reasonList(view, groups),
			h(
				"div",
				{
					key: "rows",
					class: "rows",
					role: "list",
					"aria-label": t("lane.rows"),
					style: { "--lanes": String(rows.length) },
				},
				column(lanes),
				bars?.leadLine(view, lanes) ?? h("div", { key: "lead", class: "lead off" }),
				rows.map((row) => laneRow(view, lanes, row, picked?.has(row.name))),
			),
		),
	]);
}

/** @param {View} view @param {Parts["bars"]} bars @param {Parts["reasons"]} reasons @returns {Lanes} */
function lanesOf(view, bars, reasons) {
	const model =
		view.event.type === "CycleStarted" || view.event.type === "PreFilterFinished" ? null : filtered(view.state);
	const upcoming = view.following?.type === "NodesFiltered" ? view.following.plugins : [];
	const plugins = model?.plugins ?? upcoming;
	const byNode = view.order === "node" && view.event.type === "NodesFiltered";
	const seen = byNode ? nodesSeen(view.event, view.frame) : 0;
	const standing = (view.scene === "score" && bars?.standing(view)) || null;
	const at = !model ? -1 : view.event.type === "NodesFiltered" && !byNode ? view.frame : plugins.length;
	const count = view.state.nodes.size;
	const mode = count > HEADS && reasons ? reasons.modeOf(view, count) : "heads";
	const focus = byNode ? -1 : Math.min(at, plugins.length - 1);
	const geometry = geometryOf(view.sizes.stage, view.width <= 700, plugins.length, focus);
	return {
		phase: standing ? "score" : "filter",
		plugins,
		at,
		model,
		mode,
		scores: null,
		totals: [],
		scored: 0,
		rank: [],
		...standing,
		seen: byNode ? new Set(model?.walk.slice(0, seen)) : null,
		latest: byNode ? (model?.walk[seen - 1] ?? "") : "",
		geometry,
		letters: mode === "middle" ? reasons?.lettersIn(geometry) : undefined,
		chosen: view.state.cycle.HostSelected?.node ?? "",
	};
}

/**
 * Columns of the plugins; the current one is wide.
 * @type {(width: number, phone: boolean, count: number, focus: number) => Geometry}
 */
function geometryOf(width, phone, count, focus) {
	const head = phone ? 124 : width < 880 ? 218 : 262;
	const track = Math.max(60, width - head - 16);
	const end = phone ? 0 : width < 800 ? 72 : 112;
	const wide = phone ? 26 : 148;
	const narrow = phone
		? Math.min(22, (track - 110) / Math.max(1, count))
		: (track - end - wide) / Math.max(1, count - 1);
	/** @type {[number, number][]} */
	const x = [];
	let left = 0;
	for (let i = 0; i < count; i += 1) {
		const w =
			i === focus || (focus < 0 && count === 1) ? wide : focus < 0 ? (track - end) / count : Math.min(narrow, 150);
		x.push([left, w]);
		left += w;
	}
	return { x, width: track, phone, head };
}

/** @param {View} view @param {Lanes} lanes */
function header(view, lanes) {
	const { model, at, plugins, geometry, phase } = lanes;
	const whole = model?.evaluated ?? view.state.nodes.size;
	const left =
		phase === "score"
			? (lanes.scores?.names.length ?? 0)
			: lanes.seen
				? passed(lanes)
				: !model || at < 0
					? whole
					: (model.left[Math.min(at, plugins.length - 1)] ?? model.feasible.length);
	return h(
		"div",
		{ key: "header", class: "lanes-head" },
		h(
			"div",
			{ key: "title", class: "lanes-title" },
			h(
				"b",
				null,
				phase === "score"
					? t("lane.scored", { n: left })
					: view.event.rejected_by
						? t("lane.rejected")
						: t("lane.left", { n: left, total: whole }),
			),
			phase === "score"
				? lanes.bars?.switchTable(view)
				: [h("p", null, t(lanes.mode === "heads" ? "lane.legend" : "lane.legend.short")), model && switches(view)],
		),
		phase === "filter" &&
			lanes.funnel?.funnel(
				geometry,
				lanes.seen ? [] : (model?.left ?? []),
				whole,
				lanes.seen ? -1 : model ? Math.min(at, plugins.length - 1) : -1,
			),
		phase === "filter" && plugins.map((plugin, i) => columnHead(view, lanes, plugin, i)),
		phase === "score" && lanes.bars?.scoreLegend(view, lanes),
	);
}

/** @param {Lanes} lanes */
function passed({ model, seen }) {
	return [...(seen ?? [])].filter((name) => model?.at.get(name)?.stop === PASSED).length;
}

/** @param {View} view @param {Lanes} lanes @param {string} plugin @param {number} i */
function columnHead(view, { geometry, at, phase, seen, model, mode }, plugin, i) {
	const cut = model ? (i ? model.left[i - 1] : model.evaluated) - model.left[i] : 0;
	const [left, width] = geometry.x[i];
	const kind = i === at && !seen ? "now" : i < at || seen ? "past" : "ahead";
	const low = width < STAGGERED && i % 2 === 1;
	return h(
		"button",
		{
			key: `head${i}`,
			class: `column-head ${kind} ${low ? "low" : ""}`,
			type: "button",
			title: plugin,
			style: { left: `${left + width / 2}px`, "--column": `${width < STAGGERED ? 2 * width : width}px` },
			"aria-current": kind === "now" ? "step" : null,
			disabled: phase !== "filter" || view.event.type !== "NodesFiltered" || view.order === "node",
			on: { click: () => view.act.seek(view.step, i) },
		},
		question(plugin),
		mode === "middle" && cut > 0 && i <= at && h("em", null, ` −${cut}`),
		h("small", null, plugin.includes("://") ? t("lane.extender") : plugin),
	);
}

/** The real order of the search, and what was never asked. @param {View} view */
function switches({ order, options, act }) {
	const node = order === "node";
	const unasked = async () => {
		later ??= (await import("./later_ticks.js")).laterTicks;
		act.set({ later: !options.later });
	};
	return h(
		"div",
		{ key: "switches", class: "lane-switches" },
		h(
			"button",
			{
				type: "button",
				"aria-pressed": String(node),
				title: t("lane.switch.order.title"),
				on: { click: () => act.set({ order: node ? "plugin" : "node" }) },
			},
			t("lane.switch.order"),
		),
		h(
			"button",
			{
				type: "button",
				"aria-pressed": String(options.later),
				title: t("lane.switch.later"),
				on: { click: unasked },
			},
			t("lane.switch.later.short"),
		),
	);
}

/** The band behind the current column. @param {Lanes} lanes */
function column({ geometry, at, phase, seen }) {
	const found = phase === "filter" && !seen ? geometry.x[at] : undefined;
	return h("div", {
		key: "band",
		class: `band ${found ? "" : "off"}`,
		style: found ? { left: `calc(var(--head) + ${found[0]}px)`, width: `${found[1]}px` } : {},
	});
}
