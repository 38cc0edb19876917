// @ts-check
/** Where a number comes from, continued: points, leads, victims, who goes first, how long a pod waits. */

import { h } from "../dom.js";
import { t } from "../i18n.js";
import { activeOrder } from "../captions/queue.js";
import { scoreName } from "../captions/score.js";
import { theatre } from "../model/preemption.js";
import { allocatable, request, used } from "../model/room.js";
import { ranking, scores } from "../model/scores.js";
import { amount, decimal, podName, quantity, seconds, short } from "../units.js";
import { asks, facts, panel, row, rule, table } from "./panel.js";
import { scoreStyle } from "./score_style.js";

/** @typedef {import("../view").View} View @typedef {import("../dom.js").Child} Child */

/** @param {View} view @param {string} kind @param {string} first @param {string} second @returns {Child} */
export function explainMore(view, kind, first, second) {
  switch (kind) {
    case "score":
      return score(view, first, second);
    case "total":
      return total(view, first);
    case "compare":
      return compare(view, first, second);
    case "candidate":
      return candidate(view, first);
    case "priority":
      return priority(view, first);
    case "backoff":
      return backoff(view, first);
    default:
      return candidate(view, theatre(view.state)?.chosen?.node ?? "");
  }
}

/** @param {View} view @param {string} node @param {string} plugin */
function score(view, node, plugin) {
  const model = scores(view.state);
  const i = model?.names.indexOf(node) ?? -1;
  const one = model?.plugins.find((entry) => entry.plugin === plugin);
  if (!model || !one || i < 0) return total(view, node);
  view.explainer.want(view.state.attempt, [node]);
  const told = view.explainer.score(view.state.attempt, node, plugin);
  return panel(t("margin.points", { n: one.weighted[i] }), `${scoreName(plugin)}: ${node}`,
    (told?.arithmetic ?? []).map((line, k) => h("p", { key: `a${k}`, class: "formula" }, line)),
    facts(view, told?.facts ?? []),
    h("p", { key: "sum", class: "formula" }, `${one.normalized[i]} × ${t("weight")} ${one.weight} = `, h("b", { class: "result" }, String(one.weighted[i]))),
    breakdown(view, node, plugin), rule(plugin, "score"));
}

/** @param {View} view @param {string} node @param {string} hot */
function breakdown(view, node, hot) {
  const model = scores(view.state);
  const i = model?.names.indexOf(node) ?? -1;
  if (!model || i < 0) return null;
  const counted = view.event.type === "ScoresComputed" ? Math.min(view.frame + 1, model.plugins.length) : model.plugins.length;
  const sum = model.plugins.slice(0, counted).reduce((all, one) => all + one.weighted[i], 0);
  return table([t("margin.plugin"), t("margin.raw"), "0–100", t("weight"), t("margin.pts")], [
    model.plugins.map((one, p) => row(one.plugin, [
      h("button", { type: "button", class: "link", on: { click: () => view.act.pin(`score:${node}:${one.plugin}`) } }, h("i", { class: "swatch", style: scoreStyle(one.plugin) }), scoreName(one.plugin)),
      ...(p < counted ? [String(one.raw[i]), String(one.normalized[i]), `× ${one.weight}`, h("b", null, String(one.weighted[i]))] : ["", "", `× ${one.weight}`, "·"])], hot === one.plugin ? "hot" : "")),
    row("sum", [counted < model.plugins.length ? t("margin.sofar") : node, "", "", "", String(sum)], "sum"),
  ]);
}

/** @param {View} view @param {string} node */
function total(view, node) {
  const model = scores(view.state);
  const i = model?.names.indexOf(node) ?? -1;
  if (!model || i < 0) return asks(view, view.hero);
  const best = ranking(model.totals)[0];
  return panel(t("margin.from", { n: model.totals[i] }), i === best ? t("margin.winner", { node }) : node, breakdown(view, node, ""),
    h("p", { key: "note", class: "note" }, t("margin.total")),
    model.skipped.length > 0 && h("p", { key: "skipped", class: "note" }, t("margin.skipped", { plugins: model.skipped.map(scoreName).join(", ") })));
}

/** @param {View} view @param {string} first @param {string} second */
function compare(view, first, second) {
  const model = scores(view.state);
  if (!model) return null;
  const [a, b] = [model.names.indexOf(first), model.names.indexOf(second)];
  return panel(t("margin.difference"), `${first}, ${second}`,
    table([t("margin.pts"), first, second, "±"], [
      model.plugins.map((one) => row(one.plugin, [scoreName(one.plugin), String(one.weighted[a]), String(one.weighted[b]), signed(one.weighted[a] - one.weighted[b])])),
      row("sum", ["", String(model.totals[a]), String(model.totals[b]), signed(model.totals[a] - model.totals[b])], "sum"),
    ]));
}

/** @param {number} n */
function signed(n) {
  return n > 0 ? `+${n}` : n < 0 ? `−${-n}` : "0";
}

/** How the victims of a node were found. @param {View} view @param {string} name */
function candidate(view, name) {
  const play = theatre(view.state);
  const one = play?.candidates.find((entry) => entry.node === name);
  const node = view.state.nodes.get(name);
  if (!play || !one || !node) return asks(view, view.hero);
  const { state, hero } = view;
  const resource = state.pods.get(hero)?.summary.requests?.cpu ? "cpu" : "memory";
  const need = request(state, hero, resource);
  let left = allocatable(node, resource) - used(node, resource) + one.removed.reduce((sum, key) => sum + (node.pods.includes(key) ? request(state, key, resource) : 0), 0);
  const rows = [row("gone", [t("margin.allgone", { n: state.pods.get(hero)?.summary.priority ?? 0 }), "", amount(resource, left)])];
  for (const step of one.reprieve) {
    const after = left - request(state, step.pod, resource);
    rows.push(row(step.pod, [h("span", null, h("b", { class: step.reprieved ? "yes" : "no" }, step.reprieved ? "↩ " : "✕ "), podName(step.pod)), String(state.pods.get(step.pod)?.summary.priority ?? ""),
      h("span", { class: step.reprieved ? "" : "no" }, step.reprieved ? amount(resource, after) : `${amount(resource, after)} ${after < need ? "<" : "≥"} ${amount(resource, need)}`)]));
    if (step.reprieved) left = after;
  }
  return panel(t("margin.victims"), t("margin.reprieve", { node: name }),
    h("div", { key: "others", class: "segments wrap" }, play.candidates.slice(0, 8).map((entry) => h("button", { key: entry.node, type: "button", "aria-pressed": String(entry.node === name), on: { click: () => view.act.pin(`candidate:${entry.node}`) } }, entry.node))),
    table([t("margin.giveback"), t("margin.priority"), t("margin.freeof", { resource: short(resource) })], rows),
    h("p", { key: "n1", class: "note" }, t("margin.important", { pod: podName(hero), need: quantity(resource, need) })),
    play.rungs >= 3 && h("p", { key: "n3", class: "note" }, t("rung.3.why")), rule("DefaultPreemption", "post_filter"));
}

/** @param {View} view @param {string} key */
function priority(view, key) {
  const { state } = view;
  const waiting = activeOrder(state);
  const own = state.pods.get(key);
  return panel(t("margin.order"), t("margin.priorityof", { pod: podName(key), n: own?.summary.priority ?? 0 }),
    table(["activeQ", t("margin.priority"), t("margin.since")], waiting.slice(0, 12).map((name) => {
      const pod = state.pods.get(name);
      return row(name, [podName(name), String(pod?.summary.priority ?? 0), seconds(pod?.timestamp ?? 0)], name === key ? "hot" : "");
    })),
    rule("PrioritySort", "key"));
}

/** @param {View} view @param {string} key */
function backoff(view, key) {
  const pod = view.state.pods.get(key);
  if (!pod) return null;
  const wait = (pod.backoff_until ?? view.state.time) - pod.timestamp;
  return panel(t("margin.backoff"), podName(key),
    h("p", { key: "f", class: "formula" }, t("margin.backoff.until", { from: seconds(pod.timestamp), wait: decimal(wait), until: seconds(pod.backoff_until ?? 0) })),
    h("p", { key: "note", class: "note" }, t("queue.backoff.why")));
}
