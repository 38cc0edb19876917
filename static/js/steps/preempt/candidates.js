// @ts-check
/** A candidate node of a preemption as a column or a lane: pods that stay, are removed or put back, and victims. */

import { button, h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { nodeName, shortPod } from "../../shared/names.js";
import { nameInKey, quantity, rampStyle } from "../../shared/units.js";
import { allocatable, request, scarcest } from "../../trace/room.js";
import { podLabel, podTitle } from "../parts/pods.js";
import { actOf } from "./model.js";
import { criterionText } from "./words.js";

/**
 * @typedef {object} Drawing
 * @property {string} resource @property {number} whole the tallest node @property {import("./model.js").Act} act
 * @property {number} need @property {boolean} chosen @property {boolean} fallen
 * @property {number} letters of a node's name that fit
 * @property {number} rows of chips below the columns
 * @property {(resource: string, value: number) => string} amount
 */

export const MAX_VICTIMS = 3;
const NARROW = 16; // letters; narrower columns show only the amount

/**
 * The column of a candidate node: its pods, their fates, and the room for the preemptor.
 * @param {View} view @param {Candidate} candidate @param {Map<string, string>} fateByPod @param {Drawing} drawing
 */
export function candidateColumn(view, candidate, fateByPod, drawing) {
	const { state, subject } = view;
	const { resource, whole, chosen, letters } = drawing;
	const node = state.nodes.get(candidate.node);
	const size = (/** @type {string} */ key) => ((state.pods.get(key)?.summary.requests?.[resource] ?? 0) / whole) * 100;
	const height = ((node?.summary.allocatable[resource] ?? 0) / whole) * 100;
	const pods = [...new Set([...(node?.pods ?? []), ...fateByPod.keys()])].filter((key) => state.pods.has(key));
	const gone = (/** @type {string} */ key) => fateByPod.get(key) === "victim" || fateByPod.get(key) === "lifted";
	let bottom = 0;
	/** @type {Child[]} */
	const blocks = [];
	for (const key of pods) {
		const part = size(key);
		const fate = fateByPod.get(key) ?? "stays";
		const priority = state.pods.get(key)?.summary.priority ?? 0;
		blocks.push(
			button(
				() => view.act.select({ kind: "pod", name: key }),
				{
					key,
					"data-pod": key,
					class: `candidate-pod fate-${fate}`,
					title: podTitle(state, key),
					tabindex: gone(key) ? "-1" : null,
					style: {
						...rampStyle(priority),
						bottom: `${bottom}%`,
						height: `calc(${part}% - 2px)`,
					},
				},
				h("span", null, podLabel(key)),
				fate === "on" && h("small", { key: "priority" }, t("priority", { n: priority })),
				h("em", null, fate === "back" ? "↩" : fate === "stays" ? "■" : ""),
			),
		);
		if (!gone(key)) bottom += part;
	}
	const held = (drawing.need / whole) * 100;
	const need = quantity(resource, drawing.need);
	const fits = drawing.act !== "candidates";
	blocks.push(
		h(
			"span",
			{
				key: "subject",
				title: `${nameInKey(subject)}: ${t("candidate.free", { room: need })}`,
				class: `candidate-subject ${chosen ? "lands" : ""} ${fits ? "" : "off"}`,
				style: { bottom: `${Math.min(bottom, Math.max(0, height - held))}%`, height: `calc(${held}% - 2px)` },
			},
			h("span", null, chosen ? podLabel(subject) : letters < NARROW ? need : t("candidate.free", { room: need })),
		),
	);
	return h(
		"div",
		{
			key: candidate.node,
			class: `candidate-column ${chosen ? "chosen" : ""} ${drawing.fallen ? "fallen" : ""}`,
		},
		h(
			"h3",
			{ key: "name", "data-node": candidate.node },
			button(
				() => view.act.select({ kind: "node", name: candidate.node }),
				{ title: candidate.node },
				chosen && h("span", { key: "star", class: "late" }, "★ "),
				nodeName(candidate.node, letters - (chosen ? 2 : 0)),
			),
		),
		h(
			"div",
			{ key: "bar", class: "candidate-bar" },
			h("div", { class: "candidate-inside", style: { height: `${height}%` } }),
			blocks,
		),
		h("div", { key: "victims", class: "victims" }, chips(view, candidate, fateByPod, drawing.rows)),
	);
}

/**
 * The chips below a column: the victims, or while there are none, the removed pods; only the number of these if they
 * are more than `rows`.
 * @param {View} view @param {Candidate} candidate @param {Map<string, string>} fateByPod @param {number} rows
 */
function chips(view, candidate, fateByPod, rows) {
	const podsWith = (/** @type {string} */ fate) => [...fateByPod].filter(([, own]) => own === fate).map(([key]) => key);
	const victims = podsWith("victim");
	const lifted = victims.length ? [] : podsWith("lifted");
	const shown = lifted.length
		? lifted.slice(0, lifted.length > rows ? 0 : rows)
		: victims.slice(0, victims.length > MAX_VICTIMS ? MAX_VICTIMS - 1 : MAX_VICTIMS);
	return [
		shown.map((key) => {
			const guarded = candidate.reprieve.find((step) => step.pod === key)?.violates_pdb;
			return button(
				() => view.act.select({ kind: "pod", name: key }),
				{
					key: lifted.length ? `lifted ${key}` : key, // another element, so that a victim's drops in anew
					"data-pod": key,
					class: `victim ${lifted.length ? "lifted" : ""}`,
					title: podTitle(view.state, key),
				},
				h("s", null, lifted.length ? "↑" : "✕"),
				h("span", null, podLabel(key)),
				h("em", null, guarded ? "PDB" : String(view.state.pods.get(key)?.summary.priority ?? 0)),
			);
		}),
		victims.length > shown.length &&
			h("span", { key: "more", class: "more" }, t("list.more", { n: victims.length - shown.length })),
		lifted.length > rows && h("span", { key: "lifted", class: "more" }, t("candidate.lifted", { n: lifted.length })),
	];
}

/** The resource along which the bars are drawn. @param {View} view @param {Candidate[]} shown */
export function drawnResource({ state, subject }, shown) {
	const resource = shown[0] ? scarcest(state, shown[0].node, subject) : "cpu";
	return resource === "pods" ? "cpu" : resource;
}

/**
 * The state in a frame of each lower-priority pod of a candidate.
 * @param {Preemption} preemption @param {Candidate} candidate @param {number} frame
 * @returns {Map<string, "on" | "lifted" | "trying" | "back" | "victim">}
 */
export function fates(preemption, candidate, frame) {
	const { act, at } = actOf(preemption, frame);
	const done =
		act === "candidates" ? -1 : act === "removed" ? 0 : act === "reprieve" && at < preemption.ranks ? at : Infinity;
	const out = new Map();
	for (const pod of candidate.removed) out.set(pod, done < 0 ? "on" : "lifted");
	if (done > 0)
		candidate.reprieve.slice(0, done).forEach((step) => out.set(step.pod, step.reprieved ? "back" : "victim"));
	return out;
}

const DATES = 4; // index of the criterion of start times
const ARROW = 6; // per cent of a node: narrower pods have no room for the arrow

/**
 * The candidates as lanes, where the stage is too narrow or too low for columns.
 * @param {View} view
 * @param {Preemption} preemption
 * @param {Candidate[]} shown
 * @param {number} frame
 */
export function candidateLanes(view, preemption, shown, frame) {
	const { act, at } = actOf(preemption, frame);
	const now = act === "criterion" ? at : act === "result" ? 1 : 0;
	const criteria = now ? preemption.criteria : 0;
	const columns =
		Array.from({ length: criteria }, (_, i) => (i === DATES ? "minmax(74px, 1fr)" : "minmax(0, 1fr)")).join(" ") ||
		"minmax(0, 1fr)";
	const resource = drawnResource(view, shown);
	return h(
		"div",
		{ key: "lanes", class: "candidate-lanes", style: { "--criteria": columns } },
		criteria > 0 &&
			h(
				"div",
				{ key: "head", class: "candidate-head" },
				h("b", null, t("preempt.node")),
				Array.from({ length: criteria }, (_, i) => h("span", { key: i }, `${i + 1} ${t(`criterion.short.${i + 1}`)}`)),
			),
		shown.map((candidate) => {
			const fate = fates(preemption, candidate, frame);
			const victims = [...fate].filter(([, state]) => state === "victim").map(([key]) => shortPod(key));
			const wins = now > 0 && !candidate.rung && now >= criteria;
			return h(
				"div",
				{ key: candidate.node, class: `candidate-lane ${wins ? "wins" : ""}`, "data-node": candidate.node },
				h(
					"div",
					null,
					h("b", { title: candidate.node }, wins ? "★ " : "", nodeName(candidate.node)),
					h(
						"small",
						null,
						victims.length
							? `✕ ${victims[0]}${victims.length > 1 ? `, +${victims.length - 1}` : ""}`
							: lowerPods(view, fate, act),
					),
				),
				criteria
					? Array.from({ length: criteria }, (_, i) => cell(view, preemption, candidate, i + 1, now))
					: laneBar(view, candidate, fate, resource),
			);
		}),
	);
}

const FEW = 2; // pods that are named

/**
 * The pods that may be evicted, each with its priority as on the chips; only their number if there are many.
 * @param {View} view @param {Map<string, string>} fate @param {import("./model.js").Act} act
 */
function lowerPods({ state }, fate, act) {
	const pods = [...fate].filter(([, own]) => own === "lifted" || own === "on").map(([key]) => key);
	if (pods.length && pods.length <= FEW)
		return pods.map((key) => `${shortPod(key)} ${state.pods.get(key)?.summary.priority ?? 0}`).join(t("list.comma"));
	return t(act === "candidates" ? "candidate.lower" : "candidate.lifted", { n: pods.length });
}

/**
 * The dry run of a candidate as a bar from left to right: pods by their fate, and the pod's request.
 * @param {View} view
 * @param {Candidate} candidate
 * @param {Map<string, string>} fate
 * @param {string} resource
 */
function laneBar({ state, subject }, candidate, fate, resource) {
	const node = state.nodes.get(candidate.node);
	const part = (/** @type {string} */ key) =>
		(request(state, key, resource) / Math.max(1, node ? allocatable(node, resource) : 1)) * 100;
	const fateOf = (/** @type {string} */ key) => fate.get(key) ?? "stays";
	const standing = (node?.pods ?? []).filter((key) => fateOf(key) !== "lifted" && fateOf(key) !== "victim");
	const taken = standing.reduce((sum, key) => sum + part(key), 0);
	return h(
		"div",
		{ key: "bar", class: "lane-bar" },
		standing.map((key) =>
			h(
				"i",
				{
					key,
					class: fateOf(key),
					title: nameInKey(key),
					style: { ...rampStyle(state.pods.get(key)?.summary.priority ?? 0), width: `${part(key)}%` },
				},
				fateOf(key) === "back" && part(key) > ARROW ? "↩" : "",
			),
		),
		fate.size > 0 &&
			fateOf([...fate.keys()][0]) !== "on" &&
			h("u", { key: "need", style: { left: `${Math.min(taken, 100 - part(subject))}%`, width: `${part(subject)}%` } }),
	);
}

/**
 * The rows of the criteria; a note before they are compared, and if a single candidate needs none.
 * @param {View} view @param {Preemption} preemption @param {Candidate[]} shown @param {number} frame
 */
export function criteriaRows(view, preemption, shown, frame) {
	const { act, at } = actOf(preemption, frame);
	const now = act === "criterion" ? at : 0;
	if (!preemption.criteria) return h("p", { key: "single", class: "criterion-note" }, t("criterion.single"));
	if (!now) return h("p", { key: "ahead", class: "criterion-note" }, t("criterion.ahead"));
	return h(
		"div",
		{ key: "criteria", class: "criteria" },
		[1, 2, 3, 4, 5, 6]
			.filter((criterion) => now < preemption.criteria || criterion <= preemption.criteria)
			.map((criterion) =>
				h(
					"div",
					{ key: criterion, class: `criterion ${criterion === now ? "now" : ""}` },
					h("div", { class: "criterion-name" }, h("b", null, String(criterion)), t(`criterion.${criterion}`)),
					shown.map((candidate) => cell(view, preemption, candidate, criterion, now)),
				),
			),
		now >= preemption.criteria &&
			preemption.criteria < 6 &&
			h(
				"div",
				{ key: "not", class: "criterion unneeded" },
				h(
					"div",
					{ class: "criterion-name" },
					h("b", null, preemption.criteria < 5 ? `${preemption.criteria + 1}–6` : "6"),
				),
				h("div", { key: "not", class: "criterion-note" }, t("criterion.notneeded")),
			),
	);
}

/**
 * The cell with a candidate's value for one criterion; empty before it is compared, and for a candidate that is ruled
 * out.
 * @param {View} view @param {Preemption} preemption @param {Candidate} candidate
 * @param {number} criterion @param {number} now
 */
export function cell(view, preemption, candidate, criterion, now) {
	const alive = !candidate.rung || candidate.rung >= criterion;
	const shown = alive && criterion <= now;
	const falls = candidate.rung === criterion && shown;
	const wins = !candidate.rung && criterion === preemption.criteria && shown;
	const kind = !alive && criterion <= now ? "gone" : falls ? "falls" : wins ? "wins" : "";
	return h(
		"div",
		{ key: `${candidate.node}:${criterion}`, class: `criterion-value ${kind} ${shown ? "" : "blank"}` },
		shown &&
			h(
				"b",
				{ key: `v${criterion}`, title: criterionText(view, candidate, criterion) },
				falls ? "✕ " : wins ? "★ " : "",
				criterionText(view, candidate, criterion),
			),
	);
}
