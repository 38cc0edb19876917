// @ts-check
/** The cluster as it starts; once the text has run, also as it ends, and who waits then. */
import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { clusterCard, pendingOf, startRows, waitingCard } from "./cluster_picture.js";

/**
 * @typedef {object} Shown
 * @property {string} text
 * @property {{nodes: any[], pods: any[]}} summary of the text
 * @property {string} ran the text of the last run
 * @property {boolean} atEnd the picture shows how that run ended
 * @property {string} chosen the pod that waits at its end and of which nodes tell why
 */

/** @param {Shown} shown @param {import("./outcome.js").Outcome} outcome @param {() => void} redraw */
export function clusterCards(shown, outcome, redraw) {
	const { nodes, pods } = shown.summary;
	const hasRun = outcome.complete && shown.ran === shown.text;
	const buttons = hasRun ? moments(shown, redraw) : null;
	if (!hasRun || !shown.atEnd) {
		const pending = pendingOf(pods);
		return [
			clusterCard(startRows({ nodes, pods }), buttons),
			waitingCard(t("editor.toPlace", { n: pending.length }), pending),
		];
	}
	const waiting = outcome.ending.waiting();
	const chosen = (waiting.find((pod) => pod.pod === shown.chosen) ?? waiting[0])?.pod ?? "";
	const refusal = outcome.ending.refusals.get(chosen);
	const choose = (/** @type {string} */ pod) => {
		shown.chosen = pod;
		redraw();
	};
	const note = refusal ? t("editor.lastAttempt", { pod: chosen.replace(/^default\//, ""), n: refusal.attempt }) : "";
	return [
		clusterCard(outcome.ending.rows(chosen), buttons),
		waitingCard(t("editor.leftWaiting", { n: waiting.length }), waiting, { chosen, choose, note }),
	];
}

/** Which of the two is shown. @param {Shown} shown @param {() => void} redraw */
function moments(shown, redraw) {
	const button = (/** @type {boolean} */ atEnd) => {
		const click = () => {
			shown.atEnd = atEnd;
			redraw();
		};
		const pressed = String(shown.atEnd === atEnd);
		return h(
			"button",
			{ type: "button", "aria-pressed": pressed, on: { click } },
			t(atEnd ? "editor.atEnd" : "editor.atStart"),
		);
	};
	return h(
		"div",
		{ class: "tabs moments", role: "group", "aria-label": t("editor.moments") },
		button(false),
		button(true),
	);
}
