// @ts-check
/** How PodTopologySpread counts: matching pods in each domain, with this pod, against the emptiest. */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { row } from "../parts/panel.js";

const MOST = 40; // nodes that are asked about

/** @param {View} view @param {string} node the one whose domain stands out @returns {Child} */
export function domains({ state, explainer }, node) {
	const names = [...state.nodes.keys()].slice(0, MOST);
	explainer.want(state.attempt, names);
	/** @type {Map<string, Map<string, Record<string, number | string>>>} by topology key, by domain */
	const found = new Map();
	for (const name of names)
		for (const { key, values } of explainer.filter(state.attempt, name, "PodTopologySpread")?.facts ?? []) {
			if (key !== "PodTopologySpread.skew" || !values) continue;
			const of = String(values.topologyKey);
			found.set(of, (found.get(of) ?? new Map()).set(String(values.domain), values));
		}
	const own = explainer.filter(state.attempt, node, "PodTopologySpread")?.facts ?? [];
	const here = new Set(own.map(({ values }) => String(values?.domain)));
	return [...found].map(([of, all]) => [
		h("h3", { key: `h${of}` }, t("domains.title", { key: of.slice(of.lastIndexOf("/") + 1) })),
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
