// @ts-check
/** Where a number comes from: the rule in words, the arithmetic with this pod's values, the API's text, the source. */

import { h } from "../dom.js";
import { t } from "../i18n.js";
import { question } from "../captions/filter.js";
import { filtered } from "../model/filter.js";
import { allocatable, free, heldFor, request, resourceOf, used } from "../model/room.js";
import { amount, podName, quantity, short } from "../units.js";
import { asks, facts, panel, row, rule, specOf, table } from "./panel.js";

/** Panels of Score, of a preemption, and of what is only shown when somebody points at it: they come when first asked for. */
const LATER = new Set(["score", "total", "compare", "candidate", "candidates", "start", "priority", "backoff"]);

/** @type {typeof import("./explanation_more.js") | null} */
let more = null;

/** @param {View} view */
async function load(view) {
  more = await import("./explanation_more.js");
  view.act.set({});
}

/** Is everything here that the panel needs? @param {string | null} ref */
export function canExplain(ref) {
  return more !== null || !LATER.has(ref?.split(":")[0] ?? "");
}

/** @param {View} view @param {string} ref @returns {Child} */
export function explainRef(view, ref) {
  const [kind, first = "", ...rest] = ref.split(":");
  const second = rest.join(":"); // an extender's name is an address
  if (LATER.has(kind)) return more ? more.explainMore(view, kind, first, second) : void load(view);
  switch (kind) {
    case "verdict":
      return verdict(view, first, second);
    case "column":
      return verdict(view, stoppedAt(view, first), first);
    case "room":
      return room(view, first, second);
    case "run":
      return about(view);
    default:
      return asks(view, first);
  }
}

/** @param {View} view @param {string} plugin */
function stoppedAt(view, plugin) {
  const model = filtered(view.state);
  return model?.names.find((name) => model.at.get(name)?.verdict?.plugin === plugin) ?? "";
}

/** @param {View} view @param {string} node @param {string} plugin @returns {Child} */
function verdict(view, node, plugin) {
  const model = filtered(view.state);
  const at = model?.at.get(node);
  const rejected = at?.verdict?.plugin === plugin ? at.verdict : null;
  const told = view.explainer.filter(view.state.attempt, node, plugin);
  view.explainer.want(view.state.attempt, node ? [node] : []);
  const reached = at && (at.stop >= (model?.plugins.indexOf(plugin) ?? 0));
  return panel(t("margin.verdict", { plugin }), t("margin.on", { what: question(plugin).replace(/[?？]$/, ""), node }),
    plugin === "NodeResourcesFit" && roomTable(view, node, rejected?.reasons ?? []),
    (told?.evaluated === false || !reached) && h("p", { key: "skipped", class: "notasked" }, t("margin.notasked")),
    facts(view, told?.facts ?? [], plugin === "NodeResourcesFit" && Boolean(reached)),
    rejected && h("p", { key: "raw", class: "raw" }, `${rejected.code}: ${rejected.reasons.join(", ")}`),
    !rejected && reached && h("p", { key: "passed", class: "formula" }, h("b", { class: "yes" }, `✓ ${t("passed")}`)),
    rejected && h("p", { key: "note", class: "note" }, t(rejected.code === "Unschedulable" ? "margin.solid" : "margin.hollow")),
    rule(plugin), specOf(view, told?.facts ?? [], plugin));
}

/** How the free room adds up, and the comparisons. @param {View} view @param {string} name @param {string[]} reasons */
function roomTable(view, name, reasons) {
  const { state, hero } = view;
  const node = state.nodes.get(name);
  if (!node) return null;
  const resource = reasons.length ? resourceOf(reasons[0]) : "cpu";
  const asked = Object.keys(state.pods.get(hero)?.summary.requests ?? {});
  const pods = [...node.pods].sort((a, b) => request(state, b, resource) - request(state, a, resource));
  const shown = pods.slice(0, 6).filter((key) => request(state, key, resource) > 0);
  const rest = pods.filter((key) => !shown.includes(key)).reduce((sum, key) => sum + request(state, key, resource), 0);
  return [
    table([short(resource), t("margin.requests")], [
      row("all", [t("allocatable"), amount(resource, allocatable(node, resource))]),
      shown.map((key) => row(key, [`− ${podName(key)}`, amount(resource, request(state, key, resource))])),
      rest > 0 && row("rest", [t("margin.others"), amount(resource, rest)]),
      heldFor(state, name, hero).map((key) => row(`held${key}`, [t("margin.held", { pod: podName(key) }), amount(resource, request(state, key, resource))])),
      row("free", [t("margin.free"), amount(resource, free(state, name, resource, hero))], "sum hot"),
    ]),
    [...new Set([resource, ...asked])].map((one) => {
      const need = request(state, hero, one);
      const left = free(state, name, one, hero);
      const ok = need <= left;
      return h("p", { key: `c${one}`, class: "formula" }, `${amount(one, need)} ≤ ${quantity(one, left)} `, h("b", { class: ok ? "yes" : "no" }, ok ? `✓ ${t("true")}` : `✕ ${t("false")}`));
    }),
  ];
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
