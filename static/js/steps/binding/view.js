// @ts-check
/** The binding cycle as a strip of steps, with those of other pods beside it. */

import { h } from "../../shared/dom.js";
import { list, plain, t } from "../../shared/i18n.js";
import { decimal, rampStyle, seconds } from "../../shared/units.js";
import { hasPredicates, pointOf, subjectOf } from "../../trace/phase.js";
import { podLabel } from "../parts/pods.js";
import { bareMessage } from "../parts/words.js";

/** @type {[string, string][]} extension point and its event */
const STEPS = [
	["Reserve", "PodReserved"],
	["Permit", "PermitEvaluated"],
	["PreBind", "PodPreBound"],
	["Bind", "PodBound"],
	["PostBind", "PodBound"],
];
/**
 * The names of steps in releases with predicates: a pod is assumed with its volumes, which are bound first.
 * @type {Record<string, string>}
 */
const FORMER = { Reserve: "Assume", PreBind: "Bind volumes" };
const MAX_BESIDE = 3;
const MAX_UNDER = 2;

/** The binding cycles of the subject and of a few other pods. @param {View} view */
export function bindingStrips(view) {
	const subject = subjectOf(view.event, view.state);
	const others = inFlight(view, subject);
	const own = eventsOf(view, subject);
	// PreBind wrote the object, so Permit is over
	if (view.event.type === "ObjectApplied" && own.PodAssumed) own.PermitEvaluated ??= { results: [] };
	const shown = own.PodAssumed || own.PodReserved || own.PodBound || own.PodUnreserved;
	return [
		shown && strip(view, subject, own, false),
		others.slice(0, MAX_BESIDE).map((pod) => strip(view, pod.summary.pod, eventsOf(view, pod.summary.pod), true)),
		others.length > MAX_BESIDE &&
			h("p", { key: "more", class: "binding-who" }, t("list.more", { n: others.length - MAX_BESIDE })),
	];
}

/** The steps of the binding cycle in the release of the run. @param {View} view */
function stepsOf({ state }) {
	if (!hasPredicates(state.kubernetes_version)) return STEPS;
	return STEPS.filter(([point]) => point === "Bind" || point in FORMER);
}

/** The binding cycles of other pods, below a picture that is not the cluster's. @param {View} view */
export function stripsBeside(view) {
	return inFlight(view, view.subject)
		.slice(0, MAX_UNDER)
		.map((pod) => strip(view, pod.summary.pod, eventsOf(view, pod.summary.pod), true));
}

/** Pods other than the subject that are in their binding cycle. @param {View} view @param {string} subject */
function inFlight({ state }, subject) {
	return [...state.pods.values()].filter(
		(pod) => pod.summary.pod !== subject && (pod.place === "binding" || pod.place === "waiting"),
	);
}

/**
 * The events of a pod's binding cycle by type; those of an earlier attempt are derived from the pod's place.
 * @param {View} view @param {string} pod @returns {Record<string, any>}
 */
function eventsOf({ state }, pod) {
	const own = Object.fromEntries(Object.entries(state.cycle).filter(([, event]) => event.pod === pod));
	const record = state.pods.get(pod);
	if (!record || (state.cycle.CycleStarted?.pod === pod && !state.cycle.AttemptFinished)) return own;
	const past = { results: [], past: true }; // its events were in an earlier attempt
	const waits = record.place === "waiting" && {
		PermitEvaluated: { code: "Wait", deadline: record.deadline, results: [] },
	};
	const passed = record.place === "binding" && { PermitEvaluated: past };
	const bound = record.place === "bound" && { PermitEvaluated: past, PodPreBound: past, PodBound: past };
	return record.node || own.PodUnreserved ? { PodReserved: past, ...waits, ...passed, ...bound, ...own } : own;
}

/**
 * The steps of a pod's binding cycle in a row.
 * @param {View} view @param {string} pod @param {Record<string, any>} events @param {boolean} beside
 */
function strip(view, pod, events, beside) {
	const current = beside ? "" : pointOf(view.event, view.state);
	const record = view.state.pods.get(pod);
	const going =
		beside && record?.place === "binding"
			? STEPS.find(([point, type]) => point !== "Permit" && !events[type] && !laterPointRan(events, point))?.[0]
			: "";
	return h(
		"div",
		{ key: `strip${pod}`, class: `binding ${beside ? "beside" : ""}` },
		beside &&
			h(
				"p",
				{ key: "who", class: "binding-who" },
				h("b", { style: rampStyle(record?.summary.priority ?? 0) }, podLabel(pod)),
				" ",
				t(record?.place === "waiting" ? "binding.beside.waiting" : "binding.beside", { node: record?.node ?? "" }),
			),
		h(
			"ol",
			{ key: "steps" },
			stepsOf(view).map(([point, type]) => step(view, pod, events, point, type, point === current, point === going)),
		),
		events.PodUnreserved &&
			h(
				"p",
				{ key: "undone", class: "undone" },
				"↩ ",
				t("binding.undone", { plugins: plain(list(events.PodUnreserved.plugins)) }),
			),
	);
}

/**
 * One step of the binding cycle.
 * @param {View} view @param {string} pod @param {Record<string, any>} events @param {string} point
 * @param {string} type @param {boolean} current @param {boolean} going
 */
function step(view, pod, events, point, type, current, going) {
	const event = events[type];
	const decided = point === "Permit" ? events.PermitDecided : null;
	const failed = failureAt(events, point);
	const results =
		point === "PostBind" ? [] : (event?.results ?? []).filter((/** @type {any} */ result) => result.code !== "Skip");
	const waiting = point === "Permit" && event?.code === "Wait" && !events.PermitDecided;
	const ahead = !event && !laterPointRan(events, point);
	const ran = results.length || point === "Bind" || decided || event?.past;
	const kind = failed ? "failed" : waiting ? "waits" : ahead ? "todo" : ran ? "did" : "nothing";
	const words = () => {
		if (failed) return bareMessage(failed.message || t(`binding.decision.${failed.decision}`));
		if (waiting)
			return t("binding.waits", {
				left: decimal(Math.max(0, (event.deadline ?? 0) - view.state.time)),
				until: seconds(event.deadline ?? 0),
			});
		if (event?.past) return decided?.plugin ?? "";
		return resultWords(view, pod, point, decided ? [decided] : results, kind === "todo" && current ? "now" : kind);
	};
	const mark = { failed: "✕", waits: "‖", todo: "", did: "✓", nothing: "–" }[kind];
	return h(
		"li",
		{ key: point, class: `${kind} ${current ? "now" : ""} ${going ? "going" : ""}` },
		h(
			"b",
			null,
			mark && h("span", null, mark),
			h("em", null, hasPredicates(view.state.kubernetes_version) ? (FORMER[point] ?? point) : point),
		),
		h(
			"span",
			{
				key: "what",
				title:
					bareMessage(failed?.message ?? "") ||
					results.map((/** @type {any} */ result) => result.plugin).join(", ") ||
					null,
			},
			words(),
		),
	);
}

/**
 * The event with which the binding cycle failed at an extension point; null if it did not fail there.
 * @param {Record<string, any>} events @param {string} point
 */
function failureAt({ BindingFailed: failed, PermitDecided: decided }, point) {
	if (failed?.point === point) return failed;
	return point === "Permit" && decided && decided.decision !== "allowed" ? decided : null;
}

/**
 * Whether a later extension point ran: points without plugins emit no event.
 * @param {Record<string, any>} events @param {string} point
 */
function laterPointRan(events, point) {
	const later = STEPS.slice(STEPS.findIndex(([name]) => name === point) + 1);
	return later.some(([name, type]) => events[type] || events.BindingFailed?.point === name);
}

/**
 * The words of a step: what it will do, the plugins that ran, or that none did.
 * @param {View} view @param {string} pod @param {string} point @param {any[]} results @param {string} kind
 */
function resultWords({ state }, pod, point, results, kind) {
	if (kind === "now") return "…";
	if (kind === "todo") return t(`binding.todo.${point}`);
	if (point === "Bind") return t("binding.bind", { node: state.pods.get(pod)?.node ?? "" });
	const [first, ...others] = results; // all are named on hover
	return first ? `${first.plugin}${others.length ? ` +${others.length}` : ""}` : t(`binding.nothing.${point}`);
}
