// @ts-check
/** What the plugins behind the one that rejected a node would say of it, in words: the scheduler did not ask them. */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { filtered } from "../../steps/filter/model.js";
import { plainReason } from "../../steps/parts/plain_words.js";
import { link, part } from "./parts.js";

/** May it be told what Filter said of a node? Not before a question. @param {View} view @param {string} name */
export function mayTell({ state, event, frame, horizon }, name) {
	const model = filtered(state);
	if (!horizon || !model || event.type !== "NodesFiltered") return true;
	return Math.min(model.at.get(name)?.stop ?? 0, model.plugins.length - 1) <= frame;
}

/** @param {View} view @param {string} name */
export function laterPlugins(view, name) {
	const { state, explainer, act } = view;
	const model = filtered(state);
	const stop = model?.at.get(name)?.stop ?? model?.plugins.length ?? 0;
	const later = model?.plugins.slice(stop + 1) ?? [];
	if (!later.length || !mayTell(view, name)) return null;
	explainer.want(state.attempt, [name]);
	return part(
		t("inspect.unasked"),
		h(
			"ul",
			{ class: "attempts" },
			later.map((plugin) => {
				const told = explainer.filter(state.attempt, name, plugin);
				const passes = told?.code === "Success";
				return h(
					"li",
					{ key: plugin },
					h("b", { class: told ? (passes ? "yes" : "no") : "" }, told ? (passes ? "✓ " : "✕ ") : "· "),
					link(plugin, () => act.pin(`verdict:${name}:${plugin}`)),
					told && !passes ? `${t("colon")}${told.reasons.map(plainReason).join(t("list.comma"))}` : "",
				);
			}),
		),
		h("p", { class: "note" }, t("inspect.unasked.why")),
	);
}
