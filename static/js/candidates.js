// @ts-check
/** Preemption's candidates, one by one, from the columns in which an event has them (scheduler_core/trace/candidates.py). */

import { decodeColumn } from "./columns.js";

/** Events that tell their candidates in columns get `candidates` too, made when they are first asked for. @param {AnyEvent[]} events */
export function withCandidates(events) {
  for (const event of events) {
    if (event.type !== "PreemptionEvaluated" || event.candidates) continue;
    /** @type {Candidate[] | undefined} */
    let made;
    Object.defineProperty(event, "candidates", { get: () => (made ??= event.dry_runs ? unpacked(event.dry_runs) : []) });
  }
}

/** @param {import("./trace").DryRuns} runs @returns {Candidate[]} */
function unpacked(runs) {
  const each = (/** @type {import("./trace").Column} */ column, count = runs.nodes.length) => Array.from(decodeColumn(column, count));
  const [tried, stays, violates] = [runs.tried, runs.reprieved, runs.violates_pdb].map((column) => each(column, runs.removed.length));
  const [counts, evicted] = [each(runs.removed_counts), each(runs.victim_counts)];
  const [violations, rungs, highest, sums] = [runs.pdb_violations, runs.rung, runs.highest_priority, runs.priority_sum].map((column) => each(column));
  const places = each(runs.victims, evicted.reduce((sum, count) => sum + count, 0));
  let [at, victim] = [0, 0];
  return runs.nodes.map((node, i) => {
    const [end, last] = [at + counts[i], victim + evicted[i]];
    const removed = runs.removed.slice(at, end);
    const reprieve = removed.map((_, n) => ({ pod: removed[tried[at + n]], reprieved: stays[at + n] === 1, violates_pdb: violates[at + n] === 1 }));
    const victims = places.slice(victim, last).map((place) => removed[place]);
    [at, victim] = [end, last];
    return {
      node, victims, removed, reprieve, pdb_violations: violations[i], rung: rungs[i], highest_priority: highest[i],
      priority_sum: sums[i], earliest_start: runs.earliest_start[i],
    }; // prettier-ignore
  });
}
