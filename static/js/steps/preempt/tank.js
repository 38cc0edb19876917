// @ts-check
/** A candidate node of a preemption as a tank: pods that stay, are removed, are put back, or become victims. */

import { button, h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { nodeName, shortPod } from "../../shared/names.js";
import { podName, quantity, rampStyle } from "../../shared/units.js";
import { allocatable, request, scarcest } from "../../trace/room.js";
import { podLabel, podTitle } from "../parts/pods.js";
import { actOf } from "./model.js";
import { rungText } from "./words.js";

/**
 * @typedef {object} Drawing
 * @property {string} resource @property {number} whole the tallest node @property {import("./model.js").Act} act
 * @property {number} need @property {boolean} chosen @property {boolean} fallen
 * @property {number} letters that a node's name has room for
 * @property {(resource: string, value: number) => string} amount
 */

export const MAX_VICTIMS = 3;
const NARROW = 16; // letters of a tank in which the amount stands alone

/** @param {View} view @param {Candidate} candidate @param {Map<string, string>} fates @param {Drawing} how */
export function tank(view, candidate, fates, how) {
	const { state, hero } = view;
	const node = state.nodes.get(candidate.node);
	const size = (/** @type {string} */ key) =>
		((state.pods.get(key)?.summary.requests?.[how.resource] ?? 0) / how.whole) * 100;
	const height = ((node?.summary.allocatable[how.resource] ?? 0) / how.whole) * 100;
	const pods = [...new Set([...(node?.pods ?? []), ...fates.keys()])].filter((key) => state.pods.has(key));
	const gone = (/** @type {string} */ key) => fates.get(key) === "victim" || fates.get(key) === "lifted";
	let bottom = 0;
	/** @type {Child[]} */
	const blocks = [];
	for (const key of pods) {
		const part = size(key);
		const fate = fates.get(key) ?? "stays";
		blocks.push(
			button(
				() => view.act.select({ kind: "pod", name: key }),
				{
					key,
					"data-pod": key,
					class: `tank-pod fate-${fate}`,
					title: podTitle(state, key),
					tabindex: gone(key) ? "-1" : null,
					style: {
						...rampStyle(state.pods.get(key)?.summary.priority ?? 0),
						bottom: `${bottom}%`,
						height: `calc(${part}% - 2px)`,
					},
				},
				h("span", null, podLabel(key)),
				h("em", null, fate === "back" ? "↩" : fate === "stays" ? "■" : ""),
			),
		);
		if (!gone(key)) bottom += part;
	}
	const held = (how.need / how.whole) * 100;
	const need = quantity(how.resource, how.need);
	const fits = how.act !== "floor";
	blocks.push(
		h(
			"span",
			{
				key: "hero",
				title: `${podName(hero)}: ${t("tank.free", { room: need })}`,
				class: `tank-hero ${how.chosen ? "lands" : ""} ${fits ? "" : "off"}`,
				style: { bottom: `${Math.min(bottom, Math.max(0, height - held))}%`, height: `calc(${held}% - 2px)` },
			},
			h("span", null, how.chosen ? podLabel(hero) : how.letters < NARROW ? need : t("tank.free", { room: need })),
		),
	);
	const victims = [...fates].filter(([, fate]) => fate === "victim").map(([key]) => key);
	return h(
		"div",
		{ key: candidate.node, class: `tank-column ${how.chosen ? "chosen" : ""} ${how.fallen ? "fallen" : ""}` },
		h(
			"h3",
			{ key: "name", "data-node": candidate.node },
			button(
				() => view.act.select({ kind: "node", name: candidate.node }),
				{ title: candidate.node },
				how.chosen && h("span", { key: "star", class: "late" }, "★ "),
				nodeName(candidate.node, how.letters - (how.chosen ? 2 : 0)),
			),
		),
		h(
			"div",
			{ key: "tank", class: "tank" },
			h("div", { class: "tank-inside", style: { height: `${height}%` } }),
			blocks,
		),
		h("div", { key: "victims", class: "victims" }, chips(view, candidate, victims, fates)),
	);
}

/** @param {View} view @param {Candidate} candidate @param {string[]} victims @param {Map<string, string>} fates */
function chips(view, candidate, victims, fates) {
	const shown = victims.slice(0, victims.length > MAX_VICTIMS ? MAX_VICTIMS - 1 : MAX_VICTIMS);
	const lifted = [...fates.values()].filter((fate) => fate === "lifted").length;
	return [
		shown.map((key) => {
			const guarded = candidate.reprieve.find((step) => step.pod === key)?.violates_pdb;
			return button(
				() => view.act.select({ kind: "pod", name: key }),
				{ key, "data-pod": key, class: "victim", title: podTitle(view.state, key) },
				h("s", null, "✕"),
				h("span", null, podLabel(key)),
				h("em", null, guarded ? "PDB" : String(view.state.pods.get(key)?.summary.priority ?? 0)),
			);
		}),
		victims.length > shown.length &&
			h("span", { key: "more", class: "more" }, t("list.more", { n: victims.length - shown.length })),
		lifted > 0 && !victims.length && h("span", { key: "lifted", class: "more" }, t("tank.lifted", { n: lifted })),
	];
}

/** The resource along which the tanks are drawn. @param {View} view @param {Candidate[]} shown */
export function tankResource({ state, hero }, shown) {
	const resource = shown[0] ? scarcest(state, shown[0].node, hero) : "cpu";
	return resource === "pods" ? "cpu" : resource;
}

/**
 * The positions of a candidate's lower-priority pods in a frame.
 * @param {Preemption} preemption @param {Candidate} candidate @param {number} frame
 * @returns {Map<string, "on" | "lifted" | "trying" | "back" | "victim">}
 */
export function fates(preemption, candidate, frame) {
	const { act, at } = actOf(preemption, frame);
	const done =
		act === "floor" ? -1 : act === "removed" ? 0 : act === "reprieve" && at < preemption.ranks ? at : Infinity;
	const out = new Map();
	for (const pod of candidate.removed) out.set(pod, done < 0 ? "on" : "lifted");
	if (done > 0)
		candidate.reprieve.slice(0, done).forEach((step) => out.set(step.pod, step.reprieved ? "back" : "victim"));
	return out;
}

const DATES = 4; // the rung whose values are dates
const ARROW = 6; // per cent of a node: narrower pods have no room for the arrow

/**
 * The columns become lanes.
 * @param {View} view
 * @param {Preemption} preemption
 * @param {Candidate[]} shown
 * @param {number} frame
 */
export function lyingLanes(view, preemption, shown, frame) {
	const { act, at } = actOf(preemption, frame);
	const now = act === "rung" ? at : act === "result" ? 1 : 0;
	const rungs = now ? preemption.rungs : 0;
	const columns =
		Array.from({ length: rungs }, (_, i) => (i === DATES ? "minmax(74px, 1fr)" : "minmax(0, 1fr)")).join(" ") ||
		"minmax(0, 1fr)";
	const resource = tankResource(view, shown);
	return h(
		"div",
		{ key: "lanes", class: "lying-lanes", style: { "--rungs": columns } },
		rungs > 0 &&
			h(
				"div",
				{ key: "head", class: "lying-head" },
				h("b", null, t("preempt.node")),
				Array.from({ length: rungs }, (_, i) => h("span", { key: i }, `${i + 1} ${t(`rung.short.${i + 1}`)}`)),
			),
		shown.map((candidate) => {
			const fate = fates(preemption, candidate, frame);
			const victims = [...fate].filter(([, state]) => state === "victim").map(([key]) => shortPod(key));
			const wins = now > 0 && !candidate.rung && now >= rungs;
			return h(
				"div",
				{ key: candidate.node, class: `lying-lane ${wins ? "wins" : ""}`, "data-node": candidate.node },
				h(
					"div",
					null,
					h("b", { title: candidate.node }, wins ? "★ " : "", nodeName(candidate.node)),
					h(
						"small",
						null,
						victims.length
							? `✕ ${victims[0]}${victims.length > 1 ? `, +${victims.length - 1}` : ""}`
							: t(act === "floor" ? "tank.lower" : "tank.lifted", {
									n: [...fate.values()].filter((state) => state === "lifted" || state === "on").length,
								}),
					),
				),
				rungs
					? Array.from({ length: rungs }, (_, i) => cell(view, preemption, candidate, i + 1, now))
					: lyingTank(view, candidate, fate, resource),
			);
		}),
	);
}

/**
 * The dry run of a candidate that lies: who stays, who is lifted, given back or falls, and what the pod needs.
 * @param {View} view
 * @param {Candidate} candidate
 * @param {Map<string, string>} fate
 * @param {string} resource
 */
function lyingTank({ state, hero }, candidate, fate, resource) {
	const node = state.nodes.get(candidate.node);
	const part = (/** @type {string} */ key) =>
		(request(state, key, resource) / Math.max(1, node ? allocatable(node, resource) : 1)) * 100;
	const of = (/** @type {string} */ key) => fate.get(key) ?? "stays";
	const standing = (node?.pods ?? []).filter((key) => of(key) !== "lifted" && of(key) !== "victim");
	const taken = standing.reduce((sum, key) => sum + part(key), 0);
	return h(
		"div",
		{ key: "lying", class: "lying" },
		standing.map((key) =>
			h(
				"i",
				{
					key,
					class: of(key),
					title: podName(key),
					style: { ...rampStyle(state.pods.get(key)?.summary.priority ?? 0), width: `${part(key)}%` },
				},
				of(key) === "back" && part(key) > ARROW ? "↩" : "",
			),
		),
		fate.size > 0 &&
			of([...fate.keys()][0]) !== "on" &&
			h("u", { key: "need", style: { left: `${Math.min(taken, 100 - part(hero))}%`, width: `${part(hero)}%` } }),
	);
}

/** @param {View} view @param {Preemption} preemption @param {Candidate[]} shown @param {number} frame */
export function ladder(view, preemption, shown, frame) {
	const { act, at } = actOf(preemption, frame);
	const now = act === "rung" ? at : 0;
	if (!preemption.rungs) return h("p", { key: "single", class: "rung-not" }, t("rung.single"));
	if (!now) return h("p", { key: "ahead", class: "rung-not" }, t("rung.ahead"));
	return h(
		"div",
		{ key: "ladder", class: "ladder" },
		[1, 2, 3, 4, 5, 6]
			.filter((rung) => now < preemption.rungs || rung <= preemption.rungs)
			.map((rung) =>
				h(
					"div",
					{ key: rung, class: `rung ${rung === now ? "now" : ""}` },
					h("div", { class: "rung-name" }, h("b", null, String(rung)), t(`rung.${rung}`)),
					shown.map((candidate) => cell(view, preemption, candidate, rung, now)),
				),
			),
		now >= preemption.rungs &&
			preemption.rungs < 6 &&
			h(
				"div",
				{ key: "not", class: "rung unneeded" },
				h("div", { class: "rung-name" }, h("b", null, preemption.rungs < 5 ? `${preemption.rungs + 1}–6` : "6")),
				h("div", { key: "not", class: "rung-not" }, t("rung.notneeded")),
			),
	);
}

/**
 * @param {View} view @param {Preemption} preemption @param {Candidate} candidate
 * @param {number} rung @param {number} now
 */
export function cell(view, preemption, candidate, rung, now) {
	const alive = !candidate.rung || candidate.rung >= rung;
	const shown = alive && rung <= now;
	const falls = candidate.rung === rung && shown;
	const wins = !candidate.rung && rung === preemption.rungs && shown;
	const kind = !alive && rung <= now ? "gone" : falls ? "falls" : wins ? "wins" : "";
	return h(
		"div",
		{ key: `${candidate.node}:${rung}`, class: `rung-cell ${kind} ${shown ? "" : "blank"}` },
		shown &&
			h(
				"b",
				{ key: `v${rung}`, title: rungText(view, candidate, rung) },
				falls ? "✕ " : wins ? "★ " : "",
				rungText(view, candidate, rung),
			),
	);
}
