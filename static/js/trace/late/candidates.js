// @ts-check
/** Preemption's candidates, one by one, from an event's columns. */

/** @param {TraceChunk} chunk */
export function unpack({ events, keyframe }) {
	const { cycle = [] } = /** @type {{cycle?: any}} */ (keyframe);
	for (const event of [...events, ...(Array.isArray(cycle) ? cycle : [])])
		if (event.type === "PreemptionEvaluated") event.candidates ??= event.dry_runs ? unpacked(event.dry_runs) : [];
}

/**
 * @param {import("../trace").DryRuns} runs
 * @returns {Candidate[]}
 */
function unpacked({ nodes, removed, removed_counts, tried, reprieved, violates_pdb, victims, victim_counts, ...each }) {
	let [at, victim] = [0, 0];
	return nodes.map((node, i) => {
		const here = removed.slice(at, at + removed_counts[i]);
		const places = victims.slice(victim, victim + victim_counts[i]);
		const tries = here.map((_, n) => at + n);
		[at, victim] = [at + here.length, victim + places.length];
		return {
			node,
			victims: places.map((place) => here[place]),
			removed: here,
			reprieve: tries.map((n) => ({ pod: here[tried[n]], reprieved: reprieved[n], violates_pdb: violates_pdb[n] })),
			pdb_violations: each.pdb_violations[i],
			rung: each.rung[i],
			highest_priority: each.highest_priority[i],
			priority_sum: each.priority_sum[i],
			earliest_start: each.earliest_start[i],
		};
	});
}
