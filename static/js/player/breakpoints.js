// @ts-check
/** Where playing stops. */

/** @typedef {import("./player.js").Breakpoint} Breakpoint */

/** Does an event satisfy a breakpoint? @param {Breakpoint} breakpoint @param {any} event */
export function matches(breakpoint, event) {
	if (!event) return false;
	const { pod, plugin, outcome } = breakpoint;
	if (pod && event.pod !== pod && !event.pod?.endsWith?.(`/${pod}`)) return false;
	if (outcome && event.outcome !== outcome) return false;
	if (plugin && !rejecters(event).includes(plugin)) return false;
	return Boolean(pod || plugin || outcome);
}

/** Plugins that turned something down in an event. @param {any} event @returns {string[]} */
function rejecters(event) {
	if (event.type === "NodesFiltered") return event.verdicts.map((/** @type {any} */ verdict) => verdict.plugin);
	if (event.type === "SchedulingFailed") return event.unschedulable_plugins;
	return [event.rejected_by, event.plugin].filter(Boolean);
}
