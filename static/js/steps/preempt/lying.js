// @ts-check
/** The theatre on a phone, or on a stage too low for columns: the candidates lie, as lanes. */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { rampStyle } from "../../shared/priority.js";
import { podName } from "../../shared/units.js";
import { allocatable, request } from "../../trace/room.js";
import { cell } from "./ladder.js";
import { actOf } from "./model.js";
import { fates, tankResource } from "./tank.js";

const DATES = 4; // the rung whose values are dates
const ARROW = 6; // per cent of a node: narrower pods have no room for the arrow

/**
 * The columns become lanes.
 * @param {View} view
 * @param {Theatre} play
 * @param {Candidate[]} shown
 * @param {number} frame
 */
export function lyingLanes(view, play, shown, frame) {
	const { act, at } = actOf(play, frame);
	const now = act === "rung" ? at : act === "result" ? 1 : 0;
	const rungs = now ? play.rungs : 0;
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
		shown.map((one) => {
			const fate = fates(play, one, frame);
			const victims = [...fate].filter(([, state]) => state === "victim").map(([key]) => podName(key));
			const wins = now > 0 && !one.rung && now >= rungs;
			return h(
				"div",
				{ key: one.node, class: `lying-lane ${wins ? "wins" : ""}`, "data-node": one.node },
				h(
					"div",
					null,
					h("b", null, wins ? "★ " : "", one.node),
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
					? Array.from({ length: rungs }, (_, i) => cell(view, play, one, i + 1, now))
					: lyingTank(view, one, fate, resource),
			);
		}),
	);
}

/**
 * The dry run of a candidate that lies: who stays, who is lifted, given back or falls, and what the pod needs.
 * @param {View} view
 * @param {Candidate} one
 * @param {Map<string, string>} fate
 * @param {string} resource
 */
function lyingTank({ state, hero }, one, fate, resource) {
	const node = state.nodes.get(one.node);
	const part = (/** @type {string} */ key) =>
		(request(state, key, resource) / Math.max(1, node ? allocatable(node, resource) : 1)) * 100;
	const order = { stays: 0, back: 1, on: 2, trying: 2, lifted: 3, victim: 4 };
	const of = (/** @type {string} */ key) => /** @type {keyof typeof order} */ (fate.get(key) ?? "stays");
	const pods = [...(node?.pods ?? [])].sort(
		(a, b) =>
			order[of(a)] - order[of(b)] ||
			(state.pods.get(b)?.summary.priority ?? 0) - (state.pods.get(a)?.summary.priority ?? 0),
	);
	const standing = pods.filter((key) => order[of(key)] < order.lifted);
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
