// @ts-check
/** The place of a scenario's captions and questions in a run: an event of an attempt, and its object. */

import { workloadKey } from "./state.js";

/** @typedef {{attempt: number, event: string, about?: string}} Anchor */

/**
 * Whether a text belongs to an event. `about` names the event's object, and does not matter if the event has none.
 * @param {Anchor} anchor
 * @param {any} event
 * @param {number} attempt the last that has begun, 0 before the first
 * @param {State | undefined} state that knows the owners of the event's pod
 */
export function isAt(anchor, event, attempt, state) {
	if (anchor.event !== event.type || anchor.attempt !== attempt) return false;
	if (!anchor.about) return true;
	const names = namesOf(event, state);
	return !names.length || names.includes(anchor.about);
}

/**
 * The names of an event's objects: of a pod or workload also the names of its owners, and those that are shown.
 * @param {any} event @param {State | undefined} state
 * @returns {string[]} empty if the event has no object
 */
function namesOf({ type, pod, kind = "Pod", namespace = "", name, called, workload, group, about }, state) {
	if (type === "NodeGroupResized") return [group];
	if (type === "RequestMade") return about.map((/** @type {string} */ object) => object.slice(object.indexOf("/") + 1));
	const key = typeof pod === "string" ? pod : `${namespace}/${name}`;
	if (typeof pod !== "string" && !name) return [];
	const own = [key, key.slice(key.indexOf("/") + 1), called, workload?.called];
	const owner = kind === "Pod" ? state?.pods.get(key)?.summary.owner : workload?.owner;
	return [...own, ...ownersOf(key.slice(0, key.indexOf("/")), owner, state)].filter(Boolean);
}

/**
 * The names of an owner and of the owners above it; [] without an owner.
 * @param {string} namespace
 * @param {string | undefined} owner "ReplicaSet/web-8wmg6wh8bm"
 * @param {State | undefined} state
 * @returns {string[]}
 */
function ownersOf(namespace, owner, state) {
	if (!owner) return [];
	const [kind, name] = owner.split("/");
	const record = state?.workloads.get(workloadKey({ kind, namespace, name }));
	return [name, record?.state.called ?? "", ...ownersOf(namespace, record?.state.owner, state)];
}
