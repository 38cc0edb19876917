// @ts-check
/** The margin: where a number comes from, or everything about the selected pod or node. */

import { h, patch } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { nodesSeen } from "../steps/frames.js";
import { filtered, stoppedBy } from "../steps/filter/model.js";
import { theatre } from "../steps/preempt/model.js";
import { ranking, scores } from "../steps/score/model.js";
import { canExplain, explainRef } from "../steps/explanations.js";

/** Comes when something is first selected. @type {typeof import("./inspector.js") | null} */
let inspector = null;

/** @param {View} view */
async function load(view) {
  inspector = await import("./inspector.js");
  view.act.set({});
}

/** @param {Element} target @param {View} view @returns {boolean} whether it is whole; else the rest comes with its modules */
export function drawMargin(target, view) {
  target.classList.toggle("open", view.options.margin || view.selection !== null || view.pin !== null);
  const close = h("button", { key: "close", type: "button", class: "margin-close", "aria-label": t("close"), on: { click: () => { view.act.pin(null); view.act.select(null); view.act.set({ margin: false }); } } }, "✕");
  const { selection } = view;
  const ref = view.pin ?? defaultRef(view);
  const inspected = !view.pin && selection;
  if (inspected && !inspector) void load(view);
  const inspect = inspected && inspector?.[inspected.kind === "pod" ? "podInspector" : "nodeInspector"];
  const body = inspected ? inspect && inspect(view, inspected.name) : ref && explainRef(view, ref);
  patch(target, [(view.pin || selection || view.options.margin) && close, h("div", { key: inspected ? `${inspected.kind}${inspected.name}` : `ref${ref?.split(":")[0]}`, class: "margin-body" }, body)]);
  return inspected ? inspector !== null : canExplain(ref);
}

/** What is explained when nobody points at anything: the number that decides at this step. @param {View} view @returns {string | null} */
function defaultRef(view) {
  const { event, state, frame, hero } = view;
  const model = filtered(state);
  if (event.type === "NodesFiltered" && model) {
    const plugin = model.plugins[frame];
    if (view.order === "node") {
      const name = model.walk[nodesSeen(event, frame) - 1];
      return `verdict:${name}:${model.at.get(name)?.verdict?.plugin ?? model.plugins[model.plugins.length - 1]}`;
    }
    const stopped = stoppedBy(model, frame);
    if (stopped.length) return `verdict:${stopped[0]}:${plugin}`;
    const first = model.names.find((name) => (model.at.get(name)?.stop ?? 0) > frame);
    return first && plugin ? `verdict:${first}:${plugin}` : `request:${hero}`;
  }
  const scored = scores(state);
  if (view.scene === "score" && scored) {
    const plugin = event.type === "ScoresComputed" ? scored.plugins[frame] : undefined;
    if (!plugin) return `total:${state.cycle.HostSelected?.node ?? scored.names[ranking(scored.totals)[0]]}`;
    return `score:${scored.names[plugin.weighted.indexOf(Math.max(...plugin.weighted))]}:${plugin.plugin}`;
  }
  if (view.scene === "preempt") {
    const chosen = theatre(state)?.chosen;
    return chosen ? `candidate:${chosen.node}` : hero ? `request:${hero}` : null;
  }
  const pod = state.pods.get(hero);
  if (pod?.node) return `room:${pod.node}:cpu`;
  return hero && pod ? `request:${hero}` : "run";
}
