// @ts-check
/**
 * A profile's `plugins`: the weight that they give a plugin at an extension point, and the change that gives it another
 * (kube-scheduler's `mergePluginSet`, `expandMultiPointPlugins` and `getScoreWeights`).
 */

/** @typedef {{name: string, weight?: number}} PluginEntry */
/** @typedef {{enabled?: PluginEntry[] | null, disabled?: PluginEntry[] | null} | null} PluginSet */
/** @typedef {Record<string, PluginSet | undefined> | null} PluginSets */

/**
 * The weight of a plugin at an extension point, 0 if it is off there. A plugin that is enabled without a weight has 1.
 * @param {PluginSets | undefined} plugins @param {string} point
 * @param {string} name @param {number} normal the weight of the default profile
 */
export function weightAt(plugins, point, name, normal) {
	for (const set of [plugins?.[point], plugins?.multiPoint]) {
		const own = set?.enabled?.find((entry) => entry.name === name);
		if (own) return own.weight || 1;
		if (set?.disabled?.some((entry) => entry.name === name || entry.name === "*")) return 0;
	}
	return normal;
}

/**
 * The plugins enabled and disabled at an extension point once a plugin has this weight there, 0 for off. Nothing is
 * written about a plugin that has the weight without that.
 * @param {PluginSets | undefined} plugins @param {string} point
 * @param {string} name @param {number} normal the weight of the default profile @param {number} weight
 */
export function setWithWeight(plugins, point, name, normal, weight) {
	const others = (/** @type {PluginEntry[] | null | undefined} */ list) =>
		(list ?? []).filter((entry) => entry.name !== name);
	const set = { enabled: others(plugins?.[point]?.enabled), disabled: others(plugins?.[point]?.disabled) };
	if (weight === weightAt({ ...plugins, [point]: set }, point, name, normal)) return set;
	if (weight) set.enabled.push(point === "score" ? { name, weight } : { name });
	if (!set.disabled.some((entry) => entry.name === "*")) set.disabled.push({ name });
	return set;
}
