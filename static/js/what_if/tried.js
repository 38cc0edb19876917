// @ts-check
/** Converts numbers that are dragged in place to edits of the attempt. */

import { amount, inOneUnit, short } from "../shared/units.js";
import { filterModel } from "../steps/filter/model.js";
import { decodeColumn } from "../trace/feed.js";
import { podEdit, priorityEdits } from "./edits.js";
import { amountText, fromEngine, parseAmount } from "./fields/parts.js";

/** @typedef {import("./edits.js").Edit} Edit */
/** @typedef {import("../view").Tried & {to: number}} Change */

/**
 * An amount as it is written in a manifest.
 * @param {string} resource @param {number} value in the engine's units
 */
function manifestAmount(resource, value) {
	return amountText(resource, fromEngine(resource, value));
}

/**
 * The edits that set a dragged number to its new value.
 * @param {Change} change @param {import("./panel.js").About} about @returns {Edit[]}
 */
export function editsOf(change, about) {
	const { of, name, node = "", to } = change;
	if (of === "weight") return [{ type: "weight", plugin: name, weight: to, profile: about.profile }];
	if (of === "request") return requestEdits(change, about);
	if (of === "priority") return priorityEdits(about.pod, about.manifest.spec ?? {}, to);
	if (change.path) return [podEdit(about.pod, change.path, to)];
	const path = ["status", "allocatable", name];
	return [{ type: "set", kind: "Node", name: node, path, value: manifestAmount(name, to) }];
}

/**
 * The edits for a changed request, applied to the container that requests the most. A limit that is lower, or must
 * equal the request (huge pages, extended resources), is set to it.
 * @param {Change} change @param {import("./panel.js").About} about @returns {Edit[]}
 */
function requestEdits({ name, value, to }, { pod, manifest }) {
	/** @type {any[]} */
	const containers = manifest.spec?.containers ?? [];
	const own = containers.map((/** @type {any} */ { resources = {} }) => {
		const written = resources.requests?.[name] ?? resources.limits?.[name];
		return written === undefined ? 0 : parseAmount(name, written);
	});
	const i = Math.max(0, own.indexOf(Math.max(...own)));
	const asked = Math.max(0, own[i] + fromEngine(name, to) - (own.some(Boolean) ? fromEngine(name, value) : 0));
	const limit = containers[i]?.resources?.limits?.[name];
	const text = amountText(name, asked);
	const at = (/** @type {string} */ list) => ["spec", "containers", i, "resources", list, name];
	const equal = name.includes("/") || name.startsWith("hugepages-");
	const moves = limit !== undefined && (equal || parseAmount(name, limit) < asked);
	return [podEdit(pod, at("requests"), text), ...(moves ? [podEdit(pod, at("limits"), text)] : [])];
}

/** The key and the values of a change's text: "requests 1 cpu instead of 1.2". @param {Change} change */
export function changeWords({ of, name, node = "", value, to }) {
	const { texts, unit } = inOneUnit(name, [to, value]);
	const bare = of !== "request" && of !== "room";
	return {
		key: `scrub.told.${of}`,
		values: {
			node,
			name: short(name),
			now: bare ? String(to) : texts[0] + (unit ? ` ${unit}` : ` ${short(name)}`),
			was: bare ? String(value) : (texts[1] ?? amount(name, value)),
		},
	};
}

const SIZES = ["request", "room"]; // the pictures draw these as lengths

/**
 * The state with the tried requests and resources, if no other numbers are tried; with an answer, also with Filter's
 * new verdicts.
 * @param {State} state @param {string} subject @param {Change[]} changes
 * @param {import("./questions.js").Judgement | null} answer @returns {State}
 */
export function triedState(state, subject, changes, answer) {
	if (!changes.length || !changes.every(({ of }) => SIZES.includes(of))) return state;
	const [pods, nodes] = [new Map(state.pods), new Map(state.nodes)];
	for (const { of, name, node = "", to } of changes) {
		const [pod, record] = [pods.get(subject), nodes.get(node)];
		if (of === "request" && pod)
			pods.set(subject, { ...pod, summary: { ...pod.summary, requests: { ...pod.summary.requests, [name]: to } } });
		if (of === "room" && record)
			nodes.set(node, {
				...record,
				summary: { ...record.summary, allocatable: { ...record.summary.allocatable, [name]: to } },
			});
	}
	const filtered = answer && state.cycle.NodesFiltered && verdictsAfter(state, answer);
	return { ...state, pods, nodes, cycle: filtered ? { ...state.cycle, NodesFiltered: filtered } : state.cycle };
}

/**
 * The NodesFiltered event with the answer's verdicts: nodes that fit now, nodes that no longer do. The event itself if
 * a node was tried first, or extenders filtered.
 * @param {State} state @param {import("./questions.js").Judgement} answer
 */
function verdictsAfter(state, { gained, lost, more = [[], []] }) {
	const event = /** @type {import("../trace/trace").NodesFiltered} */ (state.cycle.NodesFiltered);
	const model = filterModel(state);
	if (!model || event.nominated_first || event.extenders?.length) return event;
	const verdicts = [...event.verdicts];
	const after = new Map([...gained.map(({ node }) => node), ...more[0]].map((node) => [node, 0]));
	for (const { node, after: status } of lost) {
		const [plugin, ...reasons] = status.split(": "); // a reason may contain ": ", too
		after.set(node, verdicts.push({ plugin, code: "Unschedulable", reasons: reasons.join(": ").split(", ") }));
	}
	const last = verdicts.length; // further lost nodes get the last reason
	for (const node of more[1]) after.set(node, last);
	const column = decodeColumn(event.verdict, model.names.length);
	const numbers = model.names.map((name, i) => after.get(name) ?? column[i]);
	const bytes = [...new Uint8Array(Int32Array.from(numbers).buffer)];
	const verdict = `i4:${btoa(bytes.map((code) => String.fromCharCode(code)).join(""))}`;
	return { ...event, verdicts, verdict, feasible: numbers.filter((number) => !number).length };
}
