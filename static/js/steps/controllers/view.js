// @ts-check
/** The actors other than the scheduler: a card, the control loop in place of the rail, and the workloads. */

import { button, h } from "../../shared/dom.js";
import { has, t } from "../../shared/i18n.js";
import { nodeName } from "../../shared/names.js";
import { breakable, podLabel } from "../parts/pods.js";
import { isAtRest, ordinal, podAbout, workloadOf, workloadRows } from "./model.js";

/** @typedef {import("./model.js").Row} Row @typedef {import("./model.js").Pip} Pip */

const MAX_PIPS = 16;
const MAX_ROWS = 5;

/** An actor in words: "ReplicaSet controller". @param {string} actor its name in the trace */
export const actorName = (actor) => (has(`actor.${actor}`) ? t(`actor.${actor}`) : actor);

/** The program that an actor is a part of, or where it runs. @param {View} view @param {string} actor */
function programOf({ event, state }, actor) {
	if (/(-controller|^controllermanager)$/.test(actor)) return "kube-controller-manager";
	if (actor !== "kubelet") return t(actor === "somebody" ? "actor.kubectl" : "actor.program");
	const pod = typeof event.pod === "string" ? event.pod : `${event.namespace}/${event.name}`;
	const node = event.kind === "Node" ? event.name : state.pods.get(pod)?.node;
	return node ? t("actor.on", { node: nodeName(node) }) : t("actor.nodes");
}

/** The card of an actor. @param {View} view @param {string} actor @returns {Child} */
export function actorCard(view, actor) {
	const row = workloadRows(view.state).find(({ key }) => key === workloadOf(view.event, view.state));
	const about = row ? `${row.kind} ${row.name}` : view.event.kind === "Node" ? nodeName(view.event.name) : "";
	return h(
		"div",
		{ key: "actor", class: "subject actor" },
		h("b", { class: "long" }, h("i", { class: "loop", "aria-hidden": "true" }, "↻"), breakable(actorName(actor))),
		h("span", { class: "subject-priority" }, programOf(view, actor)),
		about &&
			h(
				"span",
				{ class: "subject-more", title: about },
				row ? t("workload.card", { name: row.name, count: countOf(row) }) : about,
			),
	);
}

/** The stations of a control loop: observe, compare, act. @returns {Child} */
export function loopStations() {
	return ["observe", "compare", "act"].map((station) =>
		h(
			"li",
			{
				key: station,
				class: `station ${station === "act" ? "current acted" : "done passed"}`,
				"aria-current": station === "act" ? "step" : null,
			},
			h("i", { key: "dot" }),
			h("span", { key: "label", title: t(`loop.${station}.title`) }, t(`loop.${station}`)),
		),
	);
}

/** The pods of a workload in words: "2 of 3 ready"; of a Job, those that have ended. @param {Row} row */
function countOf({ ready, desired, pips, kind }) {
	if (kind === "Job")
		return t("workload.ended", { n: pips.filter((pip) => pip.kind === "ended").length, all: pips.length });
	return desired === null ? t("workload.pods", { n: ready }) : t("workload.ready", { n: ready, all: desired });
}

/**
 * The step's workload and those that are changing, MAX_ROWS at most, and the number of the others; null if there are no
 * workloads.
 * @param {View} view @returns {Child}
 */
export function workloads(view) {
	const all = workloadRows(view.state);
	if (!all.length) return null;
	const own = workloadOf(view.event, view.state);
	const busy = all.filter((row) => row.key === own || !isAtRest(row));
	busy.sort((a, b) => Number(b.key === own) - Number(a.key === own));
	const shown = busy.slice(0, MAX_ROWS);
	const rest = all.length - shown.length;
	const more = busy.length > shown.length;
	return h(
		"section",
		{ key: "workloads", class: "workloads", "aria-label": t("workload.title") },
		shown.map((row) => workload(view, row, row.key === own)),
		rest > 0 &&
			h("p", { key: "rest", class: "workloads-rest" }, t(more ? "workload.more" : "workload.rest", { n: rest })),
	);
}

/**
 * A workload: its name, its number of replicas, and its pods.
 * @param {View} view @param {Row} row @param {boolean} own whether the step is about it
 */
function workload(view, row, own) {
	const title = `${row.kind} ${row.name}: ${countOf(row)}`;
	return h(
		"div",
		{ key: row.key, class: `workload ${own ? "now" : ""}`, "data-workload": row.key },
		button(
			() => view.act.pin(`workload:${row.key}`),
			{ class: "workload-name", title },
			h("b", null, row.name),
			h("span", { class: "workload-count" }, countOf(row)),
		),
		row.revisions.length
			? row.revisions.map((revision, i) =>
					h(
						"div",
						{ key: revision.key, class: `revision ${i ? "old" : "new"}` },
						h("small", null, t(i ? "workload.old" : "workload.new")),
						pipRow(view, row, revision.pips, revision.missing),
					),
				)
			: pipRow(view, row, row.pips, row.missing),
	);
}

/**
 * The pods of a workload, or of one of its revisions, as pips, MAX_PIPS at most, and the number of the others.
 * @param {View} view @param {Row} row @param {Pip[]} pips @param {number} missing
 */
function pipRow(view, row, pips, missing) {
	const numbered = row.kind === "StatefulSet";
	const shown = pips.slice(0, MAX_PIPS);
	const over = pips.length + missing - MAX_PIPS;
	const acted = view.subject ? "" : podAbout(view.event);
	return h(
		"div",
		{ key: "pips", class: `workload-pips ${numbered ? "numbered" : ""}` },
		shown.map(({ pod, kind }) =>
			button(
				() => view.act.select({ kind: "pod", name: pod }),
				{
					key: pod,
					class: `pip ${kind} ${pod === view.subject ? "mine" : ""} ${pod === acted ? "acted" : ""}`,
					"data-pip": pod,
					title: `${pod.slice(pod.indexOf("/") + 1)}: ${t(`pip.${kind}`)}`,
					"aria-label": `${pod.slice(pod.indexOf("/") + 1)}: ${t(`pip.${kind}`)}`,
				},
				numbered ? String(ordinal(pod)) : "",
			),
		),
		Array.from({ length: Math.min(missing, MAX_PIPS - shown.length) }, (_, i) =>
			h("span", { key: `missing${i}`, class: "pip missing", title: t("pip.missing") }),
		),
		over > 0 && h("span", { key: "over", class: "pips-over" }, `+${over}`),
	);
}

/** The items of a list of a workload's pods, for the margin. @param {View} view @param {Row} row @returns {Child} */
export function podItems(view, row) {
	return row.pips.map(({ pod, kind }) =>
		h(
			"li",
			{ key: pod },
			h("i", { class: `pip ${kind}`, "aria-hidden": "true" }),
			button(() => view.act.select({ kind: "pod", name: pod }), { class: "link" }, podLabel(pod)),
			h("span", null, t(`pip.${kind}`)),
		),
	);
}
