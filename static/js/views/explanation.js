// @ts-check
/** Where a number comes from: the rule in words, the arithmetic with this pod's values, the API's text, the source. */

import { h } from "../dom.js";
import { t } from "../i18n.js";
import { allocatable, request, used } from "../model/room.js";
import { amount, podName, short } from "../units.js";
import { asks, panel, row, table } from "./panel.js";

/** They come with the first step or click that asks. @type {Record<string, () => Promise<{explain: (view: View, kind: string, first: string, second: string) => Child}>>} */
const MODULES = {
  filter: () => import("./explanation_filter.js"),
  score: () => import("./explanation_score.js"),
  more: () => import("./explanation_more.js"),
};
/** Who explains what, when it is not done here. @type {Record<string, string>} */
const KINDS = {
  verdict: "filter", column: "filter", score: "score", total: "score", compare: "score",
  candidate: "more", candidates: "more", start: "more", priority: "more", backoff: "more",
};
/** What stands in the margin first, by scene. @type {Record<string, string>} */
const FIRST = { filter: "filter", score: "score", preempt: "more" };
/** @type {Record<string, (view: View, kind: string, first: string, second: string) => Child>} */
const here = {};

/** @param {string} name */
async function load(name) {
  here[name] = (await MODULES[name]()).explain;
}

/** Resolves once what stands in the margin first can be drawn; null when it can be now. @param {import("../model/phase.js").Scene} scene */
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
  if (name) return here[name] ? here[name](view, kind, first, second) : void load(name).then(() => view.act.set({}));
  if (kind === "room") return room(view, first, second);
  return kind === "run" ? about(view) : asks(view, first);
}

/** @param {View} view @param {string} name @param {string} resource */
function room(view, name, resource) {
  const node = view.state.nodes.get(name);
  if (!node) return null;
  const { state, hero } = view;
  const whole = allocatable(node, resource);
  const taken = used(node, resource);
  const pods = [...node.pods].sort((a, b) => (state.pods.get(b)?.summary.priority ?? 0) - (state.pods.get(a)?.summary.priority ?? 0));
  return panel(t("margin.roomlabel"), t("margin.on", { what: short(resource), node: name }),
    table([t("pod"), t("margin.priority"), short(resource)], [
      pods.slice(0, 12).map((key) => row(key, [podName(key), String(state.pods.get(key)?.summary.priority ?? 0), amount(resource, request(state, key, resource))], key === hero ? "hot" : "")),
      pods.length > 12 && row("more", [t("list.more", { n: pods.length - 12 }), "", ""]),
      row("sum", [t("margin.sumof", { all: amount(resource, whole) }), "", amount(resource, taken)], "sum"),
    ]),
    h("p", { key: "share", class: "formula" }, `${amount(resource, taken)} / ${amount(resource, whole)} = `, h("b", { class: "result" }, `${whole ? Math.round((taken / whole) * 100) : 0} %`)),
    h("p", { key: "note", class: "note" }, t("margin.requestsnote")));
}

/** @param {View} view */
function about(view) {
  const { scenario } = view.boot;
  return panel(t("margin.about"), scenario?.title || view.state.title, scenario?.description && h("p", { key: "text", class: "note" }, scenario.description), view.boot.lesson?.look_at && [h("h3", { key: "look" }, t("lesson.look")), h("p", { key: "lookat", class: "note" }, view.boot.lesson.look_at)], h("p", { key: "keys", class: "note" }, t("margin.keys")));
}
