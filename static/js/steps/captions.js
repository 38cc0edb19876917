// @ts-check
/** The caption of every event and frame: eyebrow, one sentence, why, next. Words are in the catalogue, numbers come from the state. */

import { has, parts, t } from "../shared/i18n.js";
import { framesOf } from "./frames.js";
import { heroOf, pointOf } from "../trace/phase.js";
import { node, pod } from "./parts/marks.js";

/** They come with the first event that they speak of. @type {Record<string, () => Promise<{CAPTIONS: Record<string, (context: Context) => Partial<Caption>>}>>} */
const GROUPS = {
  queue: () => import("./queue/captions.js"),
  filter: () => import("./filter/captions.js"),
  score: () => import("./score/captions.js"),
  preemption: () => import("./preempt/captions.js"),
  binding: () => import("./binding/captions.js"),
};
/** Whose an event is, when it is not the queue's. @type {Record<string, string>} */
const GROUP = {
  PreFilterFinished: "filter", NodesFiltered: "filter", ScoresComputed: "score", HostSelected: "score",
  PreemptionEvaluated: "preemption", VictimEvicted: "preemption", PodNominated: "preemption", NominationCleared: "preemption",
  PodAssumed: "binding", PodReserved: "binding", PermitEvaluated: "binding", PermitDecided: "binding", PodPreBound: "binding",
  PodBound: "binding", BindingFailed: "binding", PodUnreserved: "binding", SchedulingFailed: "binding",
};
/** @type {Record<string, (context: Context) => Partial<Caption>>} */
const byType = {};
const loaded = new Set();

/** @param {string[]} names of groups; none: all */
export async function loadCaptions(...names) {
  await Promise.all((names.length ? names : Object.keys(GROUPS)).map(async (name) => {
    Object.assign(byType, (await GROUPS[name]()).CAPTIONS);
    loaded.add(name);
  }));
}

/** Resolves once an event can be told; null when it can be now. @param {AnyEvent} event @returns {Promise<void> | null} */
export function captionsFor(event) {
  const group = GROUP[event.type] ?? "queue";
  return loaded.has(group) ? null : loadCaptions(group);
}

/** @param {Context} context @returns {Caption} */
export function captionOf(context) {
  const hero = heroOf(context.event, context.state);
  const made = byType[context.event.type]?.({ ...context, hero }) ?? {};
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
  const name = "pod" in following && typeof following.pod === "string" ? following.pod : "";
  const key = `next.${following.type}.${following.queue || following.action || state.pods.get(name)?.place}`;
  const values = { pod: pod(name, hero), node: node(following.node ?? ""), n: state.nodes.size, kind: following.kind ?? "", name: following.name ?? "" };
  return has(key) ? parts(key, values) : parts(`next.${following.type}`, values);
}
