// @ts-check
/**
 * Marks that captions and pictures share: outcomes, and pods, nodes and amounts with a reference to their explanation.
 */

import { has, num, t } from "../../shared/i18n.js";
import { shortPod } from "../../shared/names.js";
import { nameInKey, quantity, short } from "../../shared/units.js";
import { PLUGINS } from "./plugins.js";

/** The sign of each outcome of a scheduling attempt, beside its colour. */
export const OUTCOME_MARKS = { Scheduled: "✓", Nominated: "↓", Unschedulable: "✕", Error: "!" };

/** A pod's name that can be clicked. @param {string} key @param {string} [subject] @returns {Part} */
export function pod(key, subject) {
	return { text: nameInKey(key), kind: key === subject ? "subject" : "pod", ref: `pod:${key}` };
}

/** A node's name that can be clicked. @param {string} name @returns {Part} */
export function node(name) {
	return { text: name, kind: "node", ref: `node:${name}` };
}

/** Names of nodes that can be clicked. @param {string[]} names */
export function nodes(names) {
	return names.map(node);
}

/**
 * "1.5 cpu", with a reference to its explanation.
 * @param {string} resource @param {number} value @param {string} [ref]
 */
export function quantityMark(resource, value, ref) {
	return num(quantity(resource, value), ref);
}

/** The priority of a pod; 0 for an unknown one. @param {State} state @param {string} key */
export function priorityOf(state, key) {
	return state.pods.get(key)?.summary.priority ?? 0;
}

/** "1st", "2nd", in the language of the catalogue. @param {number} n */
export function ordinal(n) {
	const rule = new Intl.PluralRules("en", { type: "ordinal" }).select(n);
	return t(`ordinal.${rule}`, { n });
}

/** The plain name of a Filter plugin: "Room?". @param {string} plugin */
export function question(plugin) {
	return has(`question.${plugin}`) ? t(`question.${plugin}`) : extenderName(plugin);
}

/** The plain name of a Score plugin: "Room". @param {string} plugin */
export function scoreName(plugin) {
	return has(`score.${plugin}`) ? t(`score.${plugin}`) : extenderName(plugin);
}

/** The current plugin that corresponds to a former name. @param {string} [plugin] */
export function currentPlugin(plugin = "") {
	return PLUGINS[plugin]?.like ?? plugin;
}

/** The first part of an extender's host name; the name of a plugin as it is. @param {string} plugin */
export function extenderName(plugin) {
	return /^https?:\/\/([^./:]+)/.exec(plugin)?.[1] ?? plugin;
}

/**
 * A declared reason; `values` are the groups of its pattern.
 * @typedef {{ plugin: string, kind: string, values: Record<string, string> }} Reason
 */

/** @type {[string, string, RegExp][] | undefined} */
let patterns;

/**
 * Adds the declarations of plugins from other packages.
 * @param {Record<string, import("./plugins.js").PluginData>} data
 */
export function addPlugins(data) {
	Object.assign(PLUGINS, data);
	patterns = undefined;
}

/**
 * The declared reason that a message matches; undefined if there is none.
 * @param {string} [reason] @returns {Reason | undefined}
 */
export function reasonOf(reason = "") {
	patterns ??= Object.entries(PLUGINS).flatMap(([plugin, { reasons = [] }]) =>
		reasons.map(
			([pattern, kind]) =>
				/** @type {[string, string, RegExp]} */ ([plugin, kind, new RegExp(`^(?:${pattern})$`, "s")]),
		),
	);
	for (const [plugin, kind, pattern] of patterns) {
		const match = pattern.exec(reason);
		if (match) return { plugin, kind, values: Object.fromEntries(Object.entries(match.groups ?? {}).map(readable)) };
	}
}

/**
 * The group of a reason in readable form: "key=value", or the short name of a resource.
 * @param {[string, string]} group
 */
function readable([name, text = ""]) {
	return [name, name === "resource" ? short(text) : text.replace(": ", "=").replace(/=$/, "")];
}

/** A known reason in plain words; otherwise the reason itself. @param {string} reason */
export function plainReason(reason) {
	const { plugin, kind, values } = reasonOf(reason) ?? {};
	const key = `reason.${plugin}.${kind}`;
	return has(key) ? t(key, values) : reason;
}

/** The message without kube-scheduler's "running PreBind plugin "X": ". @param {string} message */
export function bareMessage(message) {
	return message.replace(/^running \w+ plugin "[^"]*": /, "");
}

/**
 * The catalogue's key for a fact: "NodeAffinity.NotIn"; some keys of NodeAffinity share a text.
 * @param {Fact} fact
 */
export function keyOf(fact) {
	if (!fact.key.startsWith("NodeAffinity.") || !fact.values?.key) return fact.key;
	if (fact.values.operator === "NotIn") return "NodeAffinity.NotIn";
	return fact.values.node ? "NodeAffinity.nodeSelector" : "NodeAffinity.none";
}

/**
 * The values of a fact in readable form: labels without their domain, wanted values with their operator.
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
	if (out.topologyKey) out.topologyKey = domainKind(out.topologyKey);
	out.would = String(Number(raw.matching ?? 0) + Number(raw.self ?? 0));
	out.taint = raw.value ? `${raw.key}=${raw.value}` : String(raw.key ?? "");
	if (raw.pods) out.pods = String(raw.pods).split(", ").map(shortPod).join(", ");
	return out;
}

/** The kind of domain of a usual topology key: "zone", "node"; otherwise the key. @param {string} key */
export function domainKind(key) {
	return key === "zone" ? t("zone") : key === "hostname" ? t("node") : key;
}

/** Prefixes of well-known labels and taints; those of other owners ("example.kubernetes.io/") stay. */
const DOMAIN = /(?<![\w.-])(?:(?:topology|node|failure-domain\.beta)\.)?kubernetes\.io\/(?=[a-z])/g;

/** A text with short keys: "zone=a" for "topology.kubernetes.io/zone=a". @param {string} text */
export function tidy(text) {
	return text.replace(DOMAIN, "");
}

/**
 * The bold part and the rest of a text about a fact that does not hold; null if there is no text for it.
 * @param {Fact | undefined} fact @param {string} pod @returns {[string, string] | null}
 */
export function stopWords(fact, pod) {
	const key = fact && `stop.${keyOf(fact)}`;
	if (!fact?.values || !key || !has(key)) return null;
	const [bold, rest = ""] = t(key, { ...valuesOf(fact), pod: shortPod(pod) }).split("|");
	return [bold, rest];
}

/** The first comparison that holds and has words, in a few words; "" if none has. @param {Fact[]} facts */
export function passWords(facts) {
	for (const fact of facts) {
		if (fact.key.endsWith(".skip")) return t("pass.nothing");
		if (fact.key.endsWith(".label") && facts.length > 1) continue; // its count says more
		const key = `pass.${keyOf(fact)}`;
		if (fact.values && has(key)) return t(key, valuesOf(fact));
		if (fact.key.startsWith("NodeAffinity."))
			return t(fact.key === "NodeAffinity.none" && !fact.values?.key ? "pass.nothing" : "pass.NodeAffinity.any");
	}
	return "";
}

/**
 * A pod's wishes in words, such as the labels of nodes that it requires.
 * @param {PodState | undefined} pod @returns {[string, string][]} text and kind
 */
export function wishesOf(pod) {
	return (pod?.summary.wishes ?? []).map(({ kind, value, key = "", number = 0, soft }) => {
		const where = domainKind(tidy(key));
		return [t(`wish.${kind}${soft ? ".soft" : ""}`, { value: tidy(value), key: where, number }), kind];
	});
}

/** Whether the reason is that no pod on the node has a lower priority. @param {string} reason */
export function noVictims(reason) {
	return reason.startsWith("No preemption victims");
}
