// @ts-check
/** The extension points as a line: done, current, skipped, failed or undone. */

import { button, h, patch } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { shortPod } from "../shared/names.js";
import { count, decimal, nameInKey, rampStyle, seconds } from "../shared/units.js";
import { actorName, loopStations } from "../steps/controllers/view.js";
import { actOf, preemptionOf } from "../steps/preempt/model.js";
import { framesOf } from "../steps/registry.js";
import { actorOf } from "../trace/actors.js";
import { pointOf, stations, stationsIn } from "../trace/phase.js";

const MAX_BESIDE = 3;
// kubelets and users are not control loops
const LOOPS = /(-controller|^controllermanager|^cluster-autoscaler|^karpenter|descheduler)$/;

/**
 * Draws the extension points of both cycles, or the steps of the control loop when a controller acts.
 * @param {Element} target @param {View} view
 */
export function drawRail(target, view) {
	const actor = actorOf(view.event);
	if (LOOPS.test(actor)) {
		const name = h("span", { class: "cycle-name" }, t("loop.name", { actor: actorName(actor) }));
		patch(target, [h("div", { key: "loop", class: "cycle loop" }, name, h("ol", null, loopStations()))]);
		return;
	}
	const state = stations(view.event, view.state);
	const steps = lastSteps(view);
	const line = stationsIn(view.state.kubernetes_version);
	const kinds = new Map(
		Object.values(line).flatMap((points) =>
			points.map(([name, point]) => [name, kindOf(name, state.get(point) ?? "todo", view)]),
		),
	);
	const names = [...kinds.keys()];
	const last = names.findLastIndex((name) => !["todo", "skipped"].includes(kinds.get(name) ?? ""));
	patch(
		target,
		Object.entries(line).map(([cycle, points]) =>
			h(
				"div",
				{ key: cycle, class: "cycle", style: { flex: `${points.length} 1 auto` } },
				h("span", { class: "cycle-name" }, t(`cycle.name.${cycle}`), cycle === "binding" && otherBindingPods(view)),
				h(
					"ol",
					null,
					points.map(([name, point]) =>
						station(view, name, kinds.get(name) ?? "todo", names.indexOf(name) < last, steps.get(point) ?? null),
					),
				),
			),
		),
	);
}

/**
 * Buttons for the other pods that are in their binding cycle, MAX_BESIDE at most, and the number of the rest.
 * @param {View} view
 */
function otherBindingPods(view) {
	const { pods, time } = view.state;
	const others = [...pods.values()].filter(
		(pod) => (pod.place === "binding" || pod.place === "waiting") && pod.summary.pod !== view.subject,
	);
	return [
		others.slice(0, MAX_BESIDE).map((pod) => {
			const waits =
				pod.place === "waiting" && pod.deadline !== null ? ` ‖ ${decimal(Math.max(0, pod.deadline - time))} s` : "";
			return button(
				() => view.act.select({ kind: "pod", name: pod.summary.pod }),
				{
					key: pod.summary.pod,
					class: "beside-pod",
					style: rampStyle(pod.summary.priority ?? 0),
					title: t("rail.beside", { pod: nameInKey(pod.summary.pod), node: pod.node, place: t(`place.${pod.place}`) }),
				},
				shortPod(pod.summary.pod) + waits,
			);
		}),
		others.length > MAX_BESIDE && h("span", { key: "more" }, ` +${others.length - MAX_BESIDE}`),
	];
}

/**
 * The kind of a station. Priorities and Select are two stations of one extension point, one of which may be done.
 * @param {string} name @param {string} kind @param {View} view
 */
function kindOf(name, kind, view) {
	if (kind !== "current") return kind;
	const selects = view.event.type === "HostSelected";
	if (name === "Priorities" && selects) return view.state.cycle.ScoresComputed ? "done" : "skipped";
	return name === "Select" && !selects ? "todo" : kind;
}

/**
 * One extension point of the rail.
 * @param {View} view @param {string} point @param {string} kind @param {boolean} passed whether the attempt is past it
 * @param {number | null} target the step that a click goes to, null if there is none
 */
function station(view, point, kind, passed, target) {
	const failed = kind === "failed";
	const label = kind === "current" ? `${point}${progress(view)}` : point;
	return h(
		"li",
		{
			key: point,
			class: `station ${kind} ${passed ? "passed" : ""}`,
			"aria-current": kind === "current" ? "step" : null,
		},
		h("i", { key: "dot" }),
		button(
			() => target !== null && view.act.seek(target),
			{ key: "label", disabled: target === null, title: t(`station.${kind}`, { point }) },
			failed && h("b", { key: "x" }, "✕ "),
			kind === "undone" && h("b", { key: "u" }, "↩ "),
			label,
		),
	);
}

/**
 * The progress within a step: " 5/6", before a question " 5", or the number of the criterion; "" if the step has one
 * frame, and at the last frame of the scores.
 * @param {View} view
 */
function progress(view) {
	const frames = framesOf(view.event, view.order);
	// before a question, the total may reveal the answer
	const outOf = (/** @type {number} */ all) => ` ${view.frame + 1}${view.horizon ? "" : `/${all}`}`;
	if (view.event.type === "ScoresComputed") return view.frame < frames - 1 ? outOf(frames - 1) : "";
	const preemption = view.event.type === "PreemptionEvaluated" ? preemptionOf(view.state) : null;
	if (preemption) {
		const { act, at } = actOf(preemption, view.frame);
		return act === "criterion" ? t("station.criterion", { i: at }) : frames > 1 ? outOf(frames) : "";
	}
	return frames > 1 ? outOf(frames) : "";
}

/** The last step of each extension point in this attempt so far, by point. @param {View} view */
function lastSteps(view) {
	/** @type {Map<string, number>} */
	const steps = new Map();
	for (const { step, event } of view.store.walk(view.step, -1)) {
		const point = pointOf(event, view.state);
		if (!steps.has(point)) steps.set(point, step);
		if (event.type === "CycleStarted") break;
	}
	return steps;
}

/** Draws the buttons and the speed of playback. @param {Element} target @param {View} view */
export function drawTransport(target, view) {
	const { player } = view;
	const pushButton = (
		/** @type {string} */ key,
		/** @type {string} */ text,
		/** @type {() => void} */ click,
		/** @type {Record<string, any>} */ more = {},
	) => button(click, { key, title: t(`control.${key}`), "aria-label": t(`control.${key}`), ...more }, text);
	patch(target, [
		h(
			"div",
			{ key: "buttons", class: "transport-buttons", role: "group", "aria-label": t("control.group") },
			pushButton("attemptback", "◂◂", () => player.goToAttempt(-1), { class: "wide-only" }),
			pushButton("back", "◂", () => player.back()),
			pushButton("play", player.playing ? `❚❚ ${t("control.pause")}` : `▶ ${t("control.play")}`, () => player.play(), {
				class: "play",
				"aria-label": t(player.playing ? "control.pause" : "control.play"),
				title: t("control.space"),
			}),
			pushButton("forward", "▸", () => player.forward()),
			pushButton("attempton", "▸▸", () => player.goToAttempt(1), { class: "wide-only" }),
		),
		h(
			"div",
			{ key: "speed", class: "transport-speed" },
			pushButton("slower", "−", () => player.changeSpeed(-1)),
			h("span", { "aria-live": "off" }, `${player.speed}×`),
			pushButton("faster", "+", () => player.changeSpeed(1)),
			pushButton("signs", "?", () => view.act.open("signs")),
			pushButton(
				"breakpoints",
				player.breakpoints.length ? `● ${player.breakpoints.length}` : "○",
				() => view.act.open("breakpoints"),
				{ class: player.hit ? "hit" : "" },
			),
		),
	]);
}

/** The number of attempts that have begun; members of a pod group are not counted twice. @param {View} view */
function attemptsBegun({ state, index, step }) {
	const begun = index.columns.filter((column) => column.kind === "attempt" && column.step <= step).length;
	return state.finished ? index.attempts : Math.max(begun, state.attempt);
}

/**
 * Draws the virtual time, the number of the attempt and of the step, and the switch that opens the timeline's lanes.
 * @param {Element} target @param {View} view
 */
export function drawClock(target, view) {
	const { state, store, run } = view;
	const total = Math.max(store.steps, run.steps);
	patch(target, [
		h("b", { key: "time", class: "clock" }, seconds(state.time)),
		h(
			"p",
			{ key: "where" },
			h(
				"span",
				null,
				store.complete
					? t("where.attempt", { n: attemptsBegun(view), total: view.index.attempts })
					: t("where.attempt.open", { n: state.attempt }),
			),
			button(
				() => view.act.open("goto"),
				{ class: "where-step", title: t("control.goto") },
				t("where.step", { n: count(view.step), total: count(Math.max(0, total - 1)) }),
			),
		),
		button(
			() => view.act.set({ lanes: !view.options.lanes }),
			{ key: "lanes", class: "lanes-switch", "aria-pressed": String(view.options.lanes) },
			t("lanes.open"),
		),
	]);
}
