// @ts-check
/** The picture of TaintToleration in a lane: the taints that the pod tolerates. */

import { t } from "../../shared/i18n.js";
import { like } from "../parts/words.js";

/** @param {string} plugin */
export function judgesTaints(plugin) {
	return like(plugin) === "TaintToleration";
}

/** @param {[string, string, string][]} taints */
export function taintText(taints) {
	const soft = taints.filter(([, , effect]) => effect === "PreferNoSchedule");
	if (!taints.length) return t("lane.none");
	return soft.length === taints.length ? t("lane.soft", { taint: soft[0][0] }) : t("lane.tolerated");
}
