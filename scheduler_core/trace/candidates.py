"""Preemption's candidates one by one, from the columns in which an event has them. `candidates.js` reads the same."""

from __future__ import annotations

from scheduler_core.trace.columns import Column, decode_column
from scheduler_core.trace.events import PreemptionEvaluated
from scheduler_core.trace.records import Candidate, DryRuns, Reprieve


def candidates_of(event: PreemptionEvaluated) -> list[Candidate]:
    """Those that are written out, in the candidates' order."""
    return event.candidates if event.dry_runs is None else _unpacked(event.dry_runs)


def _unpacked(runs: DryRuns) -> list[Candidate]:
    def column(values: Column, count: int = len(runs.nodes)) -> list[int]:
        numbers: list[int] = decode_column(values, count).tolist()
        return numbers

    removed_counts, victim_counts = column(runs.removed_counts), column(runs.victim_counts)
    pods, victims = len(runs.removed), column(runs.victims, sum(victim_counts))
    tries = list(zip(*(column(one, pods) for one in (runs.tried, runs.reprieved, runs.violates_pdb)), strict=True))
    numbers = (runs.pdb_violations, runs.rung, runs.highest_priority, runs.priority_sum)
    found, at, victim = [], 0, 0
    compared = zip(runs.nodes, *map(column, numbers), runs.earliest_start, strict=True)
    for i, (node, violations, *values) in enumerate(compared):
        end, last = at + removed_counts[i], victim + victim_counts[i]
        here = runs.removed[at:end]
        reprieve = [Reprieve(here[place], bool(stays), bool(violates)) for place, stays, violates in tries[at:end]]
        evicted = [here[place] for place in victims[victim:last]]
        found.append(Candidate(node, evicted, violations, here, reprieve, *values))
        at, victim = end, last
    return found
