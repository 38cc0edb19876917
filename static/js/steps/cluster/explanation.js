// @ts-check
/** What the run is about, and how full a node is and with which pods. */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { amount, podName, short } from "../../shared/units.js";
import { allocatable, request, used } from "../../trace/room.js";
import { panel, row, table } from "../parts/panel.js";

/** @param {View} view @param {string} kind @param {string} first @param {string} second @returns {Child} */
export function explain(view, kind, first, second) {
	return kind === "run" ? about(view) : room(view, first, second);
}

/** @param {View} view @param {string} name @param {string} resource */
function room(view, name, resource) {
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
			h("b", { class: "result" }, `${whole ? Math.round((taken / whole) * 100) : 0} %`),
		),
		h("p", { key: "note", class: "note" }, t("margin.requestsnote")),
	);
}

/** @param {View} view */
function about(view) {
	const { scenario } = view.boot;
	return panel(
		t("margin.about"),
		scenario?.title || view.state.title,
		scenario?.description && h("p", { key: "text", class: "note" }, scenario.description),
		view.boot.lesson?.look_at && [
			h("h3", { key: "look" }, t("lesson.look")),
			h("p", { key: "lookat", class: "note" }, view.boot.lesson.look_at),
		],
		h("p", { key: "keys", class: "note" }, t("margin.keys")),
	);
}
