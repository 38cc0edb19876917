// @ts-check
/** The ladder of criteria that the candidates go down until one is left. */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { rungText } from "./captions.js";
import { actOf } from "./model.js";

/** @param {View} view @param {Theatre} play @param {Candidate[]} shown @param {number} frame */
export function ladder(view, play, shown, frame) {
	const { act, at } = actOf(play, frame);
	const now = act === "rung" ? at : 0;
	if (!play.rungs) return h("p", { key: "single", class: "rung-not" }, t("rung.single"));
	return h(
		"div",
		{ key: "ladder", class: "ladder" },
		[1, 2, 3, 4, 5, 6]
			.filter((rung) => now < play.rungs || rung <= play.rungs)
			.map((rung) =>
				h(
					"div",
					{ key: rung, class: `rung ${rung === now ? "now" : ""}` },
					h("div", { class: "rung-name" }, h("b", null, String(rung)), t(`rung.${rung}`)),
					shown.map((one) => cell(view, play, one, rung, now)),
				),
			),
		now >= play.rungs &&
			play.rungs < 6 &&
			h(
				"div",
				{ key: "not", class: "rung unneeded" },
				h("div", { class: "rung-name" }, h("b", null, play.rungs < 5 ? `${play.rungs + 1}–6` : "6")),
				h("div", { key: "not", class: "rung-not" }, t("rung.notneeded")),
			),
	);
}

/** @param {View} view @param {Theatre} play @param {Candidate} one @param {number} rung @param {number} now */
export function cell(view, play, one, rung, now) {
	const alive = !one.rung || one.rung >= rung;
	const shown = alive && rung <= now;
	const falls = one.rung === rung && shown;
	const wins = !one.rung && rung === play.rungs && shown;
	const kind = !alive ? "gone" : falls ? "falls" : wins ? "wins" : "";
	return h(
		"div",
		{ key: `${one.node}:${rung}`, class: `rung-cell ${kind} ${shown ? "" : "blank"}` },
		shown &&
			h(
				"b",
				{ key: `v${rung}`, title: rungText(view, one, rung) },
				falls ? "✕ " : wins ? "★ " : "",
				rungText(view, one, rung),
			),
	);
}
