// @ts-check
/** Where a number comes from, continued: victims, who goes first, how long a pod waits. */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";
import { activeOrder } from "./model.js";
import { theatre } from "../preempt/model.js";
import { allocatable, request, used } from "../../trace/room.js";
import { amount, decimal, podName, quantity, seconds, short } from "../../shared/units.js";
import { asks, panel, row, rule, table } from "../parts/panel.js";

/** @param {View} view @param {string} kind @param {string} first @returns {Child} */
export function explain(view, kind, first) {
  if (kind === "priority") return priority(view, first);
  if (kind === "backoff") return backoff(view, first);
  return candidate(view, kind === "candidate" ? first : (theatre(view.state)?.chosen?.node ?? ""));
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
    rows.push(row(step.pod, [h("span", null, h("b", { class: step.reprieved ? "yes" : "no" }, step.reprieved ? "↩ " : "✕ "), podName(step.pod)), String(state.pods.get(step.pod)?.summary.priority ?? 0),
      h("span", { class: step.reprieved ? "" : "no" }, step.reprieved ? amount(resource, after) : `${amount(resource, after)} ${after < need ? "<" : "≥"} ${amount(resource, need)}`)]));
    if (step.reprieved) left = after;
  }
  return panel(t("margin.victims"), t("margin.reprieve", { node: name }),
    h("div", { key: "others", class: "segments wrap" }, play.candidates.filter((entry, i) => i < 8 || entry.node === name).map((entry) => h("button", { key: entry.node, type: "button", "aria-pressed": String(entry.node === name), on: { click: () => view.act.pin(`candidate:${entry.node}`) } }, entry.node))),
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
