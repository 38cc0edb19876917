// @ts-check
/** One event, several frames: Filter plugin by plugin (or node by node), Score plugin by plugin, preemption act by act. */

import { filterers } from "./filter/model.js";
import { theatreFrames } from "./preempt/model.js";

/** @typedef {"plugin" | "node"} FilterOrder */

const MOST_NODE_FRAMES = 40;

/** How many frames an event has. @param {AnyEvent | undefined} event @param {FilterOrder} [order] */
export function framesOf(event, order = "plugin") {
  switch (event?.type) {
    case "NodesFiltered":
      return Math.max(1, order === "node" ? nodeFrames(event) : pluginFrames(event));
    case "ScoresComputed":
      return event.plugins.length + (event.extenders?.length ?? 0) + 1;
    case "PreemptionEvaluated":
      return theatreFrames(event);
    default:
      return 1;
  }
}

/** Frames of Filter plugin by plugin: up to the one that turned the last node away. @param {NodesFiltered} event */
function pluginFrames(event) {
  const names = filterers(event);
  if (event.feasible !== 0) return names.length;
  return 1 + Math.max(-1, ...event.verdicts.map(({ plugin }) => names.indexOf(plugin)), ...(event.extenders ?? []).map(([name]) => names.indexOf(name)));
}

/** Frames of Filter node by node: one each, or equal helpings where there are many. @param {NodesFiltered} event */
function nodeFrames(event) {
  return Math.min(MOST_NODE_FRAMES, event.evaluated + (event.nominated_first ? 1 : 0));
}

/** Nodes seen up to and with this frame, in the order of the search. @param {NodesFiltered} event @param {number} frame */
export function nodesSeen(event, frame) {
  const all = event.evaluated + (event.nominated_first ? 1 : 0);
  return Math.ceil(((frame + 1) * all) / Math.max(1, nodeFrames(event)));
}

/** How long autoplay stays on an event, as a share of a step: nothing new to read, less time. @param {AnyEvent} event */
export function weight(event) {
  switch (event.type) {
    case "ClockAdvanced":
    case "AttemptFinished":
    case "PodReserved":
    case "PodAssumed":
      return 0.5;
    case "PermitEvaluated":
    case "PodPreBound":
      return ("code" in event && event.code === "Wait") || event.results.some((one) => (one.code ?? "Success") !== "Success") ? 1 : 0.4;
    case "NodesFiltered":
    case "PreFilterFinished":
      return 0.8;
    default:
      return 1;
  }
}
