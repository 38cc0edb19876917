// @ts-check
/** Where a number comes from: the rule in words, the arithmetic with this pod's values, the API's text, the source. */

import { asks } from "./parts/panel.js";

/** They come with the first step or click that asks. @type {Record<string, () => Promise<{explain: (view: View, kind: string, first: string, second: string) => Child}>>} */
const MODULES = {
  cluster: () => import("./cluster/explanation.js"),
  filter: () => import("./filter/explanation.js"),
  score: () => import("./score/explanation.js"),
  more: () => import("./queue/explanation.js"),
};
/** Who explains what, when it is not done here. @type {Record<string, string>} */
const KINDS = {
  run: "cluster", room: "cluster",
  verdict: "filter", column: "filter", score: "score", total: "score", compare: "score",
  candidate: "more", candidates: "more", start: "more", priority: "more", backoff: "more",
};
/** What stands in the margin first, by scene. @type {Record<string, string>} */
const FIRST = { cluster: "cluster", filter: "filter", score: "score", preempt: "more" };
/** @type {Record<string, (view: View, kind: string, first: string, second: string) => Child>} */
const here = {};

/** @param {string} name */
async function load(name) {
  here[name] = (await MODULES[name]()).explain;
}

/** Resolves once what stands in the margin first can be drawn; null when it can be now. @param {import("../trace/phase.js").Scene} scene */
export function explanationFor(scene) {
  const name = FIRST[scene];
  return !name || here[name] ? null : load(name);
}

/** Is everything here that the panel needs? @param {string | null} ref */
export function canExplain(ref) {
  const name = KINDS[ref?.split(":")[0] ?? ""];
  return !name || name in here;
}

/** @param {View} view @param {string} ref @returns {Child} */
export function explainRef(view, ref) {
  const [kind, first = "", ...rest] = ref.split(":");
  const second = rest.join(":"); // an extender's name is an address
  const name = KINDS[kind];
  if (!name) return asks(view, first);
  return here[name] ? here[name](view, kind, first, second) : void load(name).then(() => view.act.set({}));
}
