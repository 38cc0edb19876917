// @ts-check
/** The picture of NodeResourcesFit: requests and free room, in captions, lanes and the margin. */

import { h } from "../../shared/dom.js";
import { has, list, num, parts, t } from "../../shared/i18n.js";
import { shortPod } from "../../shared/names.js";
import { inOneUnit, inUnit, quantity, short } from "../../shared/units.js";
import { allocatable, free, heldFor, request, resourceOf } from "../../trace/room.js";
import { row, table } from "../parts/panel.js";
import { requestOf, roomOf, scrubNumber, triedValue } from "../parts/scrub.js";
import { currentPlugin, node, pod, quantityMark } from "../parts/words.js";

/**
 * Whether the plugin, or the one that replaced it, compares requests with free resources.
 * @param {string} [plugin]
 */
export function comparesRoom(plugin) {
	return currentPlugin(plugin) === "NodeResourcesFit";
}

/** Whether a node was rejected only for insufficient resources. @param {Verdict | null | undefined} verdict */
export function lacksRoom(verdict) {
	return (
		comparesRoom(verdict?.plugin) &&
		(verdict?.reasons ?? []).every((reason) => /^Insufficient |^Too many pods$/.test(reason))
	);
}

/**
 * The sentence about nodes that NodeResourcesFit rejects. If they lack different resources, it counts those of each.
 * @param {Context} context @param {Filtered} model @param {string[]} stopped @param {Record<string, any>} values
 * @returns {Part[]}
 */
export function fitSentence({ state, subject = "" }, model, stopped, values) {
	/** @type {Map<string, number>} by reason */
	const tally = new Map();
	for (const name of stopped) {
		for (const reason of model.at.get(name)?.verdict?.reasons ?? []) tally.set(reason, (tally.get(reason) ?? 0) + 1);
	}
	const most = Math.max(...tally.values());
	if (stopped.length > 1 && most < stopped.length && tally.size > 1) return mixedSentence(tally, values);
	const [reason, lacking] = [...tally].sort((a, b) => b[1] - a[1])[0] ?? ["Too many pods", stopped.length];
	const resource = resourceOf(reason);
	const need = request(state, subject, resource);
	const where = stopped.find((name) => model.at.get(name)?.verdict?.reasons.includes(reason)) ?? stopped[0];
	const record = state.nodes.get(where);
	const { plugin = "" } = model.at.get(where)?.verdict ?? {};
	const ref = `verdict:${where}:${plugin}`;
	const capacity = record ? allocatable(record, resource) : 0;
	const left = Math.max(0, free(state, where, resource, subject));
	const { texts, unit } = inOneUnit(resource, lacking > 1 ? [need] : [need, left, capacity]);
	const filled = {
		...values,
		n: num(lacking, `column:${plugin}`),
		node: node(where),
		need: num(`${texts[0]} ${unit || short(resource)}`, `request:${subject}`),
		free: num(texts[1], ref),
		capacity: num(unit ? `${texts[2]} ${unit}` : texts[2], ref),
		whole: quantityMark(resource, capacity, ref),
	};
	if (resource === "pods")
		return parts(lacking > 1 ? "filter.NodeResourcesFit.pods.many" : "filter.NodeResourcesFit.pods.one", filled);
	if (lacking > 1)
		return parts(
			model.left[model.plugins.indexOf(plugin)] ? "filter.NodeResourcesFit.many" : "filter.NodeResourcesFit.all",
			filled,
		);
	return parts(need > capacity ? "filter.NodeResourcesFit.never" : "filter.NodeResourcesFit.one", filled);
}

/**
 * The sentence about nodes that lack different resources, such as cpu and memory.
 * @param {Map<string, number>} tally @param {Record<string, any>} values @returns {Part[]}
 */
function mixedSentence(tally, values) {
	const reasons = [...tally]
		.sort((a, b) => b[1] - a[1])
		.map(([reason, k]) =>
			t("filter.NodeResourcesFit.mixed.one", { resource: resourceName(short(resourceOf(reason))), k }),
		);
	return parts("filter.NodeResourcesFit.mixed", {
		...values,
		reasons: reasons.join(t("list.comma")),
	});
}

/** The name of a resource in the page's language. */
export const resourceName = (/** @type {string} */ resource) => (has(resource) ? t(resource) : resource);

/**
 * Names the pods that use a node's resource, and those for which some is held; [] if there are none, and for "pods".
 * @param {Context} context @param {string} name @param {string} resource @returns {Part[]}
 */
export function holdersText({ state, subject = "" }, name, resource) {
	const line = (/** @type {string} */ textKey, /** @type {string[]} */ pods) => {
		const some = pods
			.filter((key) => request(state, key, resource) > 0)
			.sort((a, b) => request(state, b, resource) - request(state, a, resource));
		const sum = some.reduce((all, key) => all + request(state, key, resource), 0);
		return some.length
			? parts(textKey, {
					pods: list(
						some.map((key) => pod(key, subject)),
						3,
					),
					n: some.length,
					used: quantity(resource, sum),
				})
			: [];
	};
	if (resource === "pods") return [];
	const held = line("filter.NodeResourcesFit.held", heldFor(state, name, subject));
	return [
		...line("filter.NodeResourcesFit.holders", state.nodes.get(name)?.pods ?? []),
		...(held.length ? [" ", ...held] : []),
	];
}

const MAX_PODS = 6;

/**
 * A table of a node's free resources, and comparisons with the pod's requests; null if there is no such node.
 * @param {View} view
 * @param {string} name
 * @param {string[]} reasons
 */
export function roomTable(view, name, reasons) {
	const { state, subject } = view;
	const record = state.nodes.get(name);
	if (!record) return null;
	const resource = reasons.length ? resourceOf(reasons[0]) : "cpu";
	const left = free(state, name, resource, subject);
	const requests = Object.keys(state.pods.get(subject)?.summary.requests ?? {});
	const pods = [...record.pods].sort((a, b) => request(state, b, resource) - request(state, a, resource));
	const shown = pods.slice(0, MAX_PODS).filter((key) => request(state, key, resource) > 0);
	const rest = pods.filter((key) => !shown.includes(key)).reduce((sum, key) => sum + request(state, key, resource), 0);
	const whole = allocatable(record, resource);
	const { unit } = inOneUnit(resource, [whole, rest, ...shown.map((key) => request(state, key, resource))]);
	const inTableUnit = (/** @type {number} */ value) => inUnit(resource, value, unit);
	return [
		table(
			[short(resource), unit || t("margin.requests")],
			[
				row("all", [t("allocatable"), inTableUnit(whole)]),
				shown.map((key) => row(key, [`− ${shortPod(key)}`, inTableUnit(request(state, key, resource))])),
				rest > 0 && row("rest", [t("margin.others"), inTableUnit(rest)]),
				heldFor(state, name, subject).map((key) =>
					row(`held${key}`, [t("margin.held", { pod: shortPod(key) }), inTableUnit(request(state, key, resource))]),
				),
				row("free", [t("margin.free"), inTableUnit(Math.max(0, left))], "sum hot"),
				left < 0 && row("over", [t("margin.over"), inTableUnit(-left)]),
			],
		),
		[...new Set([resource, ...requests])].map((requested) => comparedRoom(view, name, requested)),
	];
}

/**
 * "1.2 ≤ 1 cpu": the pod's request and the free amount in one unit; both can be dragged, but not the number of pods.
 * @param {View} view @param {string} name @param {string} resource
 */
function comparedRoom(view, name, resource) {
	const { state, subject } = view;
	const [need, room] = [requestOf(view, resource), roomOf(view, name, resource)];
	const taken = room.value - free(state, name, resource, subject);
	const left = (/** @type {number} */ whole) => Math.max(0, whole - taken);
	const [now, then] = [triedValue(view, need), left(triedValue(view, room))];
	const { unit } = inOneUnit(resource, [need.value, left(room.value)]);
	const text = (/** @type {number} */ value) => inUnit(resource, value, unit);
	const ok = now <= then;
	return h(
		"p",
		{ key: `c${resource}`, class: "formula" },
		resource === "pods" ? text(now) : scrubNumber(view, need, text),
		" ≤ ",
		scrubNumber(view, room, (whole) => text(left(whole))),
		` ${unit || short(resource)} `,
		h("b", { class: ok ? "yes" : "no" }, ok ? `✓ ${t("true")}` : `✕ ${t("false")}`),
	);
}
