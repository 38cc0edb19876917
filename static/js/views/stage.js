// @ts-check
/** The middle of the page: which picture is on, and the notices of a run that is not (yet) there. */

import { h, patch } from "../dom.js";
import { t } from "../i18n.js";
import { drawCluster, loadStrips } from "./cluster.js";

const LANES = 200;
const BARS = 12;

/** @typedef {(target: Element, view: View) => void | boolean} Draw false: a part of it comes with its module */

/** Pictures are loaded when the first step needs them, or when the page is idle. @type {Record<string, () => Promise<Draw>>} */
const PICTURES = {
  lanes: () => import("./lanes.js").then((found) => found.drawLanes),
  preempt: () => import("./preempt.js").then((found) => found.drawPreemption),
  cells: () => import("./cells.js").then((found) => found.drawCells),
  scores: () => import("./many_scores.js").then((found) => found.drawManyScores),
};
/** @type {Record<string, Draw>} */
const loaded = { cluster: drawCluster };
/** Pictures drawn so far: the others stay, hidden, since to change one costs less than to make it anew. @type {Set<string>} */
const shown = new Set();

/** @param {string} name */
async function load(name) {
  loaded[name] ??= await PICTURES[name]();
}

/** What most steps of a cycle need; early.js asked for it. */
export function prepare() {
  return Promise.all([load("lanes"), loadStrips()]);
}

/** Fetch what the next steps will need. */
export function warm() {
  for (const name of ["lanes", "preempt"]) void load(name);
}

/** @param {View} view */
function picture(view) {
  const many = view.state.nodes.size;
  if (view.scene === "preempt") return "preempt";
  if (many > LANES) return "cells";
  if (view.scene === "score" && many > BARS) return "scores";
  return view.scene === "cluster" ? "cluster" : "lanes";
}

/** @param {Element} target @param {View} view @returns {boolean} whether the picture is there; else it comes with its module */
export function drawStage(target, view) {
  const name = picture(view);
  shown.add(name);
  patch(target, [...shown].map((one) => h("div", { key: one, class: `scene on-${one}`, hidden: one !== name, opaque: true })));
  if (loaded[name]) return loaded[name](/** @type {Element} */ (target.querySelector(".scene:not([hidden])")), view) !== false;
  void load(name).then(() => view.act.set({}));
  return false;
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
    running && !lost && h("p", { key: "running", class: "notice" }, t(run.state === "queued" && !store.steps ? "run.queued" : "run.running", { n: store.steps }), h("progress", share ? { value: String(share), max: "1", "aria-label": t("run.streaming") } : { "aria-label": t("run.streaming") })),
    run.state === "failed" && h("p", { key: "failed", class: "notice bad" }, t("run.failed"), run.message ? ` ${run.message}` : ""),
    run.state === "cancelled" && h("p", { key: "cancelled", class: "notice warn" }, t("run.cancelled")),
    view.player.hit && h("p", { key: "hit", class: "notice" }, t("breakpoints.hit")),
  ]);
}
