// @ts-check
/**
 * The preemption: on each candidate node the lower-priority pods are removed, then reprieved one by
 * one or become victims; then up to six criteria rule out candidates until one is left.
 */

import { h, PHONE, patch } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { nodeName, shortPod } from "../../shared/names.js";
import { amount, quantity } from "../../shared/units.js";
import { allocatable, request } from "../../trace/room.js";
import { filterModel } from "../filter/model.js";
import { podLabel, podTitle } from "../parts/pods.js";
import { noVictims, plainReason } from "../parts/words.js";
import { candidateColumn, candidateLanes, criteriaRows, drawnResource, fates, MAX_VICTIMS } from "./candidates.js";
import { actOf, preemptionOf } from "./model.js";

const MAX_COLUMNS = 6;
const MAX_GROUPS = 8;
const MAX_NAMES = 8;
const FEW = 3; // columns that share the stage's width
const LOW = 396; // pixels of the stage: below it, columns and criteria would overlap
const NARROW = 88; // pixels of a column in which its pods have no names
const AXIS = 190; // pixels beside the columns
const AT_END = 1000; // beyond the last frame

/** Draws preemption; nothing if the attempt has none. @param {Element} target @param {View} view */
export function draw(target, view) {
	const preemption = preemptionOf(view.state);
	if (!preemption) return patch(target, []);
	const frame = view.event.type === "PreemptionEvaluated" ? view.frame : AT_END;
	const shown = shownCandidates(preemption);
	const inLanes = view.width <= PHONE || (view.sizes.height > 0 && isSmall(view.sizes, shown.length));
	patch(target, [
		h(
			"div",
			{
				key: "preemption",
				class: `preemption ${inLanes ? "in-lanes" : ""} act-${actOf(preemption, frame).act}`,
				style: { "--columns": String(shown.length || 1), "--widest": shown.length <= FEW ? "480px" : "190px" },
			},
			filterResult(view, preemption),
			!shown.length && nobody(view, preemption),
			shown.length > 0 && !inLanes && columns(view, preemption, shown, frame),
			shown.length > 0 &&
				(inLanes ? candidateLanes(view, preemption, shown, frame) : criteriaRows(view, preemption, shown, frame)),
		),
	]);
}

/** Whether the stage is too small for this many columns. @param {View["sizes"]} sizes @param {number} count */
function isSmall({ stage, height }, count) {
	return height < LOW || stage - AXIS < NARROW * count;
}

/** The first candidates; the chosen one is always among them. @param {Preemption} preemption */
function shownCandidates(preemption) {
	const first = preemption.candidates.slice(0, MAX_COLUMNS);
	if (preemption.chosen && !first.includes(preemption.chosen)) first[MAX_COLUMNS - 1] = preemption.chosen;
	return first;
}

/**
 * The line that says why no node fits, with the number of candidates.
 * @param {View} view @param {Preemption} preemption
 */
function filterResult(view, preemption) {
	const model = filterModel(view.state);
	const tally = new Map();
	for (const { verdict } of model?.at.values() ?? []) {
		const text = verdict ? plainReason(verdict.reasons[0] ?? "") : "";
		if (text) tally.set(text, (tally.get(text) ?? 0) + 1);
	}
	const total = model?.evaluated ?? view.state.nodes.size;
	const more = preemption.all - MAX_COLUMNS;
	return h(
		"div",
		{ key: "filter", class: "filter-result" },
		h("b", null, "✕ ", t(total === 1 ? "preempt.fit.one" : "preempt.fit", { total })),
		h("span", null, preemption.candidates.length ? t("preempt.who", { n: preemption.all }) : t("preempt.noone")),
		more > 0 && h("span", { key: "more" }, t("preempt.more", { n: more })),
		h(
			"span",
			{ class: "filter-reasons" },
			[...tally]
				.sort((a, b) => b[1] - a[1])
				.slice(0, 4)
				.map(([text, n]) => h("span", { key: text }, `${n} × ${text}`)),
		),
	);
}

/** The note that says why no node is a candidate. @param {View} view @param {Preemption} preemption */
function nobody(view, preemption) {
	const { event } = preemption;
	return h(
		"div",
		{ key: "nobody", class: "nobody" },
		event.eligible
			? obstacleGroups(view, event)
			: h("p", null, t("preempt.ineligible", { pod: shortPod(view.subject) })),
		event.message && h("p", { class: "raw" }, event.message),
	);
}

/**
 * A line for each obstacle, with the nodes where evictions would not help because of it.
 * @param {View} view
 * @param {PreemptionEvaluated} event
 */
function obstacleGroups({ state }, { failed = {}, more_failed = 0, unhelpful = 0 }) {
	/** @type {Map<string, string[]>} */
	const nodesByReason = new Map();
	const take = (/** @type {string} */ kind, /** @type {string} */ reason, /** @type {string} */ name) => {
		const key = `${kind}|${reason}`;
		nodesByReason.set(key, [...(nodesByReason.get(key) ?? []), name]);
	};
	for (const [name, { reasons }] of Object.entries(failed)) {
		const reason = reasons[0] ?? "";
		if (noVictims(reason)) take("novictims", "", name);
		else take("failed", plainReason(reason), name);
	}
	for (const [name, { verdict }] of filterModel(state)?.at ?? []) {
		if (verdict?.code !== "UnschedulableAndUnresolvable" || failed[name]) continue;
		take("unhelpful", plainReason(verdict.reasons[0] ?? ""), name);
	}
	if (!nodesByReason.size && unhelpful) take("unhelpful", state.cycle.PreFilterFinished?.reasons?.[0] ?? "", "");
	const shown = [...nodesByReason].slice(0, MAX_GROUPS).map(([key, names]) => {
		const [kind, reason] = key.split("|");
		return h(
			"p",
			{ key },
			h("b", null, t(`preempt.group.${kind}`, { n: names[0] ? names.length : unhelpful, reason })),
			names[0] &&
				h(
					"small",
					null,
					names
						.slice(0, MAX_NAMES)
						.map((name, i) => [i ? t("list.comma") : "", h("span", { key: name, class: "glued" }, name)]),
					names.length > MAX_NAMES && `${t("list.comma")}${t("list.more", { n: names.length - MAX_NAMES })}`,
				),
		);
	});
	return [shown, more_failed > 0 && h("p", { key: "more" }, t("list.more", { n: more_failed }))];
}

/**
 * The number of rows of chips below the columns, enough for all removed pods up to a limit, so that the height stays
 * the same.
 * @param {Candidate[]} shown
 */
function chipRows(shown) {
	return Math.max(1, Math.min(MAX_VICTIMS, Math.max(...shown.map((candidate) => candidate.removed.length))));
}

/**
 * The candidates side by side.
 * @param {View} view @param {Preemption} preemption @param {Candidate[]} shown @param {number} frame
 */
function columns(view, preemption, shown, frame) {
	const resource = drawnResource(view, shown);
	const whole = Math.max(
		...shown.map((candidate) => allocatable(/** @type {any} */ (view.state.nodes.get(candidate.node)), resource)),
	);
	const { act, at } = actOf(preemption, frame);
	const rowCount = chipRows(shown);
	const over = !preemption.criteria ? act === "result" : act === "criterion" && at >= preemption.criteria;
	return h(
		"div",
		{ key: "columns", class: "candidate-columns", style: { "--victims": `${rowCount * 23 + 8}px` } },
		h(
			"div",
			{ key: "axis", class: "columns-axis" },
			h("h3", null, t("candidate.per", { room: quantity(resource, whole) })),
			h("p", null, t("candidate.with", { pod: shortPod(view.subject) })),
			h("p", { class: "key subject-key" }, h("i"), h("span", null, podLabel(view.subject))),
			h("p", { class: "key stays" }, h("i"), t("candidate.untouchable")),
			h("p", { class: "key back" }, h("i"), t("candidate.back")),
			h("p", { class: "key victim" }, h("i"), t("candidate.victim")),
			otherNodes(view, preemption),
		),
		shown.map((candidate) =>
			candidateColumn(view, candidate, fates(preemption, candidate, frame), {
				resource,
				whole,
				act,
				need: request(view.state, view.subject, resource),
				chosen: over && !candidate.rung,
				fallen: act === "criterion" && Boolean(candidate.rung) && /** @type {number} */ (candidate.rung) <= at,
				amount,
				rows: rowCount,
				letters: Math.min(shown.length <= FEW ? 320 : 190, (view.sizes.stage - AXIS) / shown.length) / 10,
			}),
		),
	);
}

const MOST_NAMED = 4; // nodes

/** The reason why evictions do not help, in plain words. @param {string} reason */
function obstacleText(reason) {
	return noVictims(reason) ? t("candidate.novictims") : plainReason(reason);
}

/**
 * The list of the nodes where evictions cannot help, and why; null if there are none.
 * @param {View} view @param {Preemption} preemption
 */
function otherNodes(view, preemption) {
	const candidates = new Set(preemption.candidates.map((candidate) => candidate.node));
	const rest = [...(filterModel(view.state)?.at ?? [])].filter(([name]) => !candidates.has(name));
	if (!rest.length) return null;
	const why = (/** @type {string} */ name, /** @type {any} */ { verdict }) =>
		obstacleText((preemption.event.failed?.[name] ?? verdict)?.reasons[0] ?? "");
	const reasons = new Set(rest.map(([name, at]) => why(name, at)));
	const some = rest.slice(0, MOST_NAMED);
	return h(
		"div",
		{ key: "cannot", class: "cannot" },
		h("h3", null, t("candidate.cannot")),
		h(
			"p",
			{ key: "names" },
			some.map(([name, at], i) => [
				h("b", { key: name, title: `${name}: ${why(name, at)}` }, nodeName(name)),
				i < some.length - 1 && t("list.comma"),
			]),
			rest.length > MOST_NAMED && `${t("list.comma")}${t("list.more", { n: rest.length - MOST_NAMED })}`,
		),
		reasons.size === 1 && h("p", { key: "why" }, [...reasons][0]),
	);
}

const FURTHEST = 3000; // steps back
const MOST = 2; // rows
const NAMES = 4;

/** @typedef {import("../../trace/trace").PreemptionStarted} Started */

/** A row for each preemption in progress, except in its own picture. @param {View} view @returns {Child[]} */
export function rows(view) {
	return preemptionsInProgress(view)
		.filter(({ pod }) => view.scene !== "preempt" || view.subject !== pod)
		.slice(0, MOST)
		.map((started) => preemptionRow(view, started));
}

/** The preemptions that are in progress, the latest first. @param {View} view @returns {Started[]} */
export function preemptionsInProgress({ state, store, step: here }) {
	const waiting = new Set();
	for (const { summary, node, nominated_node, place } of state.pods.values())
		if (nominated_node && !node && place !== "scheduling") waiting.add(summary.pod);
	/** @type {Started[]} */
	const out = [];
	if (!waiting.size) return out;
	for (const { step, event } of store.walk(here, -1)) {
		if (here - step > FURTHEST || !waiting.size) break;
		if (event.type === "PreemptionFinished") waiting.delete(event.pod);
		else if (event.type === "PreemptionStarted" && waiting.delete(event.pod)) out.push(event);
	}
	return out;
}

/** A preemption whose victims are still being deleted. @param {View} view @param {Started} started */
function preemptionRow(view, { pod, node, victims }) {
	const sent = (/** @type {string} */ key) => view.state.pods.get(key)?.gone_at !== null;
	const n = victims.filter(sent).length;
	return h(
		"div",
		{ key: `running${pod}`, class: "running" },
		h("b", { key: "who" }, t("async.running", { pod: shortPod(pod), node: nodeName(node) })),
		h(
			"ul",
			{ key: "victims" },
			victims
				.slice(0, NAMES)
				.map((key) =>
					h(
						"li",
						{ key, class: sent(key) ? "sent" : "", title: podTitle(view.state, key) },
						h("em", { "aria-hidden": "true" }, sent(key) ? "✕" : "…"),
						podLabel(key),
						h("span", { class: "sr" }, t(sent(key) ? "async.sent" : "async.coming")),
					),
				),
			victims.length > NAMES && h("li", { key: "more" }, t("list.more", { n: victims.length - NAMES })),
		),
		h("span", { key: "words", class: "running-words" }, t("async.calls", { n, all: victims.length })),
		h("span", { key: "till", class: "running-till" }, t("async.till", { pod: shortPod(pod) })),
	);
}
