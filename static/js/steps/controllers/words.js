// @ts-check
/** Captions of what controllers, kubelets and the API server did. */

import { has, list, num, parts, t } from "../../shared/i18n.js";
import { cutName, seconds } from "../../shared/units.js";
import { panel } from "../parts/panel.js";
import { node, pod } from "../parts/words.js";

const LETTERS = 40;

/** @param {import("../../trace/trace").Because | null} [cause] @returns {Part[]} */
export function causeOf(cause) {
	if (!cause || !has(`cause.${cause.name}`)) return [];
	/** @type {Record<string, Part | Part[] | number>} */
	const values = {};
	for (const [name, value] of Object.entries(cause.values ?? {}))
		values[name] = typeof value === "number" ? num(value) : cutName(String(value), LETTERS);
	return [...parts(`cause.${cause.name}`, values), t("sentence.end")];
}

/** "by the deployment-controller". @param {string} [by] @returns {string} */
function actor(by = "") {
	return by || t("actor.somebody");
}

/** An object that a controller wrote, or a workload that somebody changed. @param {{event: any}} context */
export function workloadWritten({ event }) {
	const { action, kind, name, by, because, workload } = event;
	const values = {
		kind,
		name: cutName(workload?.called ?? name, LETTERS),
		size: num(workload?.size ?? 0),
		by: actor(by),
	};
	const sized = workload?.size === null || workload?.size === undefined ? "" : ".size";
	return {
		eyebrow: parts("eyebrow.controllers"),
		sentence: parts(`controllers.${action}${sized}`, values),
		why: causeOf(because),
	};
}

/** @param {string} key @param {(event: any) => Record<string, Part | Part[] | number>} values */
function about(key, values) {
	return (/** @type {Context} */ { event, hero }) => ({
		eyebrow: parts("eyebrow.controllers"),
		sentence: parts(typeof key === "string" ? key : "", { pod: pod(event.pod ?? "", hero), ...values(event) }),
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

/** @param {import("../../trace/trace").ConditionState} condition */
const resizeOf = (condition) => `${condition.type} ${condition.reason || condition.status}`;

/** The numbers of a status: "readyReplicas 2". @param {Record<string, number | string>} status */
function numbersOf(status) {
	return list(
		Object.entries(status)
			.filter(([, value]) => value !== 0 && value !== "set")
			.map(([name, value]) => `${name} ${value}`),
		6,
	);
}

/** @type {Record<string, (context: Context) => Partial<Caption>>} */
export const CAPTIONS = {
	WorkloadStatusWritten: ({ event }) => ({
		eyebrow: parts("eyebrow.controllers"),
		sentence: parts("controllers.status", {
			kind: event.kind,
			name: cutName(event.name, LETTERS),
			numbers: numbersOf(event.status),
		}),
		why: (event.conditions ?? []).flatMap((/** @type {any} */ { type, status, reason = "" }) => [
			`${type}=${status}${reason ? ` (${reason})` : ""} `,
		]),
	}),
	PodDeletionRequested: about("controllers.deletion", (event) => ({
		by: actor(event.by),
		grace: num(seconds(event.grace)),
	})),
	PodStarted: about("controllers.started", () => ({})),
	PodReadinessChanged: (context) =>
		about(context.event.ready ? "controllers.ready" : "controllers.unready", () => ({}))(context),
	PodRestarted: about("controllers.restarted", (event) => ({
		code: num(event.exit_code),
		n: num(event.restarts),
		at: num(seconds(event.at)),
	})),
	PodFinished: about("controllers.finished", (event) => ({ phase: event.phase })),
	PodConditionSet: (context) =>
		about(RESIZES[resizeOf(context.event.condition)] ?? "controllers.condition", (event) => ({
			type: event.condition.type,
			reason: event.condition.reason ?? "",
			message: event.condition.message ?? "",
		}))(context),
	NodeConditionChanged: ({ event }) => ({
		eyebrow: parts("eyebrow.controllers"),
		sentence: parts("controllers.node", { node: node(event.name), status: event.status, reason: event.reason }),
	}),
	EvictionAnswered: (context) => ({
		...about(context.event.code === 201 ? "controllers.evicted" : "controllers.kept", (event) => ({
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
		sentence: parts("controllers.event", {
			kind: event.kind,
			name: cutName(event.name, LETTERS),
			by: actor(event.source),
			reason: event.reason,
		}),
		why: [event.message],
	}),
	RequestMade: ({ event }) => ({
		eyebrow: parts("eyebrow.change"),
		sentence: parts(event.error ? "controllers.refused" : "controllers.request", {
			verb: event.verb,
			about: list(event.about, 4),
		}),
		why: event.error ? [event.error] : [],
	}),
};

/** @param {View} view @param {string} kind @param {string} name @returns {Child} */
export function explain(view, kind, name) {
	const workload = view.state.workloads.get(`${kind} ${name}`);
	return workload ? panel(t("controllers.workload"), workload.state.called) : null;
}
