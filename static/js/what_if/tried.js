// @ts-check
/** Numbers that are dragged where they stand, as edits of the attempt. */

import { amount, inOneUnit, short } from "../shared/units.js";
import { ofPod, priorityEdits } from "./edits.js";
import { amountText, fromEngine, units } from "./fields/parts.js";

/** @typedef {import("./edits.js").Edit} Edit */
/** @typedef {import("../view").Tried & {to: number}} Change */

/** @param {string} resource @param {number} value in the engine's units */
function written(resource, value) {
	return amountText(resource, fromEngine(resource, value));
}

/** @param {Change} change @param {import("./panel.js").About} about @returns {Edit[]} */
export function editsOf(change, about) {
	const { of, name, node = "", to } = change;
	if (of === "weight") return [{ type: "weight", plugin: name, weight: to, profile: about.profile }];
	if (of === "request") return requestEdits(change, about);
	if (of === "priority") return priorityEdits(about.pod, about.manifest.spec ?? {}, to);
	if (change.path) return [ofPod(about.pod, change.path, to)];
	const path = ["status", "allocatable", name];
	return [{ type: "set", kind: "Node", name: node, path, value: written(name, to) }];
}

/**
 * What the pod requests in all comes from one container, the one that requests the most; a limit below moves with it.
 * @param {Change} change @param {import("./panel.js").About} about @returns {Edit[]}
 */
function requestEdits({ name, value, to }, { pod, manifest }) {
	/** @type {any[]} */
	const containers = manifest.spec?.containers ?? [];
	const own = containers.map((/** @type {any} */ { resources = {} }) => {
		const text = resources.requests?.[name] ?? resources.limits?.[name];
		return text === undefined ? 0 : units(name, text);
	});
	const i = Math.max(0, own.indexOf(Math.max(...own)));
	const asked = Math.max(0, own[i] + fromEngine(name, to) - (own.some(Boolean) ? fromEngine(name, value) : 0));
	const limit = containers[i]?.resources?.limits?.[name];
	const text = amountText(name, asked);
	const at = (/** @type {string} */ list) => ["spec", "containers", i, "resources", list, name];
	const moves = limit !== undefined && (name.includes("/") || units(name, limit) < asked);
	return [ofPod(pod, at("requests"), text), ...(moves ? [ofPod(pod, at("limits"), text)] : [])];
}

/** "requests 1 cpu instead of 1.2", as values of a sentence. @param {Change} change */
export function toldOf({ of, name, node = "", value, to }) {
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
