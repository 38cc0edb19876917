// @ts-check
/**
 * The cluster between cycles and in the binding cycle: nodes by zone, pods sized by request, room in every resource.
 */

import { h, patch } from "../../shared/dom.js";
import { list, plain, t } from "../../shared/i18n.js";
import { amount, outOf, podName, quantity, short } from "../../shared/units.js";
import { allocatable, heldFor, nominatedTo, used, zones } from "../../trace/room.js";
import { filtered } from "../filter/model.js";
import { plainReason } from "../parts/plain_words.js";
import { plainBar, podBar, tags } from "../parts/pods.js";
import { scores } from "../score/model.js";

const ROOMY = 12;

/** @param {Element} target @param {View} view @param {import("../registry.js").Parts} parts */
export function draw(target, view, { strips }) {
	const groups = zones(view.state);
	const dense = view.state.nodes.size > ROOMY;
	const columns = Math.min(groups.length, view.width <= 700 ? 1 : dense ? 4 : 3);
	const single = groups.length === 1 || groups.length > 4;
	patch(target, [
		h(
			"div",
			{ key: "cluster", class: `cluster ${dense ? "dense" : ""} ${view.state.nodes.size <= 4 ? "few" : ""}` },
			h(
				"div",
				{
					key: "zones",
					class: `zones ${single ? "flow" : ""}`,
					style: single ? {} : { "grid-template-columns": `repeat(${columns}, minmax(0, 1fr))` },
				},
				groups.length === 0 && h("p", { key: "empty", class: "empty" }, t("cluster.empty")),
				groups.map(([zone, names]) => zoneColumn(view, zone, names, dense)),
			),
			strips?.bindingStrips(view),
		),
	]);
}

/** @param {View} view @param {string} zone @param {string[]} names @param {boolean} dense */
function zoneColumn(view, zone, names, dense) {
	const pods = names.reduce((sum, name) => sum + (view.state.nodes.get(name)?.pods.length ?? 0), 0);
	return h(
		"section",
		{ key: `zone${zone}`, class: "zone" },
		h(
			"h3",
			{ key: "title" },
			h("span", null, zone ? t("cluster.zone", { zone }) : t("cluster.nozone")),
			h("span", null, t("cluster.pods", { n: pods })),
		),
		h(
			"div",
			{ key: "cards", class: "cards" },
			names.map((name) => card(view, name, dense)),
		),
	);
}

/** @param {View} view @param {string} name @param {boolean} dense */
function card(view, name, dense) {
	const node = view.state.nodes.get(name);
	if (!node) return null;
	const target = targetOf(view);
	const selected = view.selection?.kind === "node" && view.selection.name === name;
	const back = view.event.type === "PodUnreserved" && view.event.node === name; // the place that it had, hatched
	const held = [...heldFor(view.state, name, undefined), ...(back ? [view.event.pod] : [])];
	const mine = target === name;
	const changed = view.event.kind === "Node" && view.event.name === name;
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
				{ type: "button", class: "node-name", on: { click: () => view.act.select({ kind: "node", name }) } },
				name,
			),
			!dense && tags(node),
			!dense && h("span", { class: "node-note" }, noteOf(view, name, mine)),
		),
		dense ? plainBar(view, name, barResource(node)) : podBar(view, name, barResource(node), { held, labels: true }),
		!dense && gauges(view, node, mine),
		dense &&
			h(
				"small",
				{ class: "dense-note" },
				`${amount("cpu", used(node, "cpu"))} / ${quantity("cpu", allocatable(node, "cpu"))}`,
				tags(node),
			),
		nominatedTo(view.state, name).length > 0 &&
			h(
				"small",
				{ key: "kept", class: "kept" },
				t("cluster.kept", { pods: plain(list(nominatedTo(view.state, name).map(podName), 2)) }),
			),
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
function noteOf({ state, hero, event, moment }, name, mine) {
	if (mine && event.type === "PodUnreserved") return t("cluster.back");
	if (!hero || state.cycle.CycleStarted?.pod !== hero) return "";
	const total = scores(state);
	const at = total?.names.indexOf(name) ?? -1;
	if (total && at >= 0) return mine ? `★ ${total.totals[at]}` : t("cluster.points", { n: total.totals[at] });
	const verdict = unchanged(state, moment("NodesFiltered"), name) && filtered(state)?.at.get(name)?.verdict;
	return verdict ? `✕ ${plainReason(verdict.reasons[0] ?? "")}` : mine ? "★" : "";
}

/** Is a node as it was then, and kept for the same pods? @param {State} now @param {State} then @param {string} name */
function unchanged(now, then, name) {
	if (now.nodes.get(name) !== then.nodes.get(name)) return false;
	return nominatedTo(now, name).join() === nominatedTo(then, name).join();
}

/** @param {View} view @param {NodeState} node @param {boolean} mine */
function gauges({ state, hero, event }, node, mine) {
	const names = Object.keys(node.summary.allocatable).filter(
		(name) =>
			name === "cpu" ||
			name === "memory" ||
			(name !== "pods" && name !== "ephemeral-storage" && node.summary.allocatable[name] > 0) ||
			(name === "ephemeral-storage" && used(node, name) > 0),
	);
	const landing = mine && event.type === "PodAssumed";
	return h(
		"div",
		{ key: "gauges", class: "gauges" },
		names.slice(0, 4).map((name) => {
			const whole = Math.max(1, allocatable(node, name));
			const taken = used(node, name);
			const own = mine && node.pods.includes(hero) ? (state.pods.get(hero)?.summary.requests?.[name] ?? 0) : 0;
			const sum = outOf(name, taken, whole, (part, all) => t("cluster.of", { used: part, all }));
			return h(
				"div",
				{ key: name, class: "gauge" },
				h("span", null, name === "memory" ? "mem" : short(name)),
				h(
					"span",
					{ class: "gauge-bar" },
					h("i", { style: { width: `${((taken - own) / whole) * 100}%` } }),
					h("u", { style: { width: `${(own / whole) * 100}%` } }),
				),
				h(
					"b",
					null,
					landing && own
						? `${outOf(name, taken - own, whole, (part) => part).replace(/ [KMGTP]iB$/, "")} → ${sum}`
						: sum,
				),
			);
		}),
	);
}
