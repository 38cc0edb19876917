// @ts-check
/** The extension points as a line: done, current (open, amber), skipped (struck out), failed (red). */

import { h, patch } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { rampStyle } from "../shared/priority.js";
import { decimal, podName } from "../shared/units.js";
import { actOf, theatre } from "../steps/preempt/model.js";
import { framesOf } from "../steps/registry.js";
import { pointOf, STATIONS, stations } from "../trace/phase.js";

const MOST_BESIDE = 3;

/** @param {Element} target @param {View} view */
export function drawRail(target, view) {
	const state = stations(view.event, view.state);
	const behind = stepsBehind(view);
	patch(
		target,
		Object.entries(STATIONS).map(([cycle, points]) =>
			h(
				"div",
				{ key: cycle, class: "cycle", style: { flex: `${points.length} 1 auto` } },
				h("span", { class: "cycle-name" }, t(`cycle.name.${cycle}`), cycle === "binding" && beside(view)),
				h(
					"ol",
					null,
					points.map((point) => station(view, point, state.get(point) ?? "todo", behind.get(point) ?? null)),
				),
			),
		),
	);
}

/** Pods whose binding cycle runs at the same time as the scheduling cycle below. @param {View} view */
function beside(view) {
	const { pods, time } = view.state;
	const others = [...pods.values()].filter(
		(pod) => (pod.place === "binding" || pod.place === "waiting") && pod.summary.pod !== view.hero,
	);
	return [
		others.slice(0, MOST_BESIDE).map((pod) => {
			const waits =
				pod.place === "waiting" && pod.deadline !== null ? ` ‖ ${decimal(Math.max(0, pod.deadline - time))} s` : "";
			return h(
				"button",
				{
					key: pod.summary.pod,
					type: "button",
					class: "beside-pod",
					style: rampStyle(pod.summary.priority ?? 0),
					title: t("rail.beside", { pod: podName(pod.summary.pod), node: pod.node, place: t(`place.${pod.place}`) }),
					on: { click: () => view.act.select({ kind: "pod", name: pod.summary.pod }) },
				},
				podName(pod.summary.pod) + waits,
			);
		}),
		others.length > MOST_BESIDE && h("span", { key: "more" }, ` +${others.length - MOST_BESIDE}`),
	];
}

/** @param {View} view @param {string} point @param {string} kind @param {number | null} target the step to go to */
function station(view, point, kind, target) {
	const failed = kind === "failed";
	const label = kind === "current" ? `${point}${progress(view)}` : point;
	return h(
		"li",
		{ key: point, class: `station ${kind}`, "aria-current": kind === "current" ? "step" : null },
		h("i", { key: "dot" }),
		h(
			"button",
			{
				key: "label",
				type: "button",
				disabled: target === null,
				title: t(`station.${kind}`, { point }),
				on: { click: () => target !== null && view.act.seek(target) },
			},
			failed && h("b", { key: "x" }, "✕ "),
			kind === "undone" && h("b", { key: "u" }, "↩ "),
			label,
		),
	);
}

/** How far in: "5/6". @param {View} view */
function progress(view) {
	const frames = framesOf(view.event, view.order);
	if (view.event.type === "ScoresComputed") return view.frame < frames - 1 ? ` ${view.frame + 1}/${frames - 1}` : "";
	const play = view.event.type === "PreemptionEvaluated" ? theatre(view.state) : null;
	if (play) {
		const { act, at } = actOf(play, view.frame);
		return act === "rung" ? t("station.rung", { i: at }) : frames > 1 ? ` ${view.frame + 1}/${frames}` : "";
	}
	return frames > 1 ? ` ${view.frame + 1}/${frames}` : "";
}

/** The steps behind us at which this attempt came to its extension points. @param {View} view */
function stepsBehind(view) {
	/** @type {Map<string, number>} */
	const steps = new Map();
	for (const { step, event } of view.store.walk(view.step, -1)) {
		const point = pointOf(event, view.state);
		if (!steps.has(point)) steps.set(point, step);
		if (event.type === "CycleStarted") break;
	}
	return steps;
}
