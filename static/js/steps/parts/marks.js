// @ts-check
/**
 * Marks that captions and pictures share: outcomes; pods, nodes and amounts, each with the place that it comes from.
 */

import { num, t } from "../../shared/i18n.js";
import { amount, podName, quantity } from "../../shared/units.js";

/** The sign of each outcome of a scheduling attempt, beside its colour. */
export const OUTCOME_MARKS = { Scheduled: "✓", Nominated: "↓", Unschedulable: "✕", Error: "!" };

/** @param {string} key @param {string} [hero] @returns {Part} */
export function pod(key, hero) {
	return { text: podName(key), kind: key === hero ? "hero" : "pod", ref: `pod:${key}` };
}

/** @param {string} name @returns {Part} */
export function node(name) {
	return { text: name, kind: "node", ref: `node:${name}` };
}

/** @param {string[]} names */
export function nodes(names) {
	return names.map(node);
}

/** "1.5 cpu", pointing at the pod's request. @param {string} resource @param {number} value @param {string} [ref] */
export function quantityMark(resource, value, ref) {
	return num(quantity(resource, value), ref);
}

/** "0.5". @param {string} resource @param {number} value @param {string} [ref] */
export function amountMark(resource, value, ref) {
	return num(amount(resource, value), ref);
}

/** @param {State} state @param {string} key */
export function priorityOf(state, key) {
	return state.pods.get(key)?.summary.priority ?? 0;
}

/** "1st", "2nd"; catalogues may say it otherwise. @param {number} n */
export function ordinal(n) {
	const rule = new Intl.PluralRules("en", { type: "ordinal" }).select(n);
	return t(`ordinal.${rule}`, { n });
}
