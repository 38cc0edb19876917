// @ts-check
/** What is special about a node, in a few letters beside its name. */

import { h } from "../../shared/dom.js";
import { t } from "../../shared/i18n.js";

/** Cordon and taints, in a few letters. @param {NodeState} node */
export function tags(node) {
  const taints = (node.summary.taints ?? []).filter(([key]) => key !== "node.kubernetes.io/unschedulable");
  return [
    node.summary.unschedulable && h("span", { key: "cordon", class: "tag" }, t("reason.cordoned")),
    taints.slice(0, 2).map(([key, value, effect]) =>
      h("span", { key: `${key}${effect}`, class: `tag ${effect === "PreferNoSchedule" ? "soft" : ""}`, title: `${key}${value ? `=${value}` : ""}:${effect}` }, key.split("/").at(-1) ?? key)),
  ];
}
