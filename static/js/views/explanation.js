// @ts-check
/** Where a number comes from: the rule in words, the arithmetic with this pod's values, the API's text, the source. */

import { h } from "../dom.js";
import { has, t } from "../i18n.js";
import { question } from "../captions/filter.js";
import { scoreName } from "../captions/score.js";
import { activeOrder } from "../captions/queue.js";
import { filtered } from "../model/filter.js";
import { passWords, stopWords } from "../model/fact_words.js";
import { theatre } from "../model/preemption.js";
import { allocatable, free, heldFor, request, resourceOf, used } from "../model/room.js";
import { ranking, scores } from "../model/scores.js";
import { amount, decimal, podName, quantity, seconds, short } from "../units.js";
import { scoreStyle } from "./score_bars.js";

const SOURCE = "https://github.com/kubernetes/kubernetes/tree/v1.34.1/pkg/scheduler/framework/plugins/";

/** @param {View} view @param {string} ref @returns {Child} */
export function explainRef(view, ref) {
  const [kind, first = "", second = ""] = ref.split(":");
  switch (kind) {
    case "verdict":
      return verdict(view, first, second);
    case "column":
      return verdict(view, stoppedAt(view, first), first);
    case "score":
      return score(view, first, second);
    case "total":
      return total(view, first);
    case "compare":
      return compare(view, first, second);
    case "candidate":
      return candidate(view, first);
    case "candidates":
    case "start":
      return candidate(view, theatre(view.state)?.chosen?.node ?? "");
    case "room":
      return room(view, first, second);
    case "priority":
      return priority(view, first);
    case "backoff":
      return backoff(view, first);
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

/** @param {string} label @param {Child} title @param {Child[]} body @returns {Child} */
function panel(label, title, ...body) {
  return [h("p", { key: "label", class: "margin-label" }, label), h("h2", { key: "title" }, title), ...body];
}

/** @param {string[]} head @param {Child[]} rows */
function table(head, rows) {
  return h("table", { key: "table", class: "figures" }, h("thead", null, h("tr", null, head.map((text, i) => h("th", { key: i, scope: "col" }, text)))), h("tbody", null, rows));
}

/** @param {string} key @param {Child[]} cells @param {string} [kind] */
function row(key, cells, kind = "") {
  return h("tr", { key, class: kind }, cells.map((cell, i) => h("td", { key: i }, cell)));
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

/** @param {View} view @param {Fact[]} list @param {boolean} [known] the comparison is already shown as a table */
function facts(view, list, known = false) {
  if (known || !list.length) return null;
  return h("ul", { key: "facts", class: "facts" }, list.map((fact, i) =>
    h("li", { key: i }, h("p", { class: "formula" }, compared(fact, view.hero), " ", h("b", { class: fact.holds ? "yes" : "no" }, fact.holds ? "✓" : "✕")),
      fact.text && t("language") === "en" && h("small", null, fact.text))));
}

/** A comparison in words, or with its signs where those are numbers'. @param {Fact} fact @param {string} hero */
function compared(fact, hero) {
  const words = fact.holds ? passWords([fact]) : stopWords(fact, hero)?.filter(Boolean).join(", ");
  if (words) return words;
  const labels = /^(NodeAffinity|VolumeBinding)/.test(fact.key) ? "matches" : "among";
  const sign = { "∈": t(`sign.${labels}`), "∉": t(`sign.${labels}.not`) }[fact.op] ?? fact.op;
  return `${fact.left} ${sign} ${fact.right}`;
}

/** The rule in words, where it is written here, and kube-scheduler's own. @param {string} plugin @param {string} [method] */
function rule(plugin, method = "filter") {
  const link = (/** @type {string} */ key, /** @type {string} */ href) => h("a", { key, href, target: "_blank", rel: "noopener noreferrer" }, t(key));
  return [
    has(`rule.${plugin}`) && h("p", { key: "rule", class: "note" }, t(`rule.${plugin}`)),
    /^[A-Z]\w*$/.test(plugin) && plugin !== "Fault" && h("p", { key: "source", class: "note sources" }, link("margin.source", `/plugins/${plugin}/#${method}`),
      (has(`question.${plugin}`) || has(`score.${plugin}`) || has(`rule.${plugin}`)) && link("margin.upstream", upstream(plugin))),
  ];
}

/** @param {string} plugin */
function upstream(plugin) {
  if (plugin === "Coscheduling") return "https://github.com/kubernetes-sigs/scheduler-plugins/tree/master/pkg/coscheduling";
  const resources = plugin === "NodeResourcesFit" || plugin === "NodeResourcesBalancedAllocation";
  return SOURCE + (resources ? "noderesources" : plugin === "PrioritySort" ? "queuesort" : plugin.toLowerCase());
}

/** What the pod asks for; the lines that this plugin read stand out. @param {View} view @param {Fact[]} list @param {string} plugin */
function specOf(view, list, plugin) {
  const pod = view.state.pods.get(view.hero);
  if (!pod) return null;
  const fields = list.map((fact) => fact.field ?? "").join(" ");
  const fit = plugin === "NodeResourcesFit";
  /** @type {[string, boolean][]} */
  const lines = Object.entries(pod.summary.requests ?? {}).map(([name, value]) => [`requests.${name}: ${quantity(name, value)}`, fit || fields.includes("requests")]);
  lines.push([`priority: ${pod.summary.priority ?? 0}`, plugin === "priority"]);
  for (const [key, value] of Object.entries(pod.summary.labels ?? {}).slice(0, 4)) lines.push([`${key}: ${value}`, plugin === "PodTopologySpread" || plugin === "InterPodAffinity"]);
  const read = [...new Set(list.map((fact) => fact.field).filter((field) => field && !field.includes("requests")))];
  return h("div", { key: "spec", class: "spec" }, h("h3", null, t("margin.asks", { pod: podName(view.hero) })),
    lines.map(([text, hot]) => h("code", { key: text, class: hot ? "hot" : "" }, text)),
    read.map((field) => h("code", { key: `f${field}`, class: "hot" }, `${field}`)),
    h("button", { key: "yaml", type: "button", class: "link", on: { click: () => view.act.select({ kind: "pod", name: view.hero }) } }, t("margin.inspect")));
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

/** @param {View} view @param {string} key */
function asks(view, key) {
  const name = view.state.pods.has(key) ? key : view.hero;
  return name && view.state.pods.has(name) ? panel(t("margin.request"), podName(name), specOf({ ...view, hero: name }, [], "NodeResourcesFit"), h("p", { key: "note", class: "note" }, t("margin.requestsnote"))) : null;
}

/** @param {View} view */
function about(view) {
  const { scenario } = view.boot;
  return panel(t("margin.about"), scenario?.title || view.state.title, scenario?.description && h("p", { key: "text", class: "note" }, scenario.description), view.boot.lesson?.look_at && [h("h3", { key: "look" }, t("lesson.look")), h("p", { key: "lookat", class: "note" }, view.boot.lesson.look_at)], h("p", { key: "keys", class: "note" }, t("margin.keys")));
}
