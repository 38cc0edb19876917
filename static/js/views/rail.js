// @ts-check
/** The extension points as a line: done, current (open, amber), skipped (struck out), failed (red). */

import { h, patch } from "../dom.js";
import { t } from "../i18n.js";
import { framesOf } from "../frames.js";
import { pointOf, STATIONS, stations } from "../model/phase.js";
import { actOf, theatre } from "../model/preemption.js";

/** @param {Element} target @param {View} view */
export function drawRail(target, view) {
  const state = stations(view.event, view.state);
  patch(target, Object.entries(STATIONS).map(([cycle, points]) =>
    h("div", { key: cycle, class: "cycle", style: { flex: `${points.length} 1 auto` } },
      h("span", { class: "cycle-name" }, t(`cycle.name.${cycle}`)),
      h("ol", null, points.map((point) => station(view, point, state.get(point) ?? "todo"))))));
}

/** @param {View} view @param {string} point @param {string} kind */
function station(view, point, kind) {
  const failed = kind === "failed";
  const target = stepOf(view, point);
  const label = kind === "current" ? `${point}${progress(view)}` : point;
  return h("li", { key: point, class: `station ${kind}`, "aria-current": kind === "current" ? "step" : null },
    h("i", { key: "dot" }),
    h("button", { key: "label", type: "button", disabled: target === null, title: t(`station.${kind}`, { point }), on: { click: () => target !== null && view.act.seek(target) } },
      failed && h("b", { key: "x" }, "✕ "), label));
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

/** The step at which this attempt came to an extension point, if it is behind us. @param {View} view @param {string} point */
function stepOf(view, point) {
  for (const { step, event } of view.store.walk(view.step, -1)) {
    if (pointOf(event, view.state) === point) return step;
    if (event.type === "CycleStarted") return null;
  }
  return null;
}
