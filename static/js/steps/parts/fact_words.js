// @ts-check
/** What a plugin compared, in words instead of symbols: "disk is hdd", "web-5 requires ssd". */

import { has, t } from "../../shared/i18n.js";
import { podName } from "../../shared/units.js";

/**
 * The catalogue's key for a fact: "NodeAffinity.NotIn"; one text serves a label, a term and its absence.
 * @param {Fact} fact
 */
export function keyOf(fact) {
	if (!fact.key.startsWith("NodeAffinity.") || !fact.values?.key) return fact.key;
	if (fact.values.operator === "NotIn") return "NodeAffinity.NotIn";
	return fact.values.node ? "NodeAffinity.nodeSelector" : "NodeAffinity.none";
}

/**
 * The raw values of a fact, made readable: zones without their domain, what is wanted with its comparison.
 * @param {Fact} fact
 */
export function valuesOf(fact) {
	const raw = fact.values ?? {};
	/** @type {Record<string, string>} */
	const out = Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, tidy(String(value))]));
	const operator = String(raw.operator ?? "In");
	if (raw.wanted !== undefined) {
		const wanted = String(raw.wanted).split(", ").join(t("want.or"));
		out.wanted = has(`want.${operator}`) ? t(`want.${operator}`, { value: wanted }) : wanted;
	}
	if (out.topologyKey === "hostname") out.topologyKey = t("node");
	out.would = String(Number(raw.matching ?? 0) + Number(raw.self ?? 0));
	out.taint = raw.value ? `${raw.key}=${raw.value}` : String(raw.key ?? "");
	if (raw.pods) out.pods = String(raw.pods).split(", ").map(podName).join(", ");
	return out;
}

/** "topology.kubernetes.io/zone=a" as people say it: "zone=a". @param {string} text */
function tidy(text) {
	return text.replace(/\b(?:topology\.|failure-domain\.beta\.)?kubernetes\.io\/(?=[a-z])/g, "");
}

/**
 * The bold part and the rest of what does not hold; null without words for it.
 * @param {Fact | undefined} fact @param {string} pod @returns {[string, string] | null}
 */
export function stopWords(fact, pod) {
	const key = fact && `stop.${keyOf(fact)}`;
	if (!fact?.values || !key || !has(key)) return null;
	const [bold, rest = ""] = t(key, { ...valuesOf(fact), pod: podName(pod) }).split("|");
	return [bold, rest];
}

/** What holds, in a few words; "" without words for it. @param {Fact[]} facts */
export function passWords(facts) {
	for (const fact of facts) {
		if (fact.key.endsWith(".skip")) return t("pass.nothing");
		if (fact.key.endsWith(".label") && facts.length > 1) continue; // what is counted by it says more
		const key = `pass.${keyOf(fact)}`;
		if (fact.values && has(key)) return t(key, valuesOf(fact));
		if (fact.key.startsWith("NodeAffinity."))
			return t(fact.key === "NodeAffinity.none" && !fact.values?.key ? "pass.nothing" : "pass.NodeAffinity.any");
	}
	return "";
}
