// @ts-check
/** The lane of a node: its head with the pods, the line through the plugins, the mark that stopped it, its score. */

import { button, h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { nodeName } from "../../shared/names.js";
import { inOneUnit, short, widthOf } from "../../shared/units.js";
import { allocatable, free, heldFor, largest, request, scarcest, used } from "../../trace/room.js";
import { deviceChips } from "../parts/devices.js";
import { alikeText, breakable, plainBar, podBar, tags, wholeName } from "../parts/pods.js";
import { noVictims, question, scoreName, tidy } from "../parts/words.js";
import { scoreBars } from "../score/bars.js";
import { comparesRoom, resourceName } from "./fit.js";
import { PASSED, passedText, stoppedShort, stoppedText } from "./model.js";

const LETTER = 8.4; // pixels
const FREE = 112; // pixels of the free amount

/** @typedef {"waiting" | "alive" | "out" | "unseen"} Fate */
/** @typedef {{zone: string, names: string[]}} Zone */
/** @typedef {{name: string, newZone: boolean, zone: Zone | null, within: Zone | null}} Row */

/**
 * The row of a node. `newZone`: whether another zone is above it; `zone`: the zone whose first row this is; `within`:
 * the node's zone, if there are several.
 * @param {View} view @param {Lanes} lanes @param {Row} row @param {boolean} [picked]
 */
export function laneRow(view, lanes, { name, newZone, zone, within }, picked) {
	const stop = lanes.model?.at.get(name)?.stop;
	const fate = fateOf(lanes, name, stop);
	const hit = fate === "out" && (lanes.seen ? lanes.latest === name : stop === lanes.at) && lanes.phase === "filter";
	/** @type {Record<string, boolean | undefined>} */
	const marks = {
		hit,
		newzone: newZone,
		win: lanes.chosen === name && lanes.phase === "score",
		tried: lanes.latest === name,
		selected: view.selection?.kind === "node" && view.selection.name === name,
		picked,
	};
	return h(
		"div",
		{
			key: name,
			role: "listitem",
			"data-node": name,
			class: ["lane", fate, ...Object.keys(marks).filter((mark) => marks[mark])].join(" "),
		},
		laneHead(view, lanes, name, fate, stop, within),
		h(
			"div",
			{ key: "track", class: "track" },
			laneLine(lanes, stop, fate),
			lanes.mode !== "thin" && ticks(view, lanes, name, fate, stop),
			stopMark(view, lanes, name, fate, stop),
			fate === "out" && lanes.phase === "filter" && otherMarks(lanes, name),
			view.options.later && fate === "out" && lanes.phase === "filter" && laterTicks(view, lanes, name, stop ?? 0),
			fate === "waiting" && lanes.mode === "heads" && waitingFacts(view, lanes, name, zone),
			fate === "unseen" &&
				lanes.mode === "heads" &&
				h("span", { key: "unseen", class: "why-stopped unlooked" }, t(unseenKey(view, lanes, name))),
			lanes.phase === "score" && fate === "alive" && scoreBars(view, lanes, name),
			view.state.cycle.DecisionObserved?.node === name &&
				h("span", { key: "observed", class: "observed" }, t("lane.observed")),
		),
	);
}

/**
 * The facts beside a node that waits for Filter: its devices; in a zone's first row, the zone and its similar pods; on
 * a phone, its tags and the free amount of its scarcest resource. Null if there are none.
 * @param {View} view @param {Lanes} lanes @param {string} name @param {{zone: string, names: string[]} | null} zone
 */
function waitingFacts(view, { geometry }, name, zone) {
	const { state, subject } = view;
	const node = state.nodes.get(name);
	if (!node || !(zone?.zone || geometry.phone || state.slices.size)) return null;
	const resource = scarcest(state, name, subject);
	const left = Math.max(0, free(state, name, resource, subject));
	return h(
		"span",
		{ key: "facts", class: "why-stopped facts" },
		geometry.phone && [t("lane.freeof", freeOf(resource, left, allocatable(node, resource))), tags(state, node)],
		deviceChips(state, name),
		zone?.zone && h("span", { key: "zone", title: zone.zone }, t("cluster.zone", { zone: zone.zone })),
		zone?.zone && h("span", { key: "like", title: alikeText(view, zone.names) }, alikeText(view, zone.names)),
	);
}

/**
 * The key of the reason why Filter did not evaluate a node.
 * @param {View} view @param {Lanes} lanes @param {string} name
 */
function unseenKey({ state }, { model }, name) {
	const named = state.cycle.PreFilterFinished?.nodes;
	if (named && !named.includes(name)) return "lane.unseen.named";
	if (!model?.nominatedFirst) return "lane.unseen";
	return model.hinted ? "lane.unseen.hinted" : "lane.unseen.nominated";
}

/**
 * The state of a node in the picture: waiting, not evaluated, rejected, or still feasible.
 * @param {Lanes} lanes @param {string} name @param {number | undefined} stop @returns {Fate}
 */
function fateOf({ model, at, seen }, name, stop) {
	if (!model) return "waiting";
	if (stop === undefined) return "unseen";
	if (seen && !seen.has(name)) return "waiting";
	return stop <= at && stop !== PASSED ? "out" : "alive";
}

/** Plugins that compare zones. */
const BY_ZONE = new Set(["PodTopologySpread", "EvenPodsSpread"]);

/**
 * The note with a node's zone and the number of similar pods there, while a plugin compares zones; otherwise null.
 * @param {View} view @param {Lanes} lanes @param {Zone | null} within
 */
function zoneNote(view, { at, plugins, phase }, within) {
	const plugin = plugins[Math.min(at, plugins.length - 1)] ?? "";
	if (!within?.zone || phase !== "filter" || !BY_ZONE.has(plugin)) return null;
	const zone = t("cluster.zone", { zone: within.zone });
	const count = alikeText(view, within.names);
	const text = count ? `${within.zone}: ${count}` : zone;
	return h(
		"span",
		{ key: "within", class: "lane-free lane-zone", title: [zone, count].filter(Boolean).join(", ") },
		text,
	);
}

/**
 * The head of a lane, with the node's name and pods; null if the node does not exist at this step.
 * @param {View} view @param {Lanes} lanes @param {string} name @param {Fate} fate @param {number | undefined} stop
 * @param {Zone | null} within
 */
function laneHead(view, lanes, name, fate, stop, within) {
	const node = view.state.nodes.get(name);
	if (!node) return null;
	const resource =
		comparesRoom(lanes.plugins[lanes.at]) && view.subject ? scarcest(view.state, name, view.subject) : "cpu";
	const shown = resource === "pods" ? "cpu" : resource;
	const fits = lanes.plugins.findIndex((plugin) => comparesRoom(plugin));
	const tried = fits >= 0 && lanes.at >= fits && (stop ?? 0) >= fits && fate !== "unseen" && fate !== "waiting";
	const whole = Math.max(1, allocatable(node, shown));
	const measure = { longest: lanes.longest(shown), need: tried ? request(view.state, view.subject, shown) : 0 };
	const placed = zoneNote(view, lanes, within);
	const shownName = nodeName(name, lanes.letters ?? (lanes.geometry.head - (lanes.geometry.phone ? 30 : 78)) / LETTER);
	return h(
		"div",
		{ key: "head", class: "lane-head" },
		h(
			"div",
			{ key: "name", class: "lane-name" },
			button(
				() => view.act.select({ kind: "node", name }),
				{ class: "node-name", ...wholeName(name, shownName) },
				shownName,
			),
			tags(view.state, node),
			placed,
			!placed &&
				hasRoomForFree(lanes, node) &&
				h(
					"span",
					{ key: "free", class: "lane-free" },
					t("lane.freeof", freeOf(shown, Math.max(0, free(view.state, name, shown, view.subject)), whole)),
				),
		),
		lanes.mode !== "thin" && laneBar(view, name, shown, measure, lanes.mode),
		lanes.mode === "heads" &&
			h(
				"span",
				{
					key: "memory",
					class: "memory",
					title: t("memory"),
					style: { width: `${(allocatable(node, "memory") / largest(view.state, "memory")) * 100}%` },
				},
				h("i", { style: { width: `${(used(node, "memory") / Math.max(1, allocatable(node, "memory"))) * 100}%` } }),
			),
	);
}

/**
 * Whether the head of the lane has space for the free amount beside the node's name.
 * @param {Lanes} lanes @param {NodeState} node
 */
function hasRoomForFree({ geometry }, { summary }) {
	const tagged = (summary.taints?.length ?? 0) + (summary.unschedulable ? 1 : 0) > 0;
	return !tagged && nodeName(summary.name).length * LETTER < geometry.head - 60 - FREE;
}

/**
 * The values for "5 of 8", "2.5 of 16 GiB", "1 of 2 gpu".
 * @param {string} resource @param {number} left @param {number} whole
 */
function freeOf(resource, left, whole) {
	const { texts, unit } = inOneUnit(resource, [left, whole]);
	return { free: texts[0], all: texts[1], unit: unit || (resource === "cpu" ? "" : resourceName(short(resource))) };
}

/**
 * The bar of a node's pods: a block for each in high rows, otherwise one gradient.
 * @param {View} view @param {string} name @param {string} resource @param {import("../parts/pods.js").Measure} measure
 * @param {string} mode
 */
function laneBar(view, name, resource, measure, mode) {
	return mode === "heads"
		? podBar(view, name, resource, { held: heldFor(view.state, name, view.subject), measure })
		: plainBar(view, name, resource, measure);
}

/** The middle of a plugin's column, in pixels. @param {Geometry} geometry @param {number} i */
const centreOf = ({ x }, i) => x[i][0] + x[i][1] / 2;

/**
 * The line of a node: up to the plugin that rejected it, or to the current one.
 * @param {Lanes} lanes @param {number | undefined} stop @param {Fate} fate
 */
function laneLine({ geometry, at, plugins, seen, phase }, stop, fate) {
	let end = 0;
	if (fate === "out" && stop !== undefined && geometry.x[stop]) end = centreOf(geometry, stop);
	else if (fate === "alive")
		end =
			at >= plugins.length || seen ? geometry.width - (geometry.phone ? 6 : 90) : geometry.x[at][0] + geometry.x[at][1];
	return h("span", { key: "line", class: `line ${phase === "score" ? "off" : ""}`, style: { width: `${end}px` } });
}

/**
 * A tick for each plugin: on during Filter once the node has passed the plugin, otherwise off.
 * @param {View} view @param {Lanes} lanes @param {string} name @param {Fate} fate @param {number | undefined} stop
 */
function ticks(view, { geometry, at, plugins, seen, phase, mode }, name, fate, stop) {
	return plugins.map((plugin, i) => {
		const off = phase === "score" || fate === "unseen" || fate === "waiting" || i > at || i >= (stop ?? 0);
		const now = i === at && !seen && fate === "alive" && !geometry.phone && mode === "heads";
		const text = now ? passedText(view, name, plugin) : "";
		return button(
			() => view.act.pin(`verdict:${name}:${plugin}`),
			{
				key: `tick${i}`,
				tabindex: now ? null : "-1",
				title: `${name}: ${plugin}`,
				class: `tick ${now ? "now" : ""} ${off ? "off" : ""}`,
				style: { left: `${centreOf(geometry, i)}px` },
				"aria-label": off ? null : `${question(plugin)} ${text} ${t("passed")}`,
				"aria-hidden": off ? "true" : null,
				disabled: off,
			},
			now && [text && h("span", { key: "text" }, text), h("b", { key: "yes", class: "yes" }, text ? " ✓" : "✓")],
		);
	});
}

/**
 * The sign at the end of a lane's line, with the reason; null if there is nothing to show yet.
 * @param {View} view @param {Lanes} lanes @param {string} name @param {Fate} fate @param {number | undefined} stop
 */
function stopMark(view, lanes, name, fate, stop) {
	const { geometry, model, phase, mode, seen, at, plugins } = lanes;
	const verdict = model?.at.get(name)?.verdict;
	if (fate === "alive" && (at >= plugins.length || seen) && phase === "filter") {
		return h(
			"span",
			{ key: "why", class: "why-stopped feasible", style: { left: `${geometry.width - 84}px` } },
			h("b", { class: "yes" }, "✓ "),
			t("lane.feasible"),
		);
	}
	if (fate === "alive" && geometry.phone && phase === "filter" && at >= 0) {
		const [left, width] = geometry.x[at];
		return h(
			"span",
			{ key: "why", class: "why-stopped", style: { left: `${left + width + 6}px` } },
			breakable(tidy(passedText(view, name, plugins[at]))),
			h("b", { class: "yes" }, " ✓"),
		);
	}
	if (fate !== "out" || stop === undefined || !verdict || !geometry.x[stop]) return null;
	const score = phase === "score";
	const x = score ? 12 : centreOf(geometry, stop);
	const last = score ? x : centreOf(geometry, Math.max(stop, ...otherStops(lanes, name)));
	const final = verdict.code === "UnschedulableAndUnresolvable";
	const [bold, meant] = stoppedText(view, name, verdict);
	const rest = uselessText(view, name, verdict) || meant;
	const clause = rest && t("clause") + rest;
	const room = geometry.width - last > Math.max(230, widthOf(bold + clause) * LETTER);
	const words = score
		? [h("b", null, question(verdict.plugin).replace(/[?？]$/, ""), t("colon")), bold]
		: geometry.phone || mode !== "heads"
			? h("b", null, breakable(tidy(stoppedShort(view, name, verdict))))
			: [h("b", null, bold), rest && (room ? clause : h("span", { class: "rest" }, rest))];
	return [
		button(
			() => view.act.pin(`verdict:${name}:${verdict.plugin}`),
			{
				key: "stop",
				class: `stop ${final ? "final" : ""}`,
				style: { left: `${x}px` },
				"aria-label": `${name}: ${verdict.plugin}: ${verdict.reasons.join(", ")}`,
			},
			"✕",
		),
		mode !== "thin" &&
			!(view.options.later && !score) &&
			h(
				"span",
				{
					key: "why",
					class: "why-stopped",
					title: [bold, rest].filter(Boolean).join(t("clause")),
					style: { left: `${last + (score ? 18 : 16)}px` },
				},
				words,
			),
	];
}

/**
 * Why evicting pods from a node would not help, if preemption found no node; otherwise "".
 * @param {View} view
 * @param {string} name
 * @param {Verdict} verdict
 */
function uselessText({ scene, state }, name, verdict) {
	const evaluated = scene === "preempt" ? state.cycle.PreemptionEvaluated : null;
	if (!evaluated?.eligible || evaluated.candidates?.length) return "";
	const failed = evaluated.failed?.[name];
	if (failed) return t(noVictims(failed.reasons[0] ?? "") ? "lane.useless.novictims" : "lane.useless.failed");
	return verdict.code === "UnschedulableAndUnresolvable" ? t("lane.useless.final") : "";
}

/**
 * The indexes, up to the current one, of further predicates that reject a node, in releases that check them all.
 * @param {Lanes} lanes @param {string} name
 */
function otherStops({ plugins, model, at }, name) {
	const others = model?.at.get(name)?.verdict?.others ?? [];
	return others.map((plugin) => plugins.indexOf(plugin)).filter((index) => index >= 0 && index <= at);
}

/** The marks of further predicates that reject a node. @param {Lanes} lanes @param {string} name */
function otherMarks(lanes, name) {
	return otherStops(lanes, name).map((index) => {
		const plugin = lanes.plugins[index];
		const left = `${centreOf(lanes.geometry, index)}px`;
		return h("b", { key: `other${plugin}`, class: "tick later no", title: plugin, style: { left } }, "✕");
	});
}

/**
 * The verdicts of the plugins after the first rejection, which the scheduler did not call.
 * @param {View} view
 * @param {Lanes} lanes
 * @param {string} name
 * @param {number} stop
 */
function laterTicks(view, { geometry, plugins }, name, stop) {
	return plugins.slice(stop + 1).map((plugin, i) => {
		const explanation = view.explainer.filter(view.state.attempt, name, plugin);
		const passes = explanation?.code === "Success";
		return button(
			() => view.act.pin(`verdict:${name}:${plugin}`),
			{
				key: `later${plugin}`,
				class: `tick later ${explanation && !passes ? "no" : ""}`,
				style: { left: `${centreOf(geometry, stop + 1 + i)}px` },
				title: explanation
					? t("lane.later", {
							plugin: scoreName(plugin),
							verdict: passes ? t("passed") : explanation.reasons.join(", "),
						})
					: plugin,
			},
			explanation ? (passes ? "✓" : "✕") : "·",
		);
	});
}
