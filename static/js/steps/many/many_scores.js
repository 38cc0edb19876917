// @ts-check
/** Score with 13 to 200 nodes: the best as bars, all as a spread, and the funnel that they came through. */

import { h, patch } from "../../shared/dom.js";
import { bestBars, colourKey, funnelBars, histogram } from "./ranked.js";

const BEST = 10;

/** @param {Element} target @param {View} view */
export function drawManyScores(target, view) {
  patch(target, [
    h("div", { key: "many", class: "many" }, colourKey(view), h("div", { key: "left", class: "many-best" }, bestBars(view, BEST)), h("div", { key: "right", class: "many-side" }, histogram(view), funnelBars(view))),
  ]);
}
