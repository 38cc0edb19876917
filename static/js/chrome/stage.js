// @ts-check
/** The middle of the page: which picture is on, and the notices of a run that is not (yet) there. */

import { h, patch } from "../shared/dom.js";
import { t } from "../shared/i18n.js";
import { count } from "../shared/units.js";

const LANES = 200;
const BARS = 12;
const WRITTEN = 40; // nodes whose reasons are written on their lanes
const NARROW = 700; // there the pods in flight stand under the rail
const ROW = 36; // pixels a binding cycle that runs beside

/** Pictures and parts of pictures are loaded when the first step needs them, or when the page is idle. */
const PARTS = {
  cluster: () => import("../steps/cluster/view.js").then((found) => found.drawCluster),
  lanes: () => import("../steps/filter/lanes.js").then((found) => found.drawLanes),
  scores: () => import("../steps/many/many_scores.js").then((found) => found.drawManyScores),
  preempt: () => import("../steps/preempt/view.js").then((found) => found.drawPreemption),
  cells: () => import("../steps/many/cells.js").then((found) => found.drawCells),
  strips: () => import("../steps/binding/view.js"),
  bars: () => import("../steps/score/bars.js"),
  reasons: () => import("../steps/many/reason_groups.js"),
};
/** @typedef {{strips?: typeof import("../steps/binding/view.js"), bars?: typeof import("../steps/score/bars.js"), reasons?: typeof import("../steps/many/reason_groups.js")}} Parts those that are here */

/** @type {Record<string, any>} */
const here = {};
/** Pictures drawn so far: the others stay, hidden, since to change one costs less than to make it anew. @type {Set<string>} */
const shown = new Set();

/** @param {(keyof typeof PARTS)[]} names */
async function load(names) {
  await Promise.all(names.map(async (name) => (here[name] ??= await PARTS[name]())));
}

/** Fetch what the next steps will need. */
export function warm() {
  void load(/** @type {(keyof typeof PARTS)[]} */ (Object.keys(PARTS)));
}

/** @param {import("../trace/phase.js").Scene} scene @param {State} state @returns {(keyof typeof PARTS)[]} the picture, and what else it draws */
function partsOf(scene, state) {
  const many = state.nodes.size;
  /** @type {(keyof typeof PARTS)[]} */
  const more = binds(state) ? ["strips"] : [];
  if (scene === "preempt") return ["preempt", ...more];
  if (many > LANES) return ["cells", ...more];
  if (scene === "score") return many > BARS ? ["scores", ...more] : ["lanes", "bars", ...more];
  if (scene === "cluster") return ["cluster", ...more];
  return many > WRITTEN ? ["lanes", "reasons", ...more] : ["lanes", ...more];
}

/** Is there a binding cycle to show? @param {State} state */
function binds({ cycle, pods }) {
  if (cycle.PodAssumed || cycle.PodBound || cycle.PodUnreserved) return true;
  for (const { place } of pods.values()) if (place === "binding" || place === "waiting") return true;
  return false;
}

/** Resolves once a scene can be drawn; null when it can be now. @param {import("../trace/phase.js").Scene} scene @param {State} state */
export function pictureFor(scene, state) {
  const missing = partsOf(scene, state).filter((name) => !here[name]);
  return missing.length ? load(missing) : null;
}

/** Its parts must be here. @param {Element} target @param {View} view */
export function drawStage(target, view) {
  const [name] = partsOf(view.scene, view.state);
  shown.add(name);
  const beside = name === "cluster" || view.width <= NARROW ? [] : (here.strips?.stripsBeside(view) ?? []);
  const bottom = beside.length ? `${beside.length * ROW + 8}px` : "0";
  patch(target, [
    [...shown].map((one) => h("div", { key: one, class: `scene on-${one}`, hidden: one !== name, opaque: true, style: { bottom } })),
    h("div", { key: "meanwhile", class: "meanwhile" }, beside),
  ]);
  here[name](target.querySelector(".scene:not([hidden])"), view, here);
}

/** Bars over the page: still streaming, failed, cancelled, connection lost. @param {Element} target @param {View} view */
export function drawNotices(target, view) {
  const { run, store } = view;
  const lost = run.connection === "lost";
  const running = !store.complete && (run.state === "running" || run.state === "queued");
  const share = run.steps ? Math.min(1, store.steps / run.steps) : 0;
  patch(target, [
    lost && h("p", { key: "lost", class: "notice warn" }, t("run.lost")),
    run.connection === "closed" && !store.complete && h("p", { key: "closed", class: "notice bad" }, run.message || t("run.closed")),
    running && !lost && h("p", { key: "running", class: "notice" }, t(run.state === "queued" && !store.steps ? "run.queued" : "run.running", { n: count(store.steps) }), h("progress", share ? { value: String(share), max: "1", "aria-label": t("run.streaming") } : { "aria-label": t("run.streaming") })),
    run.state === "failed" && h("p", { key: "failed", class: "notice bad" }, t("run.failed"), run.message ? ` ${run.message}` : ""),
    run.state === "cancelled" && h("p", { key: "cancelled", class: "notice warn" }, t("run.cancelled")),
    view.player.hit && h("p", { key: "hit", class: "notice" }, t("breakpoints.hit")),
  ]);
}
