// @ts-check
/** The caption of every event and frame: eyebrow, one sentence, why, next. Words are in the catalogue, numbers come from the state. */

import { has, num, parts, t } from "./i18n.js";
import { framesOf } from "./frames.js";
import { heroOf, pointOf } from "./model/phase.js";
import { podName } from "./units.js";
import { BINDING } from "./captions/binding.js";
import { filterCaption, preFilterCaption } from "./captions/filter.js";
import { preemptionCaption, PREEMPTION } from "./captions/preemption.js";
import { QUEUE } from "./captions/queue.js";
import { hostCaption, scoreCaption } from "./captions/score.js";

/** @typedef {{eyebrow: Part[], sentence: Part[], why: Part[], next: Part[]}} Caption */
/**
 * @typedef {object} Context what a caption is made from
 * @property {State} state after the event
 * @property {any} event
 * @property {number} frame
 * @property {"plugin" | "node"} order
 * @property {any} [following] the next event
 * @property {import("./explain.js").Explainer} [explainer]
 * @property {string} [hero]
 */

/** @type {Record<string, (context: Context) => Partial<Caption>>} */
const BY_TYPE = {
  ...QUEUE,
  ...BINDING,
  ...PREEMPTION,
  PreFilterFinished: preFilterCaption,
  NodesFiltered: filterCaption,
  ScoresComputed: scoreCaption,
  HostSelected: hostCaption,
  PreemptionEvaluated: preemptionCaption,
};

/** @param {Context} context @returns {Caption} */
export function captionOf(context) {
  const hero = heroOf(context.event, context.state);
  const made = BY_TYPE[context.event.type]?.({ ...context, hero }) ?? {};
  return {
    eyebrow: made.eyebrow ?? parts(`eyebrow.${pointOf(context.event, context.state) || "between"}`),
    sentence: made.sentence ?? [context.event.type],
    why: joined(made.why ?? []),
    next: made.next?.length ? made.next : nextOf({ ...context, hero }),
  };
}

/** Sentences, with a space between them where the language has one. @param {Part[]} why @returns {Part[]} */
function joined(why) {
  return t("sentence.gap") ? why : why.filter((part) => part !== " ");
}

/** What the next step is about, never its result. @param {Context} context @returns {Part[]} */
export function nextOf({ event, frame, order, following, state, hero }) {
  if (frame < framesOf(event, order) - 1) return parts("next.frame");
  if (!following) return state.finished ? parts("next.finished") : parts("next.unknown");
  const pod = "pod" in following && typeof following.pod === "string" ? following.pod : "";
  const key = `next.${following.type}${following.queue ? `.${following.queue}` : following.action ? `.${following.action}` : ""}`;
  const values = { pod: podMark(pod, hero), node: nodeMark(following.node ?? ""), n: state.nodes.size, kind: following.kind ?? "", name: following.name ?? "" };
  return has(key) ? parts(key, values) : parts(`next.${following.type}`, values);
}

/** A pod in a sentence: amber when it is the pod of this attempt. @param {string} key @param {string} [hero] @returns {Part} */
export function podMark(key, hero) {
  return { text: podName(key), kind: key === hero ? "hero" : "pod", ref: `pod:${key}` };
}

/** @param {string} name @returns {Part} */
export function nodeMark(name) {
  return { text: name, kind: "node", ref: `node:${name}` };
}
