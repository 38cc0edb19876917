// @ts-check
/** The margin: where a number comes from, or everything about the selected pod or node. */

import { h, patch } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { askedAt, canExplain, explainRef, unasked } from "../steps/explanations.js";

/** Comes when something is first selected. @type {typeof import("./inspect/inspector.js") | null} */
let inspector = null;

/** @param {View} view */
async function load(view) {
	inspector = await import("./inspect/inspector.js");
	view.act.set({});
}

/**
 * @param {Element} target @param {View} view
 * @returns {boolean} whether it is whole; else the rest comes with its modules
 */
export function drawMargin(target, view) {
	target.classList.toggle("open", view.options.margin || view.selection !== null || view.pin !== null);
	const close = h(
		"button",
		{
			key: "close",
			type: "button",
			class: "margin-close",
			"aria-label": t("close"),
			on: {
				click: () => {
					view.act.pin(null);
					view.act.select(null);
					view.act.set({ margin: false });
				},
			},
		},
		"✕",
	);
	const { selection } = view;
	const ref = view.pin ?? view.explained ?? askedAt(view) ?? unasked(view.state, view.hero);
	const inspected = !view.pin && selection;
	if (inspected && !inspector) void load(view);
	const inspect = inspected ? inspector?.[inspected.kind === "pod" ? "podInspector" : "nodeInspector"] : null;
	const body = inspected ? inspect?.(view, inspected.name) : ref && explainRef(view, ref);
	patch(target, [
		(view.pin || selection || view.options.margin) && close,
		h(
			"div",
			{ key: inspected ? `${inspected.kind}${inspected.name}` : `ref${ref?.split(":")[0]}`, class: "margin-body" },
			body,
		),
	]);
	return inspected ? inspector !== null : canExplain(ref);
}
