// @ts-check
/** Fixed colours by concern; extenders and plugins from outside share the last. */
const COLOURS = [
  "TaintToleration", "NodeAffinity", "PodTopologySpread", "InterPodAffinity", "NodeResourcesFit",
  "NodeResourcesBalancedAllocation", "ImageLocality",
];

/** @param {string} plugin */
export function scoreStyle(plugin) {
  const i = COLOURS.indexOf(plugin);
  const slot = i < 0 ? 6 : i;
  return { "--c": `var(--s${slot})`, "--ct": `var(--s${slot}t)` };
}
