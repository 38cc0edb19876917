// @ts-check
/** What a pod asks of its place beyond room, in words with its values: "requires disk=ssd". */

import { t } from "../../shared/i18n.js";

/** Who reads which. */
const READERS = {
	tolerates: /^(TaintToleration|NodeUnschedulable)$/,
	node: /^NodeAffinity$/,
	near: /^InterPodAffinity$/,
	apart: /^InterPodAffinity$/,
	spread: /^PodTopologySpread$/,
	claim: /Volume/,
	port: /^NodePorts$/,
};
const DOMAIN = /\b(?:topology\.|failure-domain\.beta\.)?kubernetes\.io\/(?=[a-z])/g;

/** @param {PodState | undefined} pod @returns {[string, RegExp][]} each with the plugins that read it */
export function wishesOf(pod) {
	return (pod?.summary.wishes ?? []).map(({ kind, value, key = "", number = 0, soft }) => {
		const where = key.replace(DOMAIN, "").replace("hostname", t("node"));
		return [
			t(`wish.${kind}${soft ? ".soft" : ""}`, { value: value.replace(DOMAIN, ""), key: where, number }),
			READERS[kind],
		];
	});
}
