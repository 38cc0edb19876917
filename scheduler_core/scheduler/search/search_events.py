"""The trace events of the search: PreFilterFinished and NodesFiltered."""

from __future__ import annotations

from functools import lru_cache

from scheduler_core.framework.interface import CycleState, Status, Verdicts
from scheduler_core.framework.runtime.runtime import Framework, PreFilterOutcome
from scheduler_core.releases import Rules
from scheduler_core.scheduler.search.passing_filters import NO_ROWS, FilteredNodes, RowArray
from scheduler_core.trace.columns import encode_column, encode_rows
from scheduler_core.trace.events import NodesFiltered, PreFilterFinished
from scheduler_core.trace.records import PreFilterResult, Verdict


def pre_filter_finished(framework: Framework, cycle: CycleState, outcome: PreFilterOutcome) -> PreFilterFinished:
    """Return the event; without rejections or narrowing, it is cached by filter plan."""
    rules = framework.release.rules
    if not outcome.status.is_success or outcome.node_names is not None:
        return _pre_filter_finished(outcome, rules)
    plan = framework.filters.plan(cycle)
    if plan.pre_filter is None:
        plan.pre_filter = _pre_filter_finished(outcome, rules)
    return plan.pre_filter


def _pre_filter_finished(outcome: PreFilterOutcome, rules: Rules) -> PreFilterFinished:
    results = [
        PreFilterResult(
            name,
            result.status.code.label,
            list(result.status.reasons),
            None if result.node_names is None else sorted(result.node_names),
        )
        for name, result in outcome.results
    ]
    nodes = None if outcome.node_names is None else sorted(outcome.node_names)
    status = outcome.status
    if status.is_success:
        return PreFilterFinished(results, nodes=nodes)
    blamed = outcome.narrowed_by if rules.narrowing_plugins_are_blamed else ()
    rejected_by = status.plugin or ",".join(blamed)
    return PreFilterFinished(results, rejected_by, status.code.label, list(status.reasons), nodes)


def nodes_filtered(
    framework: Framework,
    cycle: CycleState,
    start: int,
    num_nodes_to_find: int,
    preferred: str,
    nominated: FilteredNodes | None,
    filtered: FilteredNodes | None = None,
    *,
    narrowed: bool = False,
) -> NodesFiltered:
    """Return the event; equal statuses share a verdict.

    `preferred` is the node that was tried first and `nominated` its result; `filtered` is the result of the ring, if it
    was needed. `narrowed`: whether the ring had only some of the nodes.
    """
    parts = [part for part in (nominated, filtered) if part]
    verdicts = parts[0].verdicts if len(parts) == 1 else Verdicts.concat([part.verdicts for part in parts]).compact()
    evaluated = NO_ROWS if filtered is None else filtered.evaluated
    of_ring = verdicts.numbers[len(verdicts.numbers) - len(evaluated) :]
    return NodesFiltered(
        plugins=framework.filters.plan(cycle).names,
        start=start,
        evaluated=len(evaluated),
        total=len(framework.cluster.nodes) if cycle.placement is None else len(cycle.placement),
        nodes_to_find=num_nodes_to_find,
        verdicts=[_verdict(status) for status in verdicts.statuses],
        verdict=encode_column(of_ring) if verdicts.statuses else 0,
        feasible=len(parts[-1].feasible),
        rows=encode_rows(evaluated) if narrowed else None,
        nominated_first=preferred if nominated else None,
        hinted=bool(nominated) and not cycle.pod.nominated_node_name,
        nominated_verdict=1 if nominated and nominated.verdicts.statuses else 0,
        two_passes=_nodes_filtered_twice(framework, cycle, evaluated),
        extenders=[rejection for part in parts for rejection in part.extender_rejections],
        error=filtered.error if filtered is not None else "",
    )


@lru_cache(maxsize=1024)
def _verdict(status: Status) -> Verdict:
    return Verdict(status.plugin, status.code.label, list(status.reasons))


def _nodes_filtered_twice(framework: Framework, cycle: CycleState, evaluated: RowArray) -> list[str]:
    """Return the nodes with nominated pods of at least the same priority, which are filtered twice."""
    if not framework.nominator or not len(evaluated):
        return []
    index, _ = framework.filters.nominated(cycle, evaluated, framework.nominator)
    names = framework.cluster.nodes.names
    return [names[row] for row in dict.fromkeys(evaluated[index].tolist())]
