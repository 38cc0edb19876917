// @ts-check
/**
 * The cluster beside the text, at the start or at the end of the last run: nodes with their pods, and pending pods.
 */

import { button, h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { amount, quantity, rampColour } from "../../shared/units.js";

/** @typedef {import("../../trace/trace").NodeSummary} NodeSummary */
/**
 * A node of the picture. `held`: pods that are nominated to it and not there yet; `placed`: keys of the pods that the
 * run placed; `leaving`: of those that are being deleted; `misfit`: a pod for which there is too little cpu;
 * `reasons`: why the node rejected the chosen pod.
 * @typedef {{node: NodeSummary, pods: PodSummary[], held: PodSummary[], placed?: Set<string>, leaving?: Set<string>,
 *   misfit?: PodSummary, reasons?: string[]}} Row
 */

const DRAWN = 60; // nodes; more would fill the page
const CHIPS = 40;
const LABELLED = 0.2; // of a line; a narrower box has no room for words

/** The rows before a run. @param {{nodes: NodeSummary[], pods: PodSummary[]}} summary @returns {Row[]} */
function startRows({ nodes, pods }) {
	return nodes.map((node) => ({
		node,
		pods: pods.filter((pod) => pod.node === node.name),
		held: pods.filter((pod) => !pod.node && pod.nominated_node === node.name),
	}));
}

/** Pods to be placed, those of high priority first. @param {PodSummary[]} pods */
const pendingOf = (pods) => pods.filter((pod) => !pod.node).sort((a, b) => (b.priority ?? 0) - (a.priority ?? 0));

/** The card of the nodes, DRAWN at most. @param {Row[]} rows @param {any} [head] above the nodes */
function clusterCard(rows, head) {
	const scale = Math.max(
		...rows.map((row) => Math.max(row.node.allocatable.cpu ?? 0, takenCpu(row) + (row.misfit ? cpuOf(row.misfit) : 0))),
		1,
	);
	return h(
		"div",
		{ class: "card cluster", key: "cluster" },
		head,
		rows.length
			? rows.slice(0, DRAWN).map((row) => nodeRow(row, scale))
			: h("p", { class: "muted" }, t("editor.noNodes")),
		rows.length > DRAWN ? h("p", { class: "muted" }, t("editor.moreNodes", { n: rows.length - DRAWN })) : null,
	);
}

/**
 * The card of pending pods; with `choose`, selecting one shows the nodes that rejected it.
 * @param {string} title @param {PodSummary[]} pods @param {{chosen: string, choose: (pod: string) => void, note:
 *   string}} [pick]
 */
function waitingCard(title, pods, pick) {
	const text = (/** @type {PodSummary} */ pod) => `${short(pod.pod)} · ${amount("cpu", cpuOf(pod))} cpu`;
	const look = (/** @type {PodSummary} */ pod) => ({
		key: pod.pod,
		class: `pod-chip ${rampColour(pod.priority ?? 0)}`,
		title: pod.pod,
	});
	return h(
		"div",
		{ class: "card waiting", key: "waiting" },
		h("h3", null, title),
		h(
			"div",
			{ class: "chips" },
			...pods
				.slice(0, CHIPS)
				.map((pod) =>
					pick
						? button(
								() => pick.choose(pod.pod),
								{ ...look(pod), "aria-pressed": String(pod.pod === pick.chosen) },
								text(pod),
							)
						: h("span", look(pod), text(pod)),
				),
		),
		pods.length > CHIPS ? h("p", { class: "muted" }, t("editor.morePods", { n: pods.length - CHIPS })) : null,
		pick?.note ? h("p", { class: "muted small" }, pick.note) : null,
	);
}

/** The cpu that a pod requests, in millicores. @param {PodSummary} pod */
const cpuOf = (pod) => pod.requests?.cpu ?? 0;

/** The cpu that the pods request. @param {PodSummary[]} pods */
const totalCpu = (pods) => pods.reduce((total, pod) => total + cpuOf(pod), 0);

/**
 * The cpu of the pods that stay. The cpu held for nominated pods is drawn from there on, over that of the pods that
 * leave.
 * @param {Row} row
 */
const stayingCpu = (row) => totalCpu(row.pods.filter((pod) => !row.leaving?.has(pod.pod)));

/** The cpu up to the right end of the pods and of the held amount. @param {Row} row */
const takenCpu = (row) => Math.max(totalCpu(row.pods), stayingCpu(row) + totalCpu(row.held));

/** A node's name, its bar, and its free cpu. @param {Row} row @param {number} scale the cpu of a full line */
function nodeRow(row, scale) {
	const { node, misfit, held } = row;
	const cpu = node.allocatable.cpu ?? 0;
	const free = cpu - totalCpu(row.pods);
	const flags = [
		node.unschedulable ? t("editor.cordoned") : "",
		...(node.taints ?? []).map(([key, value]) => (value ? `${key}=${value}` : key)),
	].filter(Boolean);
	const labelled = misfit && cpuOf(misfit) / scale >= LABELLED;
	const reasons = (row.reasons ?? []).filter((reason) => !(labelled && reason === "Insufficient cpu"));
	const pods = [...row.pods].sort(
		(a, b) => Number(row.leaving?.has(a.pod) ?? 0) - Number(row.leaving?.has(b.pod) ?? 0),
	);
	return h(
		"div",
		{ key: node.name, class: "node-row" },
		h(
			"div",
			{ class: "node-name" },
			h("b", null, node.name),
			h("small", null, `${quantity("cpu", cpu)} · ${quantity("memory", node.allocatable.memory ?? 0)}`),
			...flags.map((flag) => h("span", { class: "chip" }, flag)),
		),
		h(
			"div",
			{ class: "node-track" },
			h(
				"div",
				{ class: "node-bar", style: { "inline-size": share(cpu, scale) } },
				...pods.map((pod) => podBlock(pod, row, cpu)),
			),
			held.length
				? overlay(
						"held",
						stayingCpu(row),
						totalCpu(held),
						scale,
						t("editor.held", { pod: held.map((pod) => short(pod.pod)).join(", ") }),
					)
				: null,
			misfit
				? overlay("misfit", takenCpu(row), cpuOf(misfit), scale, t("editor.doesNotFit", { pod: short(misfit.pod) }))
				: null,
			reasons.length ? h("small", { class: "node-why no" }, `✕ ${reasons.join(", ")}`) : null,
		),
		h(
			"div",
			{ class: free < 0 ? "node-free over" : "node-free" },
			t("editor.free", { free: amount("cpu", free) }),
			held.length ? h("small", null, t("editor.heldCpu", { cpu: amount("cpu", totalCpu(held)) })) : null,
		),
	);
}

/** A pod's part of its node's bar. @param {PodSummary} pod @param {Row} row @param {number} cpu the node's */
function podBlock(pod, row, cpu) {
	const kinds = [row.placed?.has(pod.pod) ? "placed" : "", row.leaving?.has(pod.pod) ? "leaving" : ""].join(" ");
	const words = row.leaving?.has(pod.pod) ? t("editor.leaving", { pod: pod.pod }) : pod.pod;
	return h(
		"span",
		{
			key: pod.pod,
			class: `pod-block ${rampColour(pod.priority ?? 0)} ${kinds}`,
			title: `${words}: ${quantity("cpu", cpuOf(pod))}`,
			style: { "inline-size": share(cpuOf(pod), cpu) },
		},
		short(pod.pod),
	);
}

/**
 * A dashed box over the bar, for pods that are not on the node.
 * @param {string} kind
 * @param {number} from
 * @param {number} cpu
 * @param {number} scale
 * @param {string} words
 */
function overlay(kind, from, cpu, scale, words) {
	return h(
		"div",
		{
			key: kind,
			class: `node-overlay ${kind}`,
			title: words,
			style: { "inset-inline-start": share(from, scale), "inline-size": share(cpu, scale) },
		},
		cpu / scale >= LABELLED ? h("span", null, words) : null,
	);
}

/** A part of a whole, in percent, for CSS. @param {number} part @param {number} whole */
const share = (part, whole) => `${whole ? (100 * part) / whole : 0}%`;

/** A pod's name, with its namespace unless that is "default". @param {string} key */
const short = (key) => key.replace(/^default\//, "");

/**
 * @typedef {object} Shown
 * @property {string} text
 * @property {{nodes: any[], pods: any[]}} summary of the text
 * @property {string} ran the text of the last run
 * @property {boolean} atEnd the picture shows how that run ended
 * @property {string} chosen the pending pod whose rejections are shown
 */

/**
 * The cards of the cluster and of the pending pods, at the start, or at the end of a run of the shown text.
 * @param {Shown} shown @param {import("./outcome.js").Outcome} outcome @param {() => void} redraw
 */
export function clusterCards(shown, outcome, redraw) {
	const { nodes, pods } = shown.summary;
	const hasRun = outcome.complete && shown.ran === shown.text;
	const buttons = hasRun ? momentTabs(shown, redraw) : null;
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
	const note = refusal ? t("editor.lastAttempt", { pod: short(chosen), n: refusal.attempt }) : "";
	return [
		clusterCard(outcome.ending.rows(chosen), buttons),
		waitingCard(t("editor.leftWaiting", { n: waiting.length }), waiting, { chosen, choose, note }),
	];
}

/** The switch between the two pictures. @param {Shown} shown @param {() => void} redraw */
function momentTabs(shown, redraw) {
	const moment = (/** @type {boolean} */ atEnd) => {
		const click = () => {
			shown.atEnd = atEnd;
			redraw();
		};
		const pressed = String(shown.atEnd === atEnd);
		return button(click, { "aria-pressed": pressed }, t(atEnd ? "editor.atEnd" : "editor.atStart"));
	};
	return h(
		"div",
		{ class: "tabs moments", role: "group", "aria-label": t("editor.moments") },
		moment(false),
		moment(true),
	);
}
