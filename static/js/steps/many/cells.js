// @ts-check
/**
 * Above 200 nodes: a field of cells in search order on a canvas, with the funnel, the spread and the best five below.
 */

import { h, patch } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { count } from "../../shared/units.js";
import { filtered } from "../filter/model.js";
import { CellField } from "./cell_field.js";
import { bestBars, colourKey, funnelBars, histogram } from "./ranked.js";
import { groupsOf, pickedNodes, reasonList } from "./reason_groups.js";

const BEST = 5;
const field = new CellField();

/** @param {Element} target @param {View} view */
export function draw(target, view) {
	const model = view.scene === "cluster" ? null : filtered(view.state);
	const filtering = view.event.type === "NodesFiltered" && view.order === "plugin";
	const groups = model && filtering ? groupsOf({ model, plugins: model.plugins, at: view.frame, seen: null }) : [];
	patch(target, [
		h(
			"div",
			{ key: "cells", class: `cells ${model ? "" : "alone"}` },
			h(
				"h3",
				{ key: "title", class: "cells-title" },
				t("cells.title", { n: count(view.state.nodes.size) }),
				h("span", null, ` ${model ? t("cells.wrap") : t("cells.used")}`),
				h(
					"span",
					{ class: "cells-zoom", role: "group", "aria-label": t("cells.zoom") },
					[
						["−", 0.7],
						["+", 1.4],
					].map(([text, factor]) =>
						h(
							"button",
							{
								key: text,
								type: "button",
								"aria-label": `${t("cells.zoom")} ${text}`,
								on: { click: () => field.zoomBy(Number(factor)) },
							},
							text,
						),
					),
				),
			),
			h(
				"div",
				{ key: "field", class: "cells-field" },
				h("canvas", {
					key: "canvas",
					tabindex: "0",
					role: "application",
					"aria-label": t("cells.label", { n: view.state.nodes.size }),
					opaque: true,
				}),
				h("span", { key: "tip", class: "cell-tip", hidden: true, opaque: true }),
			),
			model &&
				h(
					"div",
					{ key: "below", class: "cells-below" },
					funnelBars(view),
					h(
						"div",
						{ key: "right" },
						groups.length ? reasonList(view, groups) : [colourKey(view), histogram(view), bestBars(view, BEST)],
					),
				),
		),
	]);
	const canvas = target.querySelector("canvas");
	field.picked = pickedNodes(view, groups);
	if (canvas) field.draw(canvas, /** @type {HTMLElement} */ (target.querySelector(".cell-tip")), view, model);
}
