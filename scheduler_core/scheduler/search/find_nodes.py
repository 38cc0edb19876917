"""Which nodes fit the pod: PreFilter, Filter along the ring, extenders (schedule_one.go: findNodesThatFitPod)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.messages import Message
from scheduler_core.framework.cluster_event import EXTENDER_NAME
from scheduler_core.framework.cycle import FilterPlan
from scheduler_core.framework.interface import (
    Code,
    CycleState,
    Diagnosis,
    ExtenderError,
    FilterResult,
    ScorePlugin,
    Status,
)
from scheduler_core.framework.runtime.runtime import Framework, PreFilterOutcome
from scheduler_core.releases import Rules
from scheduler_core.scheduler.search.extenders import find_nodes_that_pass_extenders
from scheduler_core.scheduler.search.fit_error import SchedulerPanic, SchedulingError
from scheduler_core.trace.columns import encode_column, encode_rows
from scheduler_core.trace.events import AnyEvent, NodesFiltered, PreFilterFinished
from scheduler_core.trace.records import PreFilterResult, Verdict

MIN_FEASIBLE_NODES_TO_FIND = 100
MIN_FEASIBLE_NODES_PERCENTAGE_TO_FIND = 5

CUT_OFF = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("node is filtered out by the prefilter result",))

Emit = Callable[[AnyEvent], None]
RowArray = NDArray[np.intp]


@dataclass(slots=True)
class Search:
    """What the search for nodes carries from one attempt to the next, and how far it goes."""

    percentage_of_nodes_to_score: int = 0
    next_start_node_index: int = 0
    expected: dict[int, int] = field(default_factory=dict)  # by the pod's shape: how many nodes it may have to ask

    def remember(self, shape: int, asked: int, turned_down: int) -> None:
        """Walks of pods like this one are as long, or a little longer; long ones are forgotten slowly."""
        self.expected[shape] = max(asked + turned_down // 8, self.expected.get(shape, 0) * 7 // 8)


@dataclass(slots=True)
class _Found:
    """Feasible rows in the order found, and the rows evaluated: row i passed where `which[i]` is 0, else it was turned
    down with `statuses[which[i] - 1]`. The statuses are distinct, and each is some row's."""

    feasible: RowArray
    evaluated: RowArray
    which: NDArray[np.int16]
    statuses: list[Status]
    extenders: list[tuple[str, str, str]] = field(default_factory=list)
    error: str = ""  # of the node at which a plugin failed: the walk ended before it


def num_feasible_nodes_to_find(framework: Framework, search: Search, nodes: int) -> int:
    """All of fewer than 100 nodes; else a percentage of them, but at least 100."""
    if nodes < MIN_FEASIBLE_NODES_TO_FIND:
        return nodes
    percentage = framework.profile.percentage_of_nodes_to_score
    if percentage is None:
        percentage = search.percentage_of_nodes_to_score
    if percentage == 0:
        percentage = max(50 - nodes // 125, MIN_FEASIBLE_NODES_PERCENTAGE_TO_FIND)
    return max(nodes * percentage // 100, MIN_FEASIBLE_NODES_TO_FIND)


def find_nodes_that_fit_pod(
    framework: Framework, cycle: CycleState, search: Search, emit: Emit, hint: Callable[[], str] | None = None
) -> tuple[RowArray, Diagnosis]:
    """Feasible rows in the order found, and why the others were turned down. Raises SchedulingError.

    `hint`: asked once PreFilter has passed; the node to try first, if it knows one.
    """
    nodes, rules = framework.cluster.nodes, framework.release.rules
    every_row = nodes.all_rows if cycle.placement is None else cycle.placement
    diagnosis = Diagnosis(len(nodes))
    outcome = framework.run_pre_filter(cycle)
    emit(_pre_filter_finished(outcome, framework.filters.plan(cycle), rules))
    if rules.narrowing_plugins_are_blamed:
        diagnosis.unschedulable_plugins = dict.fromkeys(outcome.narrowed_by)
    if outcome.status.code == Code.ERROR:
        raise SchedulingError(outcome.status.message)
    if not outcome.status.is_success:
        diagnosis.absent = outcome.status if rules.pre_filter_rejects_every_node else Status()
        if not rules.pre_filter_reasons_are_counted:
            diagnosis.pre_filter_message = outcome.status.message
        diagnosis.blame(outcome.status)
        return np.empty(0, np.intp), diagnosis
    framework.recall(cycle)
    start = search.next_start_node_index
    hinted = hint() if hint is not None else ""
    first = cycle.pod.nominated_node_name or hinted
    nominated = _evaluate_nominated_node(framework, cycle, first, start, diagnosis) if first else None
    if nominated is not None and len(nominated.feasible):
        emit(_nodes_filtered(framework, cycle, start, nominated, None, 1, first=first))
        return nominated.feasible, diagnosis
    rows = every_row
    if outcome.node_names is not None:
        missing = sorted(name for name in outcome.node_names if name not in nodes.row_of)
        if missing and rules.nodes_named_by_pre_filter_must_exist:
            raise SchedulingError(f'nodeinfo not found for node name "{missing[0]}"')
        rows = np.array(sorted(nodes.row_of[name] for name in outcome.node_names if name in nodes.row_of), np.intp)
        rows = rows if cycle.placement is None else np.intersect1d(rows, every_row)
        if rules.nodes_cut_off == "told":
            listed = " ".join(sorted(diagnosis.unschedulable_plugins))  # also who rejected the nominated node just now
            reason = f"node(s) didn't satisfy plugin(s) [{listed}]"
            diagnosis.absent = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (reason,))
        elif rules.nodes_cut_off == "unjudged":
            diagnosis.absent = Status()
    wanted = _wanted(framework, search, len(rows))
    found = _find_nodes_that_pass_filters(framework, cycle, start, rows, wanted, search.expected.get(cycle.shape, 0))
    search.remember(cycle.shape, len(found.evaluated), len(found.evaluated) - len(found.feasible))
    if rules.nodes_cut_off == "rejected":
        found = _with_rejected(found, np.setdiff1d(nodes.all_rows, rows))
    diagnosis.judge(found.evaluated, found.which, found.statuses)
    if len(nodes):
        processed = len(found.feasible) + diagnosis.explicit()
        ring = len(rows) if rules.search_goes_on_in_narrowed_nodes else len(every_row)
        if not ring:
            raise _panic(framework, cycle)
        search.next_start_node_index = (start + processed) % ring
    if found.error:
        raise SchedulingError(found.error)
    _ask_extenders(framework, cycle, diagnosis, found)
    if found.extenders and rules.extenders_are_blamed:
        diagnosis.unschedulable_plugins[EXTENDER_NAME] = None
    narrowed = outcome.node_names is not None or cycle.placement is not None
    emit(_nodes_filtered(framework, cycle, start, nominated, found, wanted, narrowed=narrowed, first=first))
    return found.feasible, diagnosis


def _with_rejected(found: _Found, cut_off: RowArray) -> _Found:
    """As if a filter had rejected the nodes that PreFilter left out."""
    if not len(cut_off):
        return found
    which = np.concatenate((np.full(len(cut_off), len(found.statuses) + 1, np.int16), found.which))
    evaluated = np.concatenate((cut_off, found.evaluated))
    return replace(found, evaluated=evaluated, which=which, statuses=[*found.statuses, CUT_OFF])


def _panic(framework: Framework, cycle: CycleState) -> SchedulerPanic:
    sentence = Message(
        "kube-scheduler {release} panics here (integer divide by zero): PreFilter leaves only nodes that do not exist "
        "to {pod}",
        release=framework.release.version,
        pod=cycle.pod.key,
    )
    return SchedulerPanic(sentence)


def _wanted(framework: Framework, search: Search, nodes: int) -> int:
    """Nobody scores: the first feasible node will do."""
    somebody_scores = framework.at(ScorePlugin) or framework.release.rules.search_ignores_who_scores
    if somebody_scores or any(extender.filters or extender.prioritizes for extender in framework.extenders):
        return num_feasible_nodes_to_find(framework, search, nodes)
    return 1


def _find_nodes_that_pass_filters(
    framework: Framework, cycle: CycleState, start: int, rows: RowArray, wanted: int, expected: int
) -> _Found:
    """Walk the ring from `start` until one more feasible node than wanted has shown up.

    That last one is not counted, but nodes rejected on the way to it are. A node at which a plugin fails ends the walk,
    too. The ring is evaluated in slices, the first one as long as the walk is `expected` to be.
    """
    if not len(rows):
        return _Found(rows, rows, np.empty(0, np.int16), [])
    results: list[FilterResult] = []
    asked: list[RowArray] = []
    done, feasible, size = 0, 0, min(max(wanted, expected), 4 * wanted) + 1
    while done < len(rows) and feasible <= wanted:
        asked.append(_along_ring(rows, start + done, min(size, len(rows) - done)))
        results.append(framework.run_filters(cycle, asked[-1]))
        which = results[-1].which
        feasible += len(which) - (int(np.count_nonzero(which)) if results[-1].statuses else 0)
        done += size
        size = max(2 * (wanted + 1 - feasible), size // 2, 64)
    which, statuses = _joined(results)
    evaluated = asked[0] if len(asked) == 1 else np.concatenate(asked)
    if not statuses:
        evaluated = evaluated[:wanted]
        return _Found(evaluated, evaluated, which[:wanted], [])
    passed = (which == 0).nonzero()[0]
    end = int(passed[wanted]) if len(passed) > wanted else len(which)
    end, error = _before_errors(which[:end], statuses)
    evaluated, passed = evaluated[:end], passed[: passed.searchsorted(end)]
    which, statuses = _occurring(which[:end], statuses)
    return _Found(evaluated[passed], evaluated, which, statuses, error=error)


def _before_errors(which: NDArray[np.int16], statuses: Sequence[Status]) -> tuple[int, str]:
    """How many nodes come before one at which a plugin failed, and the error that ended the walk, if one did."""
    failing = [number for number, status in enumerate(statuses, 1) if status.code is Code.ERROR]
    failed = np.isin(which, failing).nonzero()[0] if failing else _NO_ROWS
    if not len(failed):
        return len(which), ""
    return int(failed[0]), statuses[which[failed[0]] - 1].message


def _joined(results: Sequence[FilterResult]) -> tuple[NDArray[np.int16], Sequence[Status]]:
    """One result after the other as one."""
    if len(results) == 1:
        return results[0].which, results[0].statuses
    statuses: list[Status] = []
    parts = []
    for result in results:
        parts.append(np.where(result.which > 0, result.which + len(statuses), 0))
        statuses += result.statuses
    return np.concatenate(parts).astype(np.int16), statuses


def _occurring(which: NDArray[np.int16], statuses: Sequence[Status]) -> tuple[NDArray[np.int16], list[Status]]:
    """Without statuses that no row has, and equal ones as one."""
    number: dict[Status, int] = {}
    codes = [0] * (len(statuses) + 1)
    for i, rows in enumerate(np.bincount(which).tolist()):
        if i and rows:
            codes[i] = number.setdefault(statuses[i - 1], len(number) + 1)
    if len(number) == len(statuses):
        return which, list(number)
    return np.array(codes, np.int16)[which], list(number)


def _along_ring(rows: RowArray, start: int, count: int) -> RowArray:
    """`count` rows from position `start` on, going round."""
    start %= len(rows)
    if start + count <= len(rows):
        return rows[start : start + count]
    return np.concatenate((rows[start:], rows[: start + count - len(rows)]))


def _evaluate_nominated_node(
    framework: Framework, cycle: CycleState, node_name: str, start: int, diagnosis: Diagnosis
) -> _Found | None:
    """The node that the pod is nominated to, or is hinted at, is tried first, whatever PreFilter narrowed."""
    row = framework.cluster.nodes.row_of.get(node_name)
    if row is None or (cycle.placement is not None and row not in cycle.placement):
        return None
    try:
        found = _find_nodes_that_pass_filters(framework, cycle, start, np.array([row], np.intp), 1, 0)
        if found.error:
            return None
        diagnosis.judge(found.evaluated, found.which, found.statuses)
        _ask_extenders(framework, cycle, diagnosis, found)
    except SchedulingError:
        return None
    return found


def _ask_extenders(framework: Framework, cycle: CycleState, diagnosis: Diagnosis, found: _Found) -> None:
    """findNodesThatPassExtenders; a failing extender that is not ignorable ends the attempt."""
    if not framework.extenders or not len(found.feasible):
        return
    nodes = [framework.cluster.nodes.nodes[row] for row in found.feasible.tolist()]
    try:
        kept, rejections, cycle.bare_nodes = find_nodes_that_pass_extenders(framework.extenders, cycle.pod, nodes)
    except ExtenderError as error:
        raise SchedulingError(str(error)) from error
    if rejections:
        rows = found.feasible[[rejection.position for rejection in rejections]]
        numbers = np.arange(1, len(rejections) + 1, dtype=np.int16)
        diagnosis.judge(rows, numbers, [rejection.status for rejection in rejections])
        found.extenders += [(one.extender, nodes[one.position].name, one.status.message) for one in rejections]
        found.feasible = found.feasible[kept]


def _pre_filter_finished(outcome: PreFilterOutcome, plan: FilterPlan, rules: Rules) -> PreFilterFinished:
    """The trace's record; the common one, where nothing was rejected or narrowed, is made once for each plan."""
    if not outcome.status.is_success or outcome.node_names is not None:
        return _as_record(outcome, rules)
    if plan.pre_filter is None:
        plan.pre_filter = _as_record(outcome, rules)
    return plan.pre_filter


def _as_record(outcome: PreFilterOutcome, rules: Rules) -> PreFilterFinished:
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


def _nodes_filtered(
    framework: Framework,
    cycle: CycleState,
    start: int,
    nominated: _Found | None,
    found: _Found | None,
    wanted: int,
    *,
    narrowed: bool = False,
    first: str = "",
) -> NodesFiltered:
    """The trace's record; equal statuses share one verdict."""
    both = [part for part in (nominated, found) if part]
    statuses = dict.fromkeys(both[0].statuses if len(both) == 1 else [*both[0].statuses, *both[1].statuses])
    evaluated, verdict = _NO_ROWS, _NO_VERDICTS
    if found is not None:
        evaluated, verdict = found.evaluated, found.which
    if nominated is not None and nominated.statuses and len(verdict):
        number = {status: i for i, status in enumerate(statuses, 1)}
        verdict = np.array([0, *(number[status] for status in found.statuses)])[verdict]  # type: ignore[union-attr]
    return NodesFiltered(
        plugins=framework.filters.plan(cycle).names,
        start=start,
        evaluated=len(evaluated),
        total=len(framework.cluster.nodes) if cycle.placement is None else len(cycle.placement),
        nodes_to_find=wanted,
        verdicts=[_verdict(status) for status in statuses],
        verdict=encode_column(verdict) if statuses else 0,
        feasible=len((found or nominated).feasible) if both else 0,  # type: ignore[union-attr]
        rows=encode_rows(evaluated) if narrowed else None,
        nominated_first=first if nominated else None,
        hinted=bool(nominated) and not cycle.pod.nominated_node_name,
        nominated_verdict=1 if nominated and nominated.statuses else 0,
        two_passes=_two_passes(framework, cycle, evaluated),
        extenders=[rejected for part in both for rejected in part.extenders],
    )


@lru_cache(maxsize=1024)
def _verdict(status: Status) -> Verdict:
    return Verdict(status.plugin, status.code.label, list(status.reasons))


_NO_ROWS = np.empty(0, np.intp)
_NO_VERDICTS = np.empty(0, np.int16)


def _two_passes(framework: Framework, cycle: CycleState, evaluated: RowArray) -> list[str]:
    """Evaluated nodes that other pods are nominated to, which the pod must yield to."""
    if not framework.nominator:
        return []
    index, _ = framework.filters.nominated(cycle, evaluated, framework.nominator)
    names = framework.cluster.nodes.names
    return [names[row] for row in dict.fromkeys(evaluated[index].tolist())]
