// @ts-check
/** Captions of the actions of controllers, kubelets and the API server. */

import { h } from "../../shared/dom.js";
import { has, list, num, parts, t } from "../../shared/i18n.js";
import { cutName, nameInKey, seconds } from "../../shared/units.js";
import { panel, row, table } from "../parts/panel.js";
import { timesOf } from "../parts/times.js";
import { node, pod } from "../parts/words.js";
import { refusedPods, workloadRows } from "./model.js";
import { actorName, podItems } from "./view.js";

const LETTERS = 40;
const MOST_PODS = 4;
const MOST_NUMBERS = 6;
const LOWER = /^[a-z](?=\w* [a-z])/; // starts a sentence, but not with a name
const POD = /^(pod|preemptor)$/; // among the values of a cause
const PODS_APART = ", ";

/**
 * The sentence of a cause; [] if it has none.
 * @param {import("../../trace/trace").Because | null} [cause] @returns {Part[]}
 */
export function causeOf(cause) {
	if (!cause || !has(`cause.${cause.name}`)) return [];
	/** @type {Record<string, Part | Part[] | number>} */
	const values = {};
	for (const [name, value] of Object.entries(cause.values ?? {})) values[name] = causeValue(name, value);
	const [first, ...rest] = parts(`cause.${cause.name}`, values);
	const begin = typeof first === "string" ? first.replace(LOWER, (letter) => letter.toUpperCase()) : first;
	return [begin, ...rest, t("sentence.end")];
}

/**
 * A value of a cause as a part of its sentence.
 * @param {string} name @param {string | number} value @returns {Part | Part[]}
 */
function causeValue(name, value) {
	if (typeof value === "number") return num(value);
	const pods = name === "pods" ? value.split(PODS_APART).map((key) => pod(key)) : [];
	if (pods.length) return list(pods, MOST_PODS);
	return cutName(POD.test(name) ? nameInKey(value) : value, LETTERS);
}

/** An actor in words; "somebody" if the event names none. @param {string} [by] @returns {string} */
const actorOrSomebody = (by = "") => actorName(by || "somebody");

/** Causes of a new number of replicas. */
const SCALES = /^(rollout-up|rollout-down|rollout-unhealthy|recreate-down|scaled|load)$/;

/** The caption of a workload that a controller or a user wrote. @param {{event: any}} context */
export function workloadWritten({ event }) {
	const { action, kind, name, by, because, workload } = event;
	const size = workload?.size ?? null;
	const values = {
		kind,
		name: cutName(workload?.called ?? name, LETTERS),
		size: num(size ?? 0),
		by: actorName(by ?? ""),
	};
	const change = action === "update" && SCALES.test(because?.name) && size !== null ? "scale" : action;
	const sized = change === "create" && size !== null ? ".size" : "";
	return {
		eyebrow: parts(by ? "eyebrow.controllers" : "eyebrow.change"),
		sentence: parts(`${by ? "controllers" : "workload"}.${change}${sized}`, values),
		why: causeOf(because),
	};
}

/**
 * Returns the caption function for an event of a pod: with the text `key`, and the cause as its second line.
 * @param {string} key @param {(event: any) => Record<string, Part | Part[] | number>} values
 */
function podEventCaption(key, values) {
	return (/** @type {Context} */ { event, subject }) => ({
		eyebrow: parts("eyebrow.controllers"),
		sentence: parts(key, { pod: pod(event.pod ?? "", subject), ...values(event) }),
		why: causeOf(event.because),
	});
}

/** The captions of a resize, by condition. @type {Record<string, string>} */
const RESIZES = {
	"PodResizePending Deferred": "controllers.resize.deferred",
	"PodResizePending Infeasible": "controllers.resize.infeasible",
	"PodResizePending False": "controllers.resize.pendingNoMore",
	"PodResizeInProgress True": "controllers.resize.started",
	"PodResizeInProgress False": "controllers.resize.completed",
};

/**
 * The key of a condition in RESIZES: its type, and its reason or status.
 * @param {import("../../trace/trace").ConditionState} condition
 */
const resizeKey = (condition) => `${condition.type} ${condition.reason || condition.status}`;

/** The names and numbers of a status, without those that are 0. @param {Record<string, number | string>} status */
const numbersOf = (status) => Object.entries(status).filter(([, value]) => value !== 0 && value !== "set");

/** "Available=True (MinimumReplicasAvailable)". @param {import("../../trace/trace").ConditionState} condition */
const conditionText = ({ type, status, reason = "" }) => `${type}=${status}${reason ? ` (${reason})` : ""}`;

/** "Deployment web" of "Deployment/web"; a node's name alone. @param {string} name */
const bareName = (name) => cutName(name.replace(/^Node\//, "").replace("/", " "), LETTERS);

/** The key of the text for a verb. @param {string} verb */
const requestKey = (verb) => (has(`request.${verb}`) ? `request.${verb}` : "controllers.request");

/** @type {Record<string, (context: Context) => Partial<Caption>>} */
export const CAPTIONS = {
	WorkloadStatusWritten: ({ event }) => {
		const numbers = numbersOf(event.status).map(([name, value]) => `${name} ${value}`);
		return {
			eyebrow: parts("eyebrow.controllers"),
			sentence: parts("controllers.status", { kind: event.kind, name: cutName(event.name, LETTERS) }),
			why: [
				...(numbers.length ? [...list(numbers, MOST_NUMBERS), t("sentence.end")] : []),
				...(event.conditions ?? []).flatMap((/** @type {any} */ condition) => [" ", conditionText(condition)]),
			],
		};
	},
	PodDeletionRequested: (context) => ({
		...podEventCaption(
			`controllers.deletion${context.subject ? ".for" : context.event.grace ? "" : ".now"}`,
			(event) => ({
				by: actorOrSomebody(event.by),
				grace: num(seconds(event.grace)),
				preemptor: pod(context.subject ?? "", context.subject),
			}),
		)(context),
		...(context.subject ? { eyebrow: parts("eyebrow.change") } : {}),
	}),
	PodStarted: podEventCaption("controllers.started", () => ({})),
	PodReadinessChanged: (context) =>
		podEventCaption(context.event.ready ? "controllers.ready" : "controllers.unready", () => ({}))(context),
	PodRestarted: podEventCaption("controllers.restarted", (event) => ({
		code: num(event.exit_code),
		n: num(event.restarts),
		at: num(seconds(event.at)),
	})),
	PodFinished: (context) => {
		const finished = podEventCaption("controllers.finished", ({ phase }) => ({ phase }))(context);
		if (!context.event.terminating) return finished;
		return { ...podEventCaption("object.pod.delete.evicted", () => ({}))(context), why: finished.sentence };
	},
	PodConditionSet: (context) =>
		podEventCaption(RESIZES[resizeKey(context.event.condition)] ?? "controllers.condition", (event) => ({
			type: event.condition.type,
			reason: event.condition.reason ?? "",
			message: event.condition.message ?? "",
		}))(context),
	NodeConditionChanged: ({ event }) => ({
		eyebrow: parts("eyebrow.controllers"),
		sentence: parts(`controllers.node.${event.status}`, { node: node(event.name) }),
		why: parts("controllers.node.why", { status: event.status, reason: event.reason }),
	}),
	EvictionAnswered: (context) => ({
		...podEventCaption(context.event.code === 201 ? "controllers.evicted" : "controllers.kept", (event) => ({
			code: num(event.code),
		}))(context),
		why: [context.event.message, ...(context.event.causes ?? [])].filter(Boolean).flatMap((text) => [text, " "]),
	}),
	NodeGroupResized: ({ event }) => {
		const { group, delta, target, nodes = [], error = "" } = event;
		const change = nodes.length ? "deleted" : delta > 0 ? "grown" : "shrunk";
		const values = { group: cutName(group, LETTERS), n: num(Math.abs(delta)), target: num(target) };
		return {
			eyebrow: parts("eyebrow.controllers"),
			sentence: parts(`cloud.${error ? "refused" : change}`, { ...values, error, nodes: list(nodes, 4) }),
		};
	},
	EventRecorded: ({ event }) => ({
		eyebrow: parts("eyebrow.controllers"),
		sentence: parts(event.reason === "FailedCreate" ? "controllers.event.FailedCreate" : "controllers.event", {
			kind: event.kind,
			name: cutName(event.name, LETTERS),
			by: actorOrSomebody(event.source),
			reason: event.reason,
		}),
		why: [event.message],
	}),
	RequestMade: ({ event }) => ({
		eyebrow: parts("eyebrow.change"),
		sentence: parts(event.error ? "controllers.refused" : requestKey(event.verb), {
			verb: event.verb,
			about: list(event.about.map(bareName), 4),
		}),
		why: event.error ? [event.error] : [],
	}),
};

/**
 * The explanation of a workload: its pods, their times, its status and conditions; null if it does not exist at this
 * step.
 * @type {Explain}
 */
export function explain(view, _, key) {
	const record = view.state.workloads.get(key);
	if (!record) return null;
	const shown = workloadRows(view.state).find((entry) => entry.key === key);
	const numbers = numbersOf(record.status);
	return panel(
		key.split(" ")[0],
		record.state.called,
		shown && h("ul", { key: "pods", class: "facts pods-of" }, podItems(view, shown)),
		shown && view.pin && timesOf(view, [...shown.pips.map((pip) => pip.pod), ...refusedPods(view.state, key)]),
		numbers.length + record.conditions.length > 0 &&
			h(
				"details",
				{ key: "status", class: "rest" },
				h("summary", null, t("workload.status")),
				numbers.length > 0 &&
					table(
						[t("workload.field"), t("workload.value")],
						numbers.map(([name, value]) => row(name, [name, String(value)])),
					),
				record.conditions.map((condition) =>
					h("p", { key: condition.type, class: "note", title: condition.message ?? "" }, conditionText(condition)),
				),
			),
	);
}
