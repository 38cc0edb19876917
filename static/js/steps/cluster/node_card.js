// @ts-check
/** A node as a card: its name, what this attempt said of it, its pods sized by request, room in every resource. */

import { h } from "../../shared/dom.js";
import { list, plain, t } from "../../shared/i18n.js";
import { amount, cutName, outOf, podName, quantity, short } from "../../shared/units.js";
import { allocatable, heldFor, nominatedTo, used } from "../../trace/room.js";
import { filtered } from "../filter/model.js";
import { stoppedShort } from "../filter/reasons.js";
import { plainBar, podBar, tags } from "../parts/pods.js";
import { scores } from "../score/model.js";
import { namesOf } from "./outside_names.js";

const LETTER = 8.4; // pixels of a letter of a node's name

/**
 * @typedef {{dense: boolean, width: number, tiers: number, scale: number}} Size
 *   pixels of a bar, rows of names under it, how large letters are
 */

/** @param {View} view @param {string} name @param {Size} size */
export function nodeCard(view, name, size) {
	const node = view.state.nodes.get(name);
	if (!node) return null;
	const selected = view.selection?.kind === "node" && view.selection.name === name;
	const mine = targetOf(view) === name;
	const changed = view.event.kind === "Node" && view.event.name === name;
	const click = () => view.act.select({ kind: "node", name });
	return h(
		"article",
		{
			key: name,
			class: `node-card ${mine ? "mine" : ""} ${selected ? "selected" : ""} ${changed ? "changed" : ""}`,
			"data-node": name,
		},
		h(
			"header",
			null,
			h(
				"button",
				{ type: "button", class: "node-name", title: name, on: { click } },
				size.dense ? name : cutName(name, (0.7 * size.width) / LETTER / size.scale),
			),
			!size.dense && tags(node),
			!size.dense && note(noteOf(view, name, mine)),
		),
		size.dense ? plainBar(view, name, barResource(node)) : bar(view, node, size),
		size.dense ? denseNote(node) : gauges(view, node, mine),
		kept(view, name),
	);
}

/** @param {string} text */
function note(text) {
	return h("span", { class: "node-note", title: text || null }, text);
}

/** @param {View} view @param {NodeState} node @param {Size} size */
function bar(view, node, size) {
	const { name } = node.summary;
	const back = view.event.type === "PodUnreserved" && view.event.node === name; // the place that it had, hatched
	const held = [...heldFor(view.state, name, undefined), ...(back ? [view.event.pod] : [])];
	const { inside, under } = namesOf(view, node, barResource(node), held, size);
	return [podBar(view, name, barResource(node), { held, inside }), under];
}

/** @param {NodeState} node */
function denseNote(node) {
	return h(
		"small",
		{ class: "dense-note" },
		`${amount("cpu", used(node, "cpu"))} / ${quantity("cpu", allocatable(node, "cpu"))}`,
		tags(node),
	);
}

/** @param {View} view @param {string} name */
function kept({ state }, name) {
	const pods = nominatedTo(state, name).map(podName);
	return (
		pods.length > 0 && h("small", { key: "kept", class: "kept" }, t("cluster.kept", { pods: plain(list(pods, 2)) }))
	);
}

/** Where the amber pod goes or went. @param {View} view */
function targetOf({ state, hero, event }) {
	const pod = state.pods.get(hero);
	return event.node && typeof event.node === "string" && event.pod === hero
		? event.node
		: pod?.node || pod?.nominated_node || "";
}

/** @param {NodeState} node */
function barResource(node) {
	return node.summary.allocatable.cpu ? "cpu" : "memory";
}

/** What this attempt said about the node. @param {View} view @param {string} name @param {boolean} mine */
function noteOf(view, name, mine) {
	const { state, hero, event, moment } = view;
	if (mine && event.type === "PodUnreserved") return t("cluster.back");
	if (!hero || state.cycle.CycleStarted?.pod !== hero) return "";
	const total = scores(state);
	const at = total?.names.indexOf(name) ?? -1;
	if (total && at >= 0) return mine ? `★ ${total.totals[at]}` : t("cluster.points", { n: total.totals[at] });
	const verdict = unchanged(state, moment("NodesFiltered"), name) && filtered(state)?.at.get(name)?.verdict;
	return verdict ? `✕ ${stoppedShort({ ...view, state: moment("NodesFiltered") }, name, verdict)}` : mine ? "★" : "";
}

/** Is a node as it was then, and kept for the same pods? @param {State} now @param {State} then @param {string} name */
function unchanged(now, then, name) {
	const [one, other] = [now.nodes.get(name), then.nodes.get(name)];
	if (one?.summary !== other?.summary || one?.pods.join() !== other?.pods.join()) return false;
	return nominatedTo(now, name).join() === nominatedTo(then, name).join();
}

/** @param {NodeState} node the resources that are told of it */
function told(node) {
	return Object.keys(node.summary.allocatable).filter(
		(name) =>
			name === "cpu" ||
			name === "memory" ||
			(name !== "pods" && name !== "ephemeral-storage" && node.summary.allocatable[name] > 0) ||
			(name === "ephemeral-storage" && used(node, name) > 0),
	);
}

/** @param {View} view @param {NodeState} node @param {boolean} mine */
function gauges({ state, hero, event }, node, mine) {
	const landing = mine && event.type === "PodAssumed";
	return h(
		"div",
		{ key: "gauges", class: "gauges" },
		told(node)
			.slice(0, 4)
			.map((name) => {
				const whole = Math.max(1, allocatable(node, name));
				const taken = used(node, name);
				const own = mine && node.pods.includes(hero) ? (state.pods.get(hero)?.summary.requests?.[name] ?? 0) : 0;
				const sum = outOf(name, taken, whole, (part, all) => t("cluster.of", { used: part, all }));
				const before = outOf(name, taken - own, whole, (part) => part).replace(/ [KMGTP]iB$/, "");
				return h(
					"div",
					{ key: name, class: "gauge" },
					h("span", { title: name }, name === "memory" ? "mem" : short(name)),
					h(
						"span",
						{ class: "gauge-bar" },
						h("i", { style: { width: `${((taken - own) / whole) * 100}%` } }),
						h("u", { style: { width: `${(own / whole) * 100}%` } }),
					),
					h("b", null, landing && own ? `${before} → ${sum}` : sum),
				);
			}),
	);
}
