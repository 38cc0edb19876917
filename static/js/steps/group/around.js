// @ts-check
/**
 * Shows a pod group at the steps of its members: its card, and a row under other pictures.
 */

import { button, h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { nameInKey, rampStyle } from "../../shared/units.js";
import { podLabel, podTitle } from "../parts/pods.js";
import { domainKind } from "../parts/words.js";
import { gangOf, gatheringGroup, groupOf, inCycle } from "./model.js";

/** Events with pictures of their own. */
const OTHERS = new Set(["PreFilterFinished", "NodesFiltered", "ScoresComputed", "HostSelected", "PreemptionEvaluated"]);

/** Whether the group's picture is shown. @param {AnyEvent} event @param {State} state */
export function shown(event, state) {
	return inCycle(event, state) ? !OTHERS.has(event.type) : gatheringGroup(event, state) !== "";
}

/** The card of the group that a step is about; null if there is none. @param {View} view */
export function card(view) {
	const gang = gangOf(view.event, view.state);
	if (!gang) return null;
	const { key, name, summary, min, whole } = gang;
	const domain = summary?.topology_key ?? "";
	const more = [
		summary?.priority ? t("priority", { n: summary.priority }) : "",
		domain && t("gang.within", { key: domainKind(domain.slice(domain.lastIndexOf("/") + 1)) }),
	].filter(Boolean);
	return button(
		() => view.act.pin(`group:${key}`),
		{ key: "group", class: "subject gang-card", title: key },
		h("b", { class: name.length > 16 ? "long" : "" }, name),
		h("span", { class: "subject-priority" }, t("gang.card", { n: whole })),
		h("span", { class: "subject-more" }, t(min === null ? "gang.policy.basic" : "gang.policy.gang", { min: min ?? 0 })),
		more.length > 0 &&
			h("span", { class: "subject-more labels", title: `${more.join(", ")} ${domain}` }, more.join(t("list.comma"))),
	);
}

/** The row under a member's picture with the state of its group; [] outside its cycle. @param {View} view */
export function ribbon(view) {
	const gang = gangOf(view.event, view.state);
	if (!gang?.cycle) return [];
	return [
		h(
			"div",
			{ key: "gang", class: "gang-ribbon" },
			h("b", { key: "name" }, nameInKey(groupOf(view.event, view.state))),
			h(
				"ol",
				{ key: "slots", class: "gang-slots" },
				gang.members.map((member, i) => slot(view, member, i, true)),
			),
			h("span", { key: "words", class: "gang-words" }, quorumBar(gang), quorumWords(gang)),
		),
	];
}

const MAX_ITEMS = 6;
const INSIDE = 5; // members with their names

/**
 * The entries of a section of the queue, the pods of a group together.
 * @param {View} view @param {string} section @param {PodState[]} pods
 * @param {(view: View, section: any, pod: PodState) => Child} single
 * @returns {Child[] | undefined} undefined if no group is involved
 */
export function items(view, section, pods, single) {
	const { event, state } = view;
	const { started, decided, finished } = state.group ?? {};
	const back = finished || (decided && decided.outcome !== "Scheduled");
	const away = section === "active" && inCycle(event, state) && !back && started;
	if (!away && !pods.some(({ summary }) => summary.pod_group)) return undefined;
	const all = groupUnits(pods);
	return [
		away && leftPlace(view, away.pod_group, away.pods.length),
		...all
			.slice(0, MAX_ITEMS)
			.map((unit) =>
				unit.length > 1 || unit[0].summary.pod_group
					? groupItem(view, section, unit, single)
					: single(view, section, unit[0]),
			),
		all.length > MAX_ITEMS && h("small", { key: "more" }, t("list.more", { n: all.length - MAX_ITEMS })),
	];
}

/** Pods in order, those of a group together in place of the first. @param {PodState[]} pods */
function groupUnits(pods) {
	/** @type {Map<string, PodState[]>} */
	const out = new Map();
	for (const pod of pods) {
		const key = pod.summary.pod_group ? `group ${pod.summary.pod_group}` : pod.summary.pod;
		out.set(key, [...(out.get(key) ?? []), pod]);
	}
	return [...out.values()];
}

/** Keeps only the last of equal notes of neighbouring members. @param {any[]} drawn */
function joinNotes(drawn) {
	const notes = drawn.map(({ children: [, note] }) => JSON.stringify(note));
	return drawn.map((item, i) => (notes[i] === notes[i + 1] ? { ...item, children: item.children.slice(0, 1) } : item));
}

/**
 * The place that a group leaves in the queue while it is tried.
 * @param {View} view
 * @param {string} key
 * @param {number} n
 */
function leftPlace({ act }, key, n) {
	const on = { click: () => act.pin(`group:${key}`) };
	return h(
		"button",
		{ key: `left${key}`, type: "button", class: "queue-pod left gang-left", on },
		t("gang.left", { group: nameInKey(key), n }),
	);
}

/**
 * The pods of one group in the queue.
 * @param {View} view @param {string} section @param {PodState[]} pods
 * @param {(view: View, section: any, pod: PodState) => Child} single
 */
function groupItem(view, section, pods, single) {
	const key = pods[0].summary.pod_group ?? "";
	const { min_count: min = null } = view.state.pod_groups.get(key)?.summary ?? {};
	const all = [...view.state.pods.values()].filter(({ summary }) => summary.pod_group === key).length;
	const members = pods.slice(0, pods.length > INSIDE ? INSIDE - 1 : INSIDE);
	return h(
		"div",
		{ key: `group${key}`, class: "gang-item" },
		button(
			() => view.act.pin(`group:${key}`),
			{ key: "name", class: "gang-item-name", title: key },
			h("b", null, nameInKey(key)),
			h("span", null, t("gang.item", { n: pods.length, all: Math.max(all, min ?? 0) })),
		),
		joinNotes(members.map((pod) => single(view, section, pod))),
		pods.length > members.length &&
			h(
				"div",
				{ key: "squares", class: "squares" },
				pods.slice(members.length).map(({ summary }) =>
					button(() => view.act.select({ kind: "pod", name: summary.pod }), {
						key: summary.pod,
						title: podTitle(view.state, summary.pod),
						"aria-label": nameInKey(summary.pod),
						"data-fly": summary.pod,
						style: rampStyle(summary.priority ?? 0),
					}),
				),
			),
	);
}

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
const ROOMY = 8; // members whose standing is written out
const MAX_SLOTS = 24;
const MAX_SEGMENTS = 32;

/**
 * The frame around a pod group's members.
 * @param {View} view @param {Gang} gang @param {Child} [more] more children
 */
export function frame(view, gang, more) {
	const { key, name, members } = gang;
	const few = members.length <= ROOMY;
	const phase = t(`gang.phase.${phaseWord(gang)}`);
	const kind = [
		view.subject ? "" : "mine",
		gang.cycle?.decided && isRefused(gang) ? "returns" : "",
		few ? "" : "crowd",
	];
	return h(
		"section",
		{ key: "frame", class: `gang-frame ${kind.filter(Boolean).join(" ")}`, "aria-label": t("gang.frame", { name }) },
		h(
			"header",
			{ key: "head" },
			button(() => view.act.pin(`group:${key}`), { class: "gang-name", title: key }, name),
			h("span", { key: "phase", class: "gang-phase", title: phase }, phase),
			h("span", { key: "quorum", class: "gang-words" }, quorumBar(gang), quorumWords(gang)),
		),
		h(
			"ol",
			{ key: "slots", class: "gang-slots" },
			members.slice(0, MAX_SLOTS).map((member, i) => slot(view, member, i, !few)),
			members.length > MAX_SLOTS &&
				h("li", { key: "more", class: "gang-more" }, t("list.more", { n: members.length - MAX_SLOTS })),
		),
		more,
	);
}

/** Whether the decision about the group was not to schedule it. @param {Gang} gang */
function isRefused({ cycle }) {
	return Boolean(cycle?.decided) && cycle?.decided?.outcome !== "Scheduled";
}

/** The phase in the key of its text: once the group is decided, the outcome. @param {Gang} gang */
function phaseWord({ phase, cycle }) {
	return phase === "decided" ? (cycle?.decided?.outcome ?? "Error") : phase;
}

/**
 * A segment for each member, filled for those that have a node, or exist; those beyond minCount are set apart. Of many
 * members, a plain bar.
 * @param {Gang} gang
 */
export function quorumBar({ whole, have, min, enough }) {
	if (whole > MAX_SEGMENTS) {
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
	const gathers = phase === "gathers";
	const key = min === null ? (gathers ? "basic.here" : "basic") : gathers ? "here" : enough === false ? "few" : "nodes";
	return t(`gang.quorum.${key}`, { have, min: min ?? 0, n: members.length });
}

/** One member of the group. @param {View} view @param {Member} member @param {number} i @param {boolean} short */
function slot(view, { pod, standing, node, place }, i, short) {
	if (standing === "absent")
		return h(
			"li",
			{ key: pod || `absent${i}`, class: "gang-slot absent" },
			h("span", null, podLabel(pod)),
			!short && h("small", null, t(pod ? "gang.is.coming" : "gang.is.absent")),
		);
	const mine = pod === view.subject;
	const had = standing === "returns" && node ? ".had" : "";
	const words = standing === "here" ? t(`place.${place}`) : t(`gang.is.${standing}${had}`, { node });
	const inside = !view.state.pods.get(pod)?.node && standing !== "goes" && standing !== "here";
	return h(
		"li",
		{ key: pod, class: `gang-slot ${standing} ${mine ? "mine" : ""}`, title: `${nameInKey(pod)}: ${words}` },
		button(
			() => view.act.select({ kind: "pod", name: pod }),
			{
				class: "gang-member",
				"data-pod": pod,
				"data-fly": inside ? pod : null,
				title: `${podTitle(view.state, pod)}: ${words}`,
				style: rampStyle(view.state.pods.get(pod)?.summary.priority ?? 0),
			},
			h("em", { "aria-hidden": "true" }, MARKS[standing]),
			h("span", null, podLabel(pod)),
		),
		!short && h("small", null, words),
	);
}
