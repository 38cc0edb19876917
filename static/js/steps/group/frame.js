// @ts-check
/** The group as one thing: its name, the quorum as segments and in words, and each member with how it stands. */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { rampStyle } from "../../shared/priority.js";
import { podName } from "../../shared/units.js";
import { podTitle } from "../parts/pods.js";

/** @typedef {import("./model.js").Gang} Gang @typedef {import("./model.js").Member} Member */

/** The sign of each standing, beside its colour. @type {Record<import("./model.js").Standing, string>} */
const MARKS = {
	absent: "",
	here: "",
	waits: "",
	tried: "▸",
	fits: "✓",
	left: "✕",
	back: "↩",
	goes: "→",
	permit: "‖",
	assumed: "✓",
	bound: "✓",
	returns: "↩",
};
const ROOMY = 8; // members whose standing is told in words
const MOST = 24;
const MOST_SEGMENTS = 32;

/** @param {View} view @param {Gang} gang @param {Child} [more] what else belongs to it */
export function frame(view, gang, more) {
	const { key, name, members } = gang;
	const few = members.length <= ROOMY;
	const kind = [view.hero ? "" : "mine", gang.cycle?.decided && refused(gang) ? "returns" : "", few ? "" : "crowd"];
	return h(
		"section",
		{ key: "frame", class: `gang-frame ${kind.filter(Boolean).join(" ")}`, "aria-label": t("gang.frame", { name }) },
		h(
			"header",
			{ key: "head" },
			h(
				"button",
				{ type: "button", class: "gang-name", title: key, on: { click: () => view.act.pin(`group:${key}`) } },
				name,
			),
			h("span", { key: "phase", class: "gang-phase" }, t(`gang.phase.${phaseWord(gang)}`)),
			h("span", { key: "quorum", class: "gang-words" }, quorum(gang), quorumWords(gang)),
		),
		h(
			"ol",
			{ key: "slots", class: "gang-slots" },
			members.slice(0, MOST).map((one, i) => slot(view, one, i, !few)),
			members.length > MOST &&
				h("li", { key: "more", class: "gang-more" }, t("list.more", { n: members.length - MOST })),
		),
		more,
	);
}

/** @param {Gang} gang */
function refused({ cycle }) {
	return cycle?.decided && cycle.decided.outcome !== "Scheduled";
}

/** @param {Gang} gang */
function phaseWord({ phase, cycle }) {
	return phase === "decided" ? (cycle?.decided?.outcome ?? "Error") : phase;
}

/**
 * A segment for each member that is needed, filled for each that there is; those beyond stand apart.
 * @param {Gang} gang
 */
export function quorum({ whole, have, min, enough }) {
	if (whole > MOST_SEGMENTS) {
		const share = (/** @type {number} */ n) => `${(100 * n) / Math.max(1, whole)}%`;
		return h(
			"span",
			{ key: "bar", class: `quorum plain ${enough ? "enough" : ""}`, "aria-hidden": "true" },
			h("i", { class: "full", style: { width: share(have) } }),
			min !== null && h("u", { key: "min", style: { left: share(min) } }),
		);
	}
	return h(
		"span",
		{ key: "bar", class: `quorum ${enough ? "enough" : enough === false ? "few" : ""}`, "aria-hidden": "true" },
		Array.from({ length: whole }, (_, i) =>
			h("i", { key: i, class: `${i < have ? "full" : ""} ${min !== null && i === min ? "beyond" : ""}` }),
		),
	);
}

/** "2 of 3 (minCount) have a node". @param {Gang} gang */
export function quorumWords({ phase, have, min, members, enough }) {
	const key = phase === "gathers" ? "here" : min === null ? "basic" : enough === false ? "few" : "nodes";
	return t(`gang.quorum.${key}`, { have, min: min ?? 0, n: members.length });
}

/** @param {View} view @param {Member} member @param {number} i @param {boolean} short */
export function slot(view, { pod, standing, node, place }, i, short) {
	if (standing === "absent")
		return h(
			"li",
			{ key: pod || `absent${i}`, class: "gang-slot absent" },
			h("span", null, podName(pod)),
			!short && h("small", null, t(pod ? "gang.is.coming" : "gang.is.absent")),
		);
	const mine = pod === view.hero;
	const had = standing === "returns" && node ? ".had" : "";
	const words = standing === "here" ? t(`place.${place}`) : t(`gang.is.${standing}${had}`, { node });
	const inside = !view.state.pods.get(pod)?.node && standing !== "goes" && standing !== "here";
	return h(
		"li",
		{ key: pod, class: `gang-slot ${standing} ${mine ? "mine" : ""}`, title: `${podName(pod)}: ${words}` },
		h(
			"button",
			{
				type: "button",
				class: "gang-member",
				"data-pod": pod,
				"data-fly": inside ? pod : null,
				title: `${podTitle(view.state, pod)}: ${words}`,
				style: rampStyle(view.state.pods.get(pod)?.summary.priority ?? 0),
				on: { click: () => view.act.select({ kind: "pod", name: pod }) },
			},
			h("em", { "aria-hidden": "true" }, MARKS[standing]),
			h("span", null, podName(pod)),
		),
		!short && h("small", null, words),
	);
}
