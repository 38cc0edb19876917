// @ts-check
/** What is written on a lane: the compared values at the current plugin, and what stopped a node. */

import { t } from "../../shared/i18n.js";
import { amount, podName, quantity, short } from "../../shared/units.js";
import { allocatable, free, request, resourceOf, scarcest } from "../../trace/room.js";
import { passWords, stopWords } from "../parts/fact_words.js";
import { plainReason } from "../parts/plain_words.js";

const LONGEST_FACT = 26;

/**
 * The values that a plugin compared on a node that it let pass; "" when they are not known.
 * @param {View} view
 * @param {string} name
 * @param {string} plugin
 */
export function passedText({ state, hero, explainer }, name, plugin) {
	const node = state.nodes.get(name);
	if (!node) return "";
	if (plugin === "NodeUnschedulable") return t(node.summary.unschedulable ? "lane.tolerated" : "lane.open");
	if (plugin === "NodeName") return t("lane.any");
	if (plugin === "TaintToleration") return taintText(node.summary.taints ?? []);
	if (plugin === "NodeResourcesFit") {
		const resource = scarcest(state, name, hero);
		const need = request(state, hero, resource);
		return `${amount(resource, need)} ≤ ${amount(resource, free(state, name, resource, hero))}`;
	}
	const text = passWords((explainer.filter(state.attempt, name, plugin)?.facts ?? []).filter((one) => one.holds));
	return text.length <= LONGEST_FACT ? text : "";
}

/** @param {[string, string, string][]} taints */
function taintText(taints) {
	const soft = taints.filter(([, , effect]) => effect === "PreferNoSchedule");
	if (!taints.length) return t("lane.none");
	return soft.length === taints.length ? t("lane.soft", { taint: soft[0][0] }) : t("lane.tolerated");
}

/**
 * What stopped a node: the bold part and the rest.
 * @param {View} view @param {string} name @param {Verdict} verdict @returns {[string, string]}
 */
export function stoppedText(view, name, verdict) {
	const { state, hero, explainer } = view;
	const reason = verdict.reasons[0] ?? "";
	const node = state.nodes.get(name);
	if (verdict.plugin === "NodeUnschedulable") return [t("reason.cordoned"), t("lane.cordoned")];
	if (verdict.plugin === "NodeResourcesFit" && node) {
		const resource = resourceOf(reason);
		if (resource === "pods") return [t("lane.full", { n: allocatable(node, resource) }), t("lane.full.rest")];
		const need = request(state, hero, resource);
		const left = Math.max(0, free(state, name, resource, hero));
		const never = need > allocatable(node, resource);
		const bold = t(never ? "lane.never" : "lane.needs", {
			need: quantity(resource, need),
			free: amount(resource, never ? allocatable(node, resource) : left),
		});
		const more = verdict.reasons.length > 1 ? t("lane.also", { resource: short(resourceOf(verdict.reasons[1])) }) : "";
		return [bold, more || t("lane.short", { gap: quantity(resource, need - left) })];
	}
	const facts = explainer.filter(state.attempt, name, verdict.plugin)?.facts?.filter((one) => !one.holds) ?? [];
	const words = facts.map((one) => stopWords(one, hero)).find(Boolean);
	return (
		words ?? [
			plainReason(reason),
			verdict.plugin === "TaintToleration" ? t("lane.notoleration", { pod: podName(hero) }) : "",
		]
	);
}

/** Few words for a narrow lane. @param {View} view @param {string} name @param {Verdict} verdict */
export function stoppedShort(view, name, verdict) {
	const { state, hero } = view;
	const reason = verdict.reasons[0] ?? "";
	if (verdict.plugin !== "NodeResourcesFit") return stoppedText(view, name, verdict)[0];
	const resource = resourceOf(reason);
	return t("lane.free", { free: quantity(resource, Math.max(0, free(state, name, resource, hero))) });
}
