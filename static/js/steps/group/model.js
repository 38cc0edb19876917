// @ts-check
/** A pod group at a step: the phase of its cycle, the state of each member, and whether enough of them have nodes. */

import { nameInKey } from "../../shared/units.js";

/**
 * absent: not created yet; here: in the queue; waits: not tried yet; tried: under way; fits: has a node, in this try
 * only; left: fits nowhere; back: gave its node back; goes: the node is settled; permit, assumed, bound: on its way
 * there; returns: goes back to the queue.
 * @typedef {"absent" | "here" | "waits" | "tried" | "fits" | "left" | "back" | "goes" | "permit" | "assumed" |
 *   "bound" | "returns"} Standing
 * @typedef {{pod: string, standing: Standing, node: string, place: string}} Member
 * @typedef {"gathers" | "tried" | "evaluated" | "decided"} Phase
 * @typedef {object} Gang
 * @property {string} key @property {string} name @property {Phase} phase
 * @property {import("../../trace/trace").PodGroupSummary | null} summary
 * @property {GroupCycle | null} cycle @property {Member[]} members
 * @property {number | null} min @property {number} have with a node, or in existence while it gathers
 * @property {number} whole number of segments
 * @property {boolean | null} enough null: not known yet
 */

/** Whether a step belongs to a group's cycle. @param {AnyEvent} event @param {State} state */
export function inCycle(event, { group }) {
	if (!group) return false;
	if (!group.finished || event.type === "PodGroupCycleFinished") return true;
	return event.type === "AttemptFinished" && group.started.pods.includes(event.pod);
}

/**
 * The group of a pod that is created, updated, gated or queued outside a cycle; "" for none.
 * @param {any} event
 * @param {State} state
 */
export function gatheringGroup({ type, kind, pod }, { pods, pod_groups, cycle }) {
	if (cycle.CycleStarted && !cycle.AttemptFinished) return "";
	const gathers = type === "PodGated" || type === "PodEnqueued" || (type === "ObjectApplied" && kind === "Pod");
	const key = gathers ? (pods.get(pod?.pod ?? pod)?.summary.pod_group ?? "") : "";
	return pod_groups.has(key) ? key : "";
}

/** The group that a step is about; "" for none. @param {AnyEvent} event @param {State} state */
export function groupOf(event, state) {
	if (inCycle(event, state)) return state.group?.started.pod_group ?? "";
	return gatheringGroup(event, state);
}

/**
 * The pod group that a step is about, with its members at this step; null if the step is about none.
 * @param {AnyEvent} event @param {State} state @returns {Gang | null}
 */
export function gangOf(event, state) {
	const key = groupOf(event, state);
	if (!key) return null;
	const summary = state.pod_groups.get(key)?.summary ?? null;
	const cycle = inCycle(event, state) ? state.group : null;
	const min = cycle ? (cycle.started.min_count ?? null) : (summary?.min_count ?? null);
	const phase = phaseOf(cycle);
	const members = cycle ? membersInCycle(state, cycle, phase) : membersSoFar(state, key, min);
	const have = countPlaced(cycle, phase, members);
	const done = phase === "evaluated" || phase === "decided";
	return {
		key,
		name: nameInKey(key),
		phase,
		summary,
		cycle,
		members,
		min,
		have,
		whole: Math.max(min ?? 0, members.length),
		enough: min !== null && have >= min ? true : done ? have > 0 && min === null : null,
	};
}

/** The phase of a group's cycle; it gathers outside of one. @param {GroupCycle | null} cycle @returns {Phase} */
function phaseOf(cycle) {
	if (!cycle) return "gathers";
	if (cycle.decided) return "decided";
	return runOf(cycle) ? "evaluated" : "tried";
}

/** The result of the current try; undefined while it goes on. @param {GroupCycle} cycle */
function runOf({ runs, placement, scored, decided }) {
	const placed = decided?.placement ?? scored?.chosen;
	if (placed) return runs.find((run) => run.placement === placed);
	const last = runs.at(-1);
	return placement && (last?.placement ?? "") !== placement.placement ? undefined : last;
}

/**
 * The members that exist, and an empty one for each that is missing.
 * @param {State} state @param {string} key @param {number | null} min
 */
function membersSoFar({ pods }, key, min) {
	/** @type {Member[]} */
	const out = [...pods.values()]
		.filter(({ summary }) => summary.pod_group === key)
		.map(({ summary, node, place }) => ({
			pod: summary.pod,
			standing: node ? "bound" : place === "outside" || place === "new" ? "absent" : "here",
			node,
			place,
		}));
	for (let n = out.length; n < (min ?? 0); n += 1) out.push({ pod: "", standing: "absent", node: "", place: "" });
	return out;
}

/**
 * The members tried in this cycle, after those that already had a node.
 * @param {State} state @param {GroupCycle} cycle @param {Phase} phase
 */
function membersInCycle(state, cycle, phase) {
	const { pods, pod_group: key } = cycle.started;
	const before = [...state.pods.values()].filter(
		({ summary, node }) => summary.pod_group === key && node && !pods.includes(summary.pod),
	);
	/** @type {Member[]} */
	const settled = before.map(({ summary, node, place }) => ({ pod: summary.pod, standing: "bound", node, place }));
	const run = runOf(cycle);
	const at = pods.indexOf(state.cycle.CycleStarted?.pod ?? "");
	return [
		...settled,
		...pods.map((pod, i) => {
			const { node = "", place = "" } = state.pods.get(pod) ?? {};
			const triedNode = run?.members.find((member) => member.pod === pod)?.node ?? "";
			const standing =
				phase === "decided"
					? standingAfterDecision(cycle, place, node, triedNode)
					: phase === "evaluated"
						? standingAfterUndo(cycle, node, triedNode)
						: standingWhileTried(state, node, i - at, at);
			return { pod, standing, node: node || triedNode, place };
		}),
	];
}

/**
 * The state of a member during the trial. `at`: the index of the member being tried, -1 if there is none; `ahead`: how
 * far behind it this member is in order, negative if it comes before.
 * @param {State} state @param {string} node @param {number} ahead @param {number} at @returns {Standing}
 */
function standingWhileTried({ cycle }, node, ahead, at) {
	if (node) return "fits";
	if (at < 0 || ahead > 0) return "waits";
	const failed = cycle.NodesFiltered?.feasible === 0 || cycle.PreFilterFinished?.rejected_by || cycle.SchedulingFailed;
	return ahead < 0 || failed ? "left" : "tried";
}

/**
 * The state of a member after the trial is undone; once placements are compared, its state in the best one.
 * @param {GroupCycle} cycle @param {string} node @param {string} triedNode @returns {Standing}
 */
function standingAfterUndo({ scored }, node, triedNode) {
	return node || (scored && triedNode) ? "fits" : triedNode ? "back" : "left";
}

/**
 * The state of a member after the decision about its group.
 * @param {GroupCycle} cycle @param {string} place @param {string} node @param {string} triedNode @returns {Standing}
 */
function standingAfterDecision({ decided }, place, node, triedNode) {
	if (place === "bound" || place === "waiting") return place === "bound" ? "bound" : "permit";
	if (node) return "assumed";
	if (place !== "scheduling") return "here";
	return decided?.outcome === "Scheduled" && triedNode ? "goes" : "returns";
}

/**
 * The number of members that have a node, or that exist while the group gathers.
 * @param {GroupCycle | null} cycle @param {Phase} phase @param {Member[]} members
 */
function countPlaced(cycle, phase, members) {
	if (phase === "gathers") return members.filter(({ standing }) => standing !== "absent").length;
	const settled = members.length - (cycle?.started.pods.length ?? 0);
	const run = cycle && phase !== "tried" ? (runOf(cycle) ?? bestRun(cycle)) : null;
	if (run) return settled + run.members.filter(({ node }) => node).length;
	return phase === "tried"
		? members.filter(({ standing }) => standing === "fits" || standing === "bound").length
		: settled;
}

/** The try that placed the most members; undefined before the first has ended. @param {GroupCycle} cycle */
function bestRun({ runs }) {
	const countPlacedIn = (/** @type {typeof runs[0]} */ run) => run.members.filter(({ node }) => node).length;
	return [...runs].sort((a, b) => countPlacedIn(b) - countPlacedIn(a))[0];
}
