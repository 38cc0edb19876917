// @ts-check
/** One candidate node of a preemption, upright: who stays, who is lifted off, who comes back, who falls through. */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { rampStyle } from "../../shared/priority.js";
import { cutName, podName, quantity } from "../../shared/units.js";
import { scarcest } from "../../trace/room.js";
import { podTitle } from "../parts/pods.js";
import { actOf } from "./model.js";

/**
 * @typedef {object} Drawing
 * @property {string} resource @property {number} whole the tallest node @property {import("./model.js").Act} act
 * @property {number} need @property {boolean} chosen @property {boolean} fallen
 * @property {number} letters that a node's name has room for
 * @property {(resource: string, value: number) => string} amount
 */

export const MOST_VICTIMS = 3;

/** @param {View} view @param {Candidate} candidate @param {Map<string, string>} fates @param {Drawing} how */
export function tank(view, candidate, fates, how) {
	const { state, hero } = view;
	const node = state.nodes.get(candidate.node);
	const size = (/** @type {string} */ key) =>
		((state.pods.get(key)?.summary.requests?.[how.resource] ?? 0) / how.whole) * 100;
	const height = ((node?.summary.allocatable[how.resource] ?? 0) / how.whole) * 100;
	const pods = [...new Set([...(node?.pods ?? []), ...fates.keys()])].filter((key) => state.pods.has(key));
	pods.sort((a, b) => (state.pods.get(b)?.summary.priority ?? 0) - (state.pods.get(a)?.summary.priority ?? 0));
	const gone = (/** @type {string} */ key) => fates.get(key) === "victim" || fates.get(key) === "lifted";
	let bottom = 0;
	/** @type {Child[]} */
	const blocks = [];
	for (const key of pods) {
		const part = size(key);
		const fate = fates.get(key) ?? "stays";
		blocks.push(
			h(
				"button",
				{
					key,
					type: "button",
					"data-pod": key,
					class: `tank-pod fate-${fate}`,
					title: podTitle(state, key),
					tabindex: gone(key) ? "-1" : null,
					style: {
						...rampStyle(state.pods.get(key)?.summary.priority ?? 0),
						bottom: `${bottom}%`,
						height: `calc(${part}% - 2px)`,
					},
					on: { click: () => view.act.select({ kind: "pod", name: key }) },
				},
				h("span", null, podName(key)),
				h("em", null, fate === "back" ? "↩" : fate === "stays" ? "■" : ""),
			),
		);
		if (!gone(key)) bottom += part;
	}
	const held = (how.need / how.whole) * 100;
	const fits = how.act !== "floor";
	blocks.push(
		h(
			"span",
			{
				key: "hero",
				class: `tank-hero ${how.chosen ? "lands" : ""} ${fits ? "" : "off"}`,
				style: { bottom: `${Math.min(bottom, Math.max(0, height - held))}%`, height: `calc(${held}% - 2px)` },
			},
			h("span", null, how.chosen ? podName(hero) : t("tank.free", { room: quantity(how.resource, how.need) })),
		),
	);
	const victims = [...fates].filter(([, fate]) => fate === "victim").map(([key]) => key);
	return h(
		"div",
		{ key: candidate.node, class: `tank-column ${how.chosen ? "chosen" : ""} ${how.fallen ? "fallen" : ""}` },
		h(
			"h3",
			{ key: "name", "data-node": candidate.node },
			h(
				"button",
				{
					type: "button",
					title: candidate.node,
					on: { click: () => view.act.select({ kind: "node", name: candidate.node }) },
				},
				how.chosen ? "★ " : "",
				cutName(candidate.node, how.letters),
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
	const shown = victims.slice(0, victims.length > MOST_VICTIMS ? MOST_VICTIMS - 1 : MOST_VICTIMS);
	const lifted = [...fates.values()].filter((fate) => fate === "lifted").length;
	return [
		shown.map((key) => {
			const guarded = candidate.reprieve.find((one) => one.pod === key)?.violates_pdb;
			return h(
				"button",
				{
					key,
					type: "button",
					"data-pod": key,
					class: "victim",
					title: podTitle(view.state, key),
					on: { click: () => view.act.select({ kind: "pod", name: key }) },
				},
				h("s", null, "✕"),
				h("span", null, podName(key)),
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
 * Where a candidate's lower-priority pods are in a frame.
 * @param {Theatre} play @param {Candidate} candidate @param {number} frame
 * @returns {Map<string, "on" | "lifted" | "trying" | "back" | "victim">}
 */
export function fates(play, candidate, frame) {
	const { act, at } = actOf(play, frame);
	const done = act === "floor" ? -1 : act === "removed" ? 0 : act === "reprieve" && at < play.ranks ? at : Infinity;
	const out = new Map();
	for (const pod of candidate.removed) out.set(pod, done < 0 ? "on" : "lifted");
	if (done > 0) candidate.reprieve.slice(0, done).forEach((one) => out.set(one.pod, one.reprieved ? "back" : "victim"));
	return out;
}
