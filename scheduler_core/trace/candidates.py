"""Preemption's candidates one by one, from the columns in which an event has them. `candidates.js` reads the same."""

from __future__ import annotations

from scheduler_core.trace.events import PreemptionEvaluated
from scheduler_core.trace.records import Candidate, DryRuns, Reprieve


def candidates_of(event: PreemptionEvaluated) -> list[Candidate]:
    """Those that are written out, in the candidates' order."""
    return event.candidates if event.dry_runs is None else _unpacked(event.dry_runs)


def _unpacked(runs: DryRuns) -> list[Candidate]:
    tries = list(zip(runs.tried, runs.reprieved, runs.violates_pdb, strict=True))
    numbers = (runs.pdb_violations, runs.rung, runs.highest_priority, runs.priority_sum, runs.earliest_start)
    found, at, victim = [], 0, 0
    for i, (node, violations, *compared) in enumerate(zip(runs.nodes, *numbers, strict=True)):
        end, last = at + runs.removed_counts[i], victim + runs.victim_counts[i]
        here = runs.removed[at:end]
        victims = [here[place] for place in runs.victims[victim:last]]
        reprieve = [Reprieve(here[place], stays, violates) for place, stays, violates in tries[at:end]]
        found.append(Candidate(node, victims, violations, here, reprieve, *compared))
        at, victim = end, last
    return found
