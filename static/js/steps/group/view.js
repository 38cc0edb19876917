// @ts-check
/**
 * The stage for pod groups: the group as one thing above, the nodes below. Members are tried one after the other, the
 * quorum fills, placements stand beside each other, and what is decided all members go to together.
 */

import { h, patch } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { frame } from "./frame.js";
import { gangOf } from "./model.js";
import { nodeBox } from "./nodes.js";
import { columns, placements } from "./placements.js";
import { victims } from "./victims.js";

const NARROW = 700;
const FEW = 4; // nodes in one row
const MOST_NODES = 12;
const MOST_ON_PHONES = 6;

/** @param {Element} target @param {View} view */
export function draw(target, view) {
	const gang = gangOf(view.event, view.state);
	if (!gang) return patch(target, []);
	const beside = placements(gang, view.state);
	patch(target, [
		h(
			"div",
			{ key: "gang", class: `gang phase-${gang.phase}` },
			frame(view, gang),
			victims(view, gang),
			beside.length > 0 ? columns(view, gang, beside) : nodes(view, gang),
		),
	]);
}

/** @param {View} view @param {import("./model.js").Gang} gang */
function nodes(view, gang) {
	const all = [...view.state.nodes.keys()];
	const shown = few(view, gang, all);
	return h(
		"div",
		{ key: "nodes", class: "gang-nodes", style: { "--across": String(across(shown.length)) } },
		shown.map((name) => nodeBox(view, gang, name)),
		all.length > shown.length &&
			h("p", { key: "more", class: "gang-nodes-more" }, t("gang.nodes.more", { n: all.length - shown.length })),
		!all.length && h("p", { key: "none", class: "empty" }, t("cluster.empty")),
	);
}

/** In rows of about the same length. @param {number} n */
function across(n) {
	return Math.ceil(n / Math.max(1, Math.ceil(n / FEW)));
}

/**
 * Of many nodes those that have to do with the group, in their order.
 * @param {View} view @param {import("./model.js").Gang} gang @param {string[]} all
 */
function few({ state, width }, { members, cycle, key }, all) {
	const most = width <= NARROW ? MOST_ON_PHONES : MOST_NODES;
	if (all.length <= most) return all;
	const own = new Set(members.map(({ node }) => node));
	const victims = new Set(cycle?.preemption?.victims?.map((pod) => state.pods.get(pod)?.node));
	const near = all.filter((name) => own.has(name) || victims.has(name));
	const grouped = all.filter((name) =>
		state.nodes.get(name)?.pods.some((pod) => state.pods.get(pod)?.summary.pod_group === key),
	);
	const kept = new Set([...near, ...grouped, ...all].slice(0, Math.max(most, Math.min(near.length, 2 * most))));
	return all.filter((name) => kept.has(name));
}
