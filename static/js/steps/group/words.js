// @ts-check
/** What kube-scheduler says of a pod group, in the reader's language where it is one of its few sentences. */

import { has, t } from "../../shared/i18n.js";

/** @type {[RegExp, string][]} */
const KNOWN = [
	[/not eligible due to preemptionPolicy=Never/, "never"],
	[/No preemption victims found/, "novictims"],
	[/workload aware preemption is not supported for pod groups with scheduling constraints/, "constrained"],
	[/workload aware preemption is disabled/, "disabled"],
	[/^pod group is waiting for preemption to complete/, "preemption"],
	[/^pod group is unschedulable, waiting for minCount pods/, "minCount"],
	[/^pod group is unschedulable/, "unschedulable"],
	[/^(\d+)\/(\d+) placements are available/, "placements"],
	[/^no feasible placements found/, "noplacements"],
];

/** @param {string} message */
export function messageWords(message) {
	for (const [pattern, key] of KNOWN) {
		const found = pattern.exec(message);
		if (found && has(`gang.message.${key}`))
			return t(`gang.message.${key}`, { n: found[1] ?? "", all: found[2] ?? "" });
	}
	return message;
}
