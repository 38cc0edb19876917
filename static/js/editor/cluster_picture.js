// @ts-check
/** The cluster beside the text: nodes with the pods that run, and the queue of those that wait. */
import { h } from "../dom.js";
import { t } from "../i18n.js";
import { amount, quantity } from "../units.js";

/** @typedef {import("../trace").NodeSummary} NodeSummary */
/** @typedef {import("../trace").PodSummary} PodSummary */

const DRAWN = 60; // nodes; more would hide what is being edited

/** @param {number} priority @returns {string} the class of the priority ramp */
export const ramp = (priority) => (priority >= 2_000_000_000 ? "psys" : priority >= 1000 ? "p1000" : priority >= 500 ? "p500" : priority >= 100 ? "p100" : "p10");

/** @param {{nodes: NodeSummary[], pods: PodSummary[]}} summary */
export function clusterPicture({ nodes, pods }) {
  const pending = pods.filter((pod) => !pod.node).sort((a, b) => (b.priority ?? 0) - (a.priority ?? 0));
  const widest = Math.max(...nodes.map((node) => node.allocatable.cpu ?? 0), 1);
  const rows = nodes.slice(0, DRAWN).map((node) => nodeRow(node, pods.filter((pod) => pod.node === node.name), widest));
  return [
    h("div", { class: "card cluster" }, nodes.length ? rows : h("p", { class: "muted" }, t("editor.noNodes")),
      nodes.length > DRAWN ? h("p", { class: "muted" }, t("editor.moreNodes", { n: nodes.length - DRAWN })) : null),
    h("div", { class: "card waiting" }, h("h3", null, t("editor.toPlace", { n: pending.length })),
      h("div", { class: "chips" }, ...pending.slice(0, 40).map((pod) =>
        h("span", { key: pod.pod, class: `pod-chip ${ramp(pod.priority ?? 0)}`, title: pod.pod }, `${short(pod.pod)} · ${amount("cpu", pod.requests?.cpu ?? 0)} cpu`)))),
  ];
}

/** @param {NodeSummary} node @param {PodSummary[]} pods @param {number} widest */
function nodeRow(node, pods, widest) {
  const cpu = node.allocatable.cpu ?? 0;
  const used = pods.reduce((sum, pod) => sum + (pod.requests?.cpu ?? 0), 0);
  const flags = [node.unschedulable ? t("editor.cordoned") : "", ...(node.taints ?? []).map(([key, value]) => (value ? `${key}=${value}` : key))].filter(Boolean);
  return h("div", { key: node.name, class: "node-row" },
    h("div", { class: "node-name" }, h("b", null, node.name), h("small", null, `${quantity("cpu", cpu)} · ${quantity("memory", node.allocatable.memory ?? 0)}`), ...flags.map((flag) => h("span", { class: "chip" }, flag))),
    h("div", { class: "node-bar", style: { "inline-size": `${(100 * cpu) / widest}%` } }, ...pods.map((pod) =>
      h("span", { key: pod.pod, class: `pod-block ${ramp(pod.priority ?? 0)}`, title: `${pod.pod}: ${quantity("cpu", pod.requests?.cpu ?? 0)}`, style: { "inline-size": `${cpu ? (100 * (pod.requests?.cpu ?? 0)) / cpu : 0}%` } }, short(pod.pod)))),
    h("div", { class: used > cpu ? "node-free over" : "node-free" }, t("editor.free", { free: amount("cpu", cpu - used) })));
}

/** @param {string} key */
const short = (key) => key.replace(/^default\//, "");
