// @ts-check
/** The lines of a score's arithmetic: numbers that can be dragged where they stand, words in the page's language. */

import { has, t } from "../../shared/i18n.js";
import { requestOf, roomOf, scrubNumber, skewTried, termTried, triedValue } from "../parts/scrub.js";
import { scoreName, tidy } from "../parts/words.js";

/**
 * The line as numbers that can be dragged; null where it has none.
 * @param {View} view @param {string} node @param {string} line @param {Fact[]} facts
 * @param {number} k the line's number
 * @returns {Child}
 */
export function sumOf(view, node, line, facts, k) {
	const fact = facts[k];
	if (fact?.key.endsWith(".count")) return spread(view, line, fact);
	if (/\.own-preferred-(anti-)?affinity$/.test(fact?.key ?? "")) return neighbours(view, fact);
	if (!k && facts.some(({ key }) => key.endsWith(".preferred"))) return preferences(view, facts);
	return share(view, node, line, facts);
}

/**
 * "40 + 30 = 70": the weights of the preferred terms that the node matches.
 * @param {View} view @param {Fact[]} facts @returns {Child}
 */
function preferences(view, facts) {
	const matching = facts.filter(({ key, holds }) => holds && key.endsWith(".preferred"));
	const weights = matching.map((fact, i) => {
		const value = Number(fact.values?.weight);
		if (!fact.field) return { value, number: String(value) }; // the profile's
		const term = termTried(view, fact.right, `${fact.field}.weight`, value);
		return { value: triedValue(view, term), number: scrubNumber(view, term, String, `w${i}`) };
	});
	const sum = weights.reduce((all, { value }) => all + value, 0);
	const terms = weights.flatMap(({ number }, i) => (i ? [" + ", number] : [number]));
	return [t("sum.preferred"), t("colon"), ...(terms.length ? terms : [t("sum.none")]), ` = ${sum}`];
}

/**
 * "hostname=n1: 2 × 20 = 40": neighbours that a preferred term of the pod speaks of.
 * @param {View} view @param {Fact} fact @returns {Child}
 */
function neighbours(view, { key, field, values = {} }) {
	const sign = key.endsWith("anti-affinity") ? -1 : 1;
	const count = Number(values.count);
	const term = termTried(view, String(values.selector), `${field}.weight`, sign * Number(values.weight));
	const weight = scrubNumber(view, term, (value) => String(sign * value));
	return [
		`${tidy(`${values.topologyKey}=${values.domain}`)}: ${count} × `,
		weight,
		` = ${count * sign * triedValue(view, term)}`,
	];
}

/**
 * "zone: 2 pods × ln(3 domains + 2) + (maxSkew 1 - 1) = ...": a constraint's maxSkew.
 * @param {View} view @param {string} line @param {Fact} fact @returns {Child}
 */
function spread(view, line, fact) {
	const match = /^(\S+): .*\(maxSkew \d+ - 1\) = \d+ × ([\d.]+) \+/.exec(line);
	if (!match) return null;
	const { count = 0, domains = 0, maxSkew = 1 } = fact.values ?? {};
	const [key, weight] = [tidy(match[1]), Number(match[2])];
	const field = fact.field?.replace(/\.labelSelector$/, ".maxSkew");
	const about = { ...fact, values: { ...fact.values, topologyKey: match[1] } };
	const limit = field ? skewTried(view, about, field) : null;
	const skew = limit ? triedValue(view, limit) : Number(maxSkew);
	const sum = `${count} × ${weight.toFixed(2)} + ${skew - 1} = ${(Number(count) * weight + skew - 1).toFixed(2)}`;
	const [before, after] = t("sum.spread", { key, count, domains, skew: "\0" }).split("\0");
	return [before, limit ? scrubNumber(view, limit, String) : String(skew), `${after} = ${sum}`];
}

/** "cpu (4000 - 2200) * 100 / 4000 = 45", "cpu 2200 * 100 / 4000 = 55", "cpu 2200 / 4000 = 0.5500". */
const SHARE = /^(\S+) (\(\S+ - )?(\d+)[A-Za-z]*\)?( \* 100)? \/ (\d+)([A-Za-z]*) = [\d.]+$/;

/**
 * A resource's share: what is requested with the pod, and what the node has, can be dragged.
 * @param {View} view @param {string} node @param {string} line @param {Fact[]} facts
 * @returns {Child}
 */
function share(view, node, line, facts) {
	const [, resource, least, requests, percent, there, suffix] = SHARE.exec(line) ?? [];
	const values = facts.find(({ field }) => field?.endsWith(`.requests.${resource}`))?.values;
	if (values?.request === undefined) return null;
	const [requested, whole] = [Number(values.requested), Number(values.allocatable)];
	const per = whole / Number(there); // the line's unit
	const pods = requestOf(view, resource, Number(values.request));
	const room = roomOf(view, node, resource);
	const others = requested - pods.value;
	const counts = Number(requests) === requested / per; // the pod: balance is also told without it
	const used = others + (counts ? triedValue(view, pods) : 0);
	const has = triedValue(view, room);
	const text = (/** @type {number} */ value) => `${Math.round((value / per) * 100) / 100}${suffix}`;
	const asked = counts ? scrubNumber(view, pods, (value) => text(others + value)) : text(others);
	const all = (/** @type {string} */ key) => scrubNumber(view, room, text, key);
	const fits = used <= has && has > 0;
	if (!percent) return [`${resource} `, asked, " / ", all("whole"), ` = ${(fits ? used / has : 1).toFixed(4)}`];
	const points = fits ? Math.floor(((least ? has - used : used) * 100) / has) : 0;
	return least
		? [`${resource} (`, all("all"), " - ", asked, ") * 100 / ", all("whole"), ` = ${points}`]
		: [`${resource} `, asked, " * 100 / ", all("whole"), ` = ${points}`];
}

/** Lines of the engine's that are more than numbers, with the key of their words. @type {[RegExp, string][]} */
const LINES = [
	[/^(?<key>\S+): 0 \(the node has no such label\)$/, "unlabelled"],
	[/^normalized = (?<sum>\d+) \(all feasible nodes have the same score\)$/, "same"],
	[/^normalized = (?<sum>\d+) \(no feasible node has a score above 0\)$/, "zero"],
	[/^ignored: no label (?<key>.+)$/, "ignored"],
	[/^PreferNoSchedule taints that the pod does not tolerate: (?<n>\d+)$/, "taints"],
	[/^no feasible node (?:has|matches) any: (?<n>\d+)$/, "nobody"],
	[/^(?<sum>.+) bytes, (?<mib>[\d.]+Mi), kept between (?<low>\d+)Mi and (?<high>\d+)Mi$/, "image"],
	[/^without the pod:$/, "before"],
	[/^with the pod:$/, "after"],
	[/^standard deviation (?<sum>.+)$/, "deviation"],
	[/^(?<name>\S+) (?<used>\S+) is more than (?<there>\S+) = 0$/, "toomuch"],
	[/^(?<sum>\S+ .+ %), by the shape (?<n>\d+)$/, "shape"],
	[/^no resource counts(?: in the mean)?: 0$/, "noresource"],
	[/^(?<claim>\S+) gets (?<name>\S+): (?<n>\d+)$/, "gets"],
	[/^(?<n>\d+) of at most (?<best>\d+): (?<points>\d+)$/, "ofmost"],
	[/^(?<n>\d+) of (?<all>\d+): (?<sum>.+)$/, "ofall"],
	[/^a pod without resource claims: 0$/, "noclaims"],
	[/^no claim has a prioritized list: 0$/, "nolist"],
	[/^(?<name>\S+): (?<n>\d+) of (?<all>\d+)$/, "requested"],
	[/^(?<n>\d+) pods of the same services and controllers on (?<node>\S+)$/, "siblings"],
	[/^(?<n>\d+) pods of the service on (?<node>\S+), of (?<all>\d+)$/, "service"],
];

/**
 * A line of the engine's, which is English where it says more than numbers.
 * @param {string} line @param {string} plugin
 */
export function inWords(line, plugin) {
	if (t("language") === "en") return line;
	for (const [pattern, key] of LINES) {
		const match = pattern.exec(line);
		if (match && has(`sum.${key}`))
			return t(`sum.${key}`, { ...match.groups, ...(match.groups?.key && { key: tidy(match.groups.key) }) });
	}
	const colon = line.lastIndexOf(": ");
	return line.includes("=") || colon < 0 ? line : `${scoreName(plugin)}${t("colon")}${line.slice(colon + 2)}`;
}
