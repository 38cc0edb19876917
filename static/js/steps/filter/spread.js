// @ts-check
/** The picture of PodTopologySpread in the margin: the pods of each domain, and the skew. */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { row } from "../parts/panel.js";
import { domainKind } from "../parts/words.js";

const MOST = 40; // nodes that are asked about

/**
 * The pods of each domain; nothing for another plugin.
 * @param {View} view @param {string} plugin @param {string} node the one whose domain stands out @returns {Child}
 */
export function domains({ state, explainer }, plugin, node) {
	if (plugin !== "PodTopologySpread") return null;
	const names = [...state.nodes.keys()].slice(0, MOST);
	explainer.want(state.attempt, names);
	/** @type {Map<string, Map<string, Record<string, number | string>>>} by topology key, by domain */
	const domainCounts = new Map();
	for (const name of names)
		for (const { key, values } of explainer.filter(state.attempt, name, plugin)?.facts ?? []) {
			if (key !== `${plugin}.skew` || !values) continue;
			const of = String(values.topologyKey);
			domainCounts.set(of, (domainCounts.get(of) ?? new Map()).set(String(values.domain), values));
		}
	const own = explainer.filter(state.attempt, node, plugin)?.facts ?? [];
	const here = new Set(own.map(({ values }) => String(values?.domain)));
	return [...domainCounts].map(([of, all]) => [
		h("h3", { key: `h${of}` }, t("domains.title", { key: domainKind(of.slice(of.lastIndexOf("/") + 1)) })),
		h(
			"table",
			{ key: `t${of}`, class: "figures" },
			h(
				"thead",
				null,
				h(
					"tr",
					null,
					["domain", "pods", "with", "skew"].map((name) => h("th", { key: name, scope: "col" }, t(`domains.${name}`))),
				),
			),
			h(
				"tbody",
				null,
				[...all].sort().map(([domain, values]) => {
					const [matching, self, skew, most] = [values.matching, values.self, values.skew, values.maxSkew].map(Number);
					const ok = skew <= most;
					const cells = [
						domain,
						String(matching),
						String(matching + self),
						h("b", { class: ok ? "" : "no" }, `${skew} ${ok ? "≤" : ">"} ${most}`),
					];
					return row(domain, cells, here.has(domain) ? "hot" : "");
				}),
			),
		),
		h("p", { key: `n${of}`, class: "note" }, t("domains.note", { least: String([...all.values()][0].least) })),
	]);
}
