// @ts-check
/** How full a node is and with which pods. */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { amount, podName, short } from "../../shared/units.js";
import { allocatable, request, used } from "../../trace/room.js";
import { panel, row, table } from "../parts/panel.js";

/** @param {View} view @param {string} _kind @param {string} name @param {string} resource @returns {Child} */
export function explain(view, _kind, name, resource) {
	const node = view.state.nodes.get(name);
	if (!node) return null;
	const { state, hero } = view;
	const whole = allocatable(node, resource);
	const taken = used(node, resource);
	const pods = [...node.pods].sort(
		(a, b) => (state.pods.get(b)?.summary.priority ?? 0) - (state.pods.get(a)?.summary.priority ?? 0),
	);
	return panel(
		t("margin.roomlabel"),
		t("margin.on", { what: short(resource), node: name }),
		table(
			[t("pod"), t("margin.priority"), short(resource)],
			[
				pods
					.slice(0, 12)
					.map((key) =>
						row(
							key,
							[
								podName(key),
								String(state.pods.get(key)?.summary.priority ?? 0),
								amount(resource, request(state, key, resource)),
							],
							key === hero ? "hot" : "",
						),
					),
				pods.length > 12 && row("more", [t("list.more", { n: pods.length - 12 }), "", ""]),
				row("sum", [t("margin.sumof", { all: amount(resource, whole) }), "", amount(resource, taken)], "sum"),
			],
		),
		h(
			"p",
			{ key: "share", class: "formula" },
			`${amount(resource, taken)} / ${amount(resource, whole)} = `,
			h("b", { class: "result" }, `${whole ? Math.round((100 * taken) / whole) : 0} %`),
		),
		h("p", { key: "note", class: "note" }, t("margin.requestsnote")),
	);
}
