// @ts-check
/**
 * The time of pods until they were ready: a bar to scale, a line for each part, and the time that would be left without
 * it.
 */

import { button, h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { nodeName, shortPod } from "../../shared/names.js";
import { ERROR_KEPT, request } from "../../shared/server.js";
import { seconds } from "../../shared/units.js";
import { part } from "./panel.js";

/** @typedef {import("../../trace/trace").Duration} Duration @typedef {import("../../trace/trace").Part} TimePart */

const MAX_PODS = 100;
const MAX_NAMES = 4; // of pods ahead
const REMOVABLE = new Set(["victims", "starting", "not ready", "node", "gated", "quota"]);

/** @type {Map<string, any>} answers by address; null: on its way; a text: why there is none */
const answers = new Map();

/**
 * The server's answer for an address: null until it arrives, a string if it is an error.
 * @param {string} address @param {() => void} arrived @returns {any}
 */
function answerFrom(address, arrived) {
	if (answers.has(address)) return answers.get(address);
	answers.set(address, null);
	request(address).then(({ body }) => {
		if (body.errors) setTimeout(() => answers.delete(address), ERROR_KEPT);
		answers.set(address, body.errors ? body.errors[0].message : body);
		arrived();
	});
	return null;
}

/**
 * The first names, and the number of the others.
 * @param {string[]} pods @param {number} count of all @returns {string}
 */
function namesOf(pods, count) {
	const names = pods.slice(0, MAX_NAMES).map(shortPod).join(t("list.comma"));
	return names + (count > MAX_NAMES ? t("list.and.more") + t("list.more", { n: count - MAX_NAMES }) : "");
}

/** The text of a part of a pod's time: the reason for waiting. @param {TimePart} piece */
function causeText({ cause, attempt = 0, message = "", node = "", until = "", ahead = [], ahead_count = 0 }) {
	const [reason] = message.split(". ");
	const key = ahead.length ? `time.${cause}.behind` : `time.${cause}`;
	const words = t(key, { attempt, message: reason, node: nodeName(node), pods: namesOf(ahead, ahead_count) });
	const [event, object = ""] = until.split(" ");
	return until ? t("time.until", { words, until: [event, shortPod(object)].join(" ").trim() }) : words;
}

/**
 * The section with the time of pods until they were ready; null without pods, in an unfinished run, and before an open
 * question that it might answer.
 * @param {View} view @param {string[]} pods @returns {Child}
 */
export function timesOf(view, pods) {
	if (view.horizon || !view.store.complete || !pods.length) return null;
	const names = pods.slice(0, MAX_PODS).join(",");
	const durations = answerFrom(`${view.boot.api}/runs/${view.run.id}/times?pods=${encodeURIComponent(names)}`, () =>
		view.act.set({}),
	);
	if (durations === null) return part(t("time.title"), h("p", { class: "note" }, "…"));
	if (typeof durations === "string") return part(t("time.title"), h("p", { class: "note" }, durations));
	const last = /** @type {Duration[]} */ (durations).reduce(
		(/** @type {Duration | null} */ late, next) => (late && (late.end ?? 0) >= (next.end ?? 0) ? late : next),
		null,
	);
	if (!last) return null;
	const all = (last.end ?? 0) - last.begin;
	return part(
		t("time.title"),
		h(
			"p",
			{ class: "formula" },
			durations.length > 1
				? t("time.last", { n: durations.length, pod: shortPod(last.pod), time: seconds(all) })
				: t(`time.end.${last.ended ?? "waiting"}`, { time: seconds(all) }),
		),
		all > 0 && timeBar(view, last),
		h(
			"ol",
			{ class: "time-parts" },
			(last.parts ?? []).map((piece, i) => partLine(view, last, piece, i)),
		),
	);
}

/** The bar of a pod's time, with a part for each reason. @param {View} view @param {Duration} duration */
function timeBar(view, { parts = [] }) {
	return h(
		"div",
		{ class: "time-bar", role: "group", "aria-label": t("time.bar") },
		parts.map((piece, i) =>
			button(() => view.act.seek(piece.step), {
				key: i,
				class: `time-part ${causeClass(piece)} ${isNow(view, piece) ? "now" : ""}`,
				style: { "flex-grow": String(piece.end - piece.start) },
				title: `${seconds(piece.end - piece.start)}: ${causeText(piece)}`,
				"aria-label": `${seconds(piece.end - piece.start)}: ${causeText(piece)}`,
			}),
		),
	);
}

/** The class of a part of a pod's time, by its cause. @param {TimePart} piece */
const causeClass = ({ cause }) => `cause-${cause.replaceAll(" ", "-")}`;

/** Whether a part of a pod's time is in progress at this step. @param {View} view @param {TimePart} piece */
const isNow = ({ state: { time } }, piece) => piece.start <= time && time < piece.end;

/**
 * The line of one reason, and how long it lasted.
 * @param {View} view @param {Duration} duration @param {TimePart} piece @param {number} i
 */
function partLine(view, duration, piece, i) {
	return h(
		"li",
		{ key: i, class: isNow(view, piece) ? "now" : "" },
		h("i", { class: `time-key ${causeClass(piece)}`, "aria-hidden": "true" }),
		h("b", null, seconds(piece.end - piece.start)),
		h(
			"span",
			null,
			button(() => view.act.seek(piece.step), { class: "link" }, causeText(piece)),
			withoutCause(view, duration, piece),
		),
	);
}

/** The addresses of runs without a cause that the reader asked for. @type {Set<string>} */
const asked = new Set();

/**
 * "3.2 s instead of 13.2 s", from a run without the cause, or a button that asks for it; for an unschedulable pod, a
 * button that opens What if. Null for other causes, and in an embedded page.
 * @param {View} view @param {Duration} duration @param {TimePart} piece
 */
function withoutCause(view, { pod }, { cause, step }) {
	if (view.boot.embed) return null;
	if (cause === "unschedulable")
		return button(
			() => {
				view.act.seek(step);
				view.act.open(`ask:pod:${pod}`);
			},
			{ class: "link without" },
			t("time.helped"),
		);
	if (!REMOVABLE.has(cause)) return null;
	const query = new URLSearchParams({ pod, cause });
	const address = `${view.boot.api}/runs/${view.run.id}/times/without?${query}`;
	const again = () => view.act.set({});
	if (!asked.has(address))
		return button(
			() => {
				asked.add(address);
				again();
			},
			{ class: "link without" },
			t("time.without"),
		);
	const answer = answerFrom(address, again);
	if (answer === null) return h("small", { role: "status" }, t("time.again"));
	if (typeof answer === "string") return h("small", { role: "status" }, answer);
	const time = (/** @type {Duration} */ { end = 0, begin }) => seconds(end - begin);
	return h(
		"small",
		{ role: "status", class: "without" },
		t("time.instead", { after: time(answer.after), before: time(answer.before) }),
	);
}
