"""Which nodes fit the pod: PreFilter, Filter along the ring, extenders (schedule_one.go: findNodesThatFitPod)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from scheduler_core.columns import encode_column, encode_rows
from scheduler_core.extenders import EXTENDER_NAME, find_nodes_that_pass_extenders
from scheduler_core.fit_error import SchedulingError
from scheduler_core.framework.interface import Code, CycleState, Diagnosis, ExtenderError, Status
from scheduler_core.framework.runtime import Framework, PreFilterOutcome
from scheduler_core.trace import AnyEvent, NodesFiltered, PreFilterFinished, PreFilterResult, Verdict

MIN_FEASIBLE_NODES_TO_FIND = 100
MIN_FEASIBLE_NODES_PERCENTAGE_TO_FIND = 5

Emit = Callable[[AnyEvent], None]
RowArray = NDArray[np.intp]


@dataclass(slots=True)
class Search:
    """What the search for nodes carries from one attempt to the next, and how far it goes."""

    percentage_of_nodes_to_score: int = 0
    next_start_node_index: int = 0


@dataclass(slots=True)
class _Found:
    """Feasible rows in the order found; for the trace the rows evaluated, with a number into `verdicts` each."""

    feasible: RowArray
    evaluated: RowArray
    which: NDArray[np.int16]
    statuses: list[Status]
    extenders: list[tuple[str, str, str]] = field(default_factory=list)


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
    framework: Framework, cycle: CycleState, search: Search, emit: Emit
) -> tuple[RowArray, Diagnosis]:
    """Feasible rows in the order found, and why the others were turned down. Raises SchedulingError."""
    nodes = framework.cluster.nodes
    diagnosis = Diagnosis(np.zeros(len(nodes), np.int16))
    outcome = framework.run_pre_filter(cycle)
    emit(_pre_filter_finished(outcome))
    diagnosis.unschedulable_plugins = dict.fromkeys(outcome.narrowed_by)
    if outcome.status.code == Code.ERROR:
        raise SchedulingError(outcome.status.message)
    if not outcome.status.is_success:
        diagnosis.absent = outcome.status
        diagnosis.pre_filter_message = outcome.status.message
        add_plugin_status(diagnosis, outcome.status)
        return np.empty(0, np.intp), diagnosis
    framework.recall(cycle)
    nominated = _evaluate_nominated_node(framework, cycle, search, diagnosis)
    if nominated is not None and len(nominated.feasible):
        emit(_nodes_filtered(framework, cycle, search, diagnosis, nominated, None, 1))
        return nominated.feasible, diagnosis
    rows = nodes.all_rows
    if outcome.node_names is not None:
        rows = np.array(sorted(nodes.row_of[name] for name in outcome.node_names if name in nodes.row_of), np.intp)
        listed = " ".join(outcome.narrowed_by)
        diagnosis.absent = Status(
            Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (f"node(s) didn't satisfy plugin(s) [{listed}]",)
        )
    wanted = _wanted(framework, search, len(rows))
    found = _find_nodes_that_pass_filters(framework, cycle, search, rows, wanted)
    _diagnose(diagnosis, found)
    filtered = found.feasible
    start = search.next_start_node_index
    if len(nodes):
        processed = len(filtered) + diagnosis.explicit()
        search.next_start_node_index = (start + processed) % len(nodes)
    _ask_extenders(framework, cycle, diagnosis, found)
    narrowed = outcome.node_names is not None
    emit(_nodes_filtered(framework, cycle, Search(0, start), diagnosis, nominated, found, wanted, narrowed=narrowed))
    return found.feasible, diagnosis


def add_plugin_status(diagnosis: Diagnosis, status: Status) -> None:
    """Diagnosis.AddPluginStatus: remember which plugin to ask when the cluster changes."""
    if not status.plugin:
        return
    if status.code == Code.PENDING:
        diagnosis.pending_plugins[status.plugin] = None
    elif status.is_rejected:
        diagnosis.unschedulable_plugins[status.plugin] = None


def _wanted(framework: Framework, search: Search, nodes: int) -> int:
    """Nobody scores: the first feasible node will do."""
    if any(extender.filters or extender.prioritizes for extender in framework.extenders) or framework.at("score"):
        return num_feasible_nodes_to_find(framework, search, nodes)
    return 1


def _find_nodes_that_pass_filters(
    framework: Framework, cycle: CycleState, search: Search, rows: RowArray, wanted: int
) -> _Found:
    """Walk the ring from nextStartNodeIndex until one more feasible node than wanted has shown up.

    That last one is not counted, but nodes rejected on the way to it are. The ring is evaluated in growing slices.
    """
    if not len(rows):
        return _Found(rows, rows, np.empty(0, np.int16), [])
    start = search.next_start_node_index % len(rows)
    parts: list[NDArray[np.int16]] = []
    statuses: list[Status] = []
    done, feasible, size = 0, 0, wanted + 1
    asked: list[RowArray] = []
    while done < len(rows) and feasible <= wanted:
        asked.append(_along_ring(rows, start + done, min(size, len(rows) - done)))
        result = framework.run_filters(cycle, asked[-1])
        which = result.which
        if parts and statuses:
            which = np.where(which > 0, which + len(statuses), 0).astype(np.int16)
        parts.append(which)
        statuses += result.statuses
        feasible += len(which) - int(np.count_nonzero(which))
        done += size
        size = max(2 * (wanted + 1 - feasible), size // 2, 64)
    which, evaluated = (parts[0], asked[0]) if len(parts) == 1 else (np.concatenate(parts), np.concatenate(asked))
    if not statuses:
        evaluated = evaluated[:wanted]
        return _Found(evaluated, evaluated, which[:wanted], statuses)
    passed = np.flatnonzero(which == 0)
    if len(passed) > wanted:
        which, evaluated = which[: passed[wanted]], evaluated[: passed[wanted]]
        passed = passed[:wanted]
    _raise_errors(which, statuses)
    return _Found(evaluated if len(passed) == len(evaluated) else evaluated[passed], evaluated, which, statuses)


def _along_ring(rows: RowArray, start: int, count: int) -> RowArray:
    """`count` rows from position `start` on, going round."""
    start %= len(rows)
    if start + count <= len(rows):
        return rows[start : start + count]
    return np.concatenate((rows[start:], rows[: start + count - len(rows)]))


def _raise_errors(which: NDArray[np.int16], statuses: Sequence[Status]) -> None:
    for number, status in enumerate(statuses, 1):
        if status.code is Code.ERROR and (which == number).any():
            raise SchedulingError(status.message)


def _evaluate_nominated_node(
    framework: Framework, cycle: CycleState, search: Search, diagnosis: Diagnosis
) -> _Found | None:
    """A pod with a nominated node tries that one first, whatever PreFilter narrowed."""
    row = framework.cluster.nodes.row_of.get(cycle.pod.nominated_node_name)
    if row is None:
        return None
    try:
        found = _find_nodes_that_pass_filters(framework, cycle, search, np.array([row], np.intp), 1)
        _diagnose(diagnosis, found)
        _ask_extenders(framework, cycle, diagnosis, found)
    except SchedulingError:
        return None
    return found


def _diagnose(diagnosis: Diagnosis, found: _Found) -> None:
    """Write explicit statuses of the evaluated nodes."""
    if not found.statuses or not found.which.any():
        return
    diagnosis.which[found.evaluated] = np.where(found.which > 0, found.which + len(diagnosis.statuses), 0)
    diagnosis.statuses += found.statuses
    present = set(np.flatnonzero(np.bincount(found.which)).tolist())
    for number, status in enumerate(found.statuses, 1):
        if number in present:
            add_plugin_status(diagnosis, status)


def _ask_extenders(framework: Framework, cycle: CycleState, diagnosis: Diagnosis, found: _Found) -> None:
    """findNodesThatPassExtenders; a failing extender that is not ignorable ends the attempt."""
    if not framework.extenders or not len(found.feasible):
        return
    nodes = [framework.cluster.nodes.nodes[row] for row in found.feasible.tolist()]
    try:
        kept, rejections = find_nodes_that_pass_extenders(framework.extenders, cycle.pod, nodes)
    except ExtenderError as error:
        raise SchedulingError(str(error)) from error
    for rejection in rejections:
        diagnosis.statuses.append(rejection.status)
        diagnosis.which[found.feasible[rejection.position]] = len(diagnosis.statuses)
        found.extenders.append((rejection.extender, nodes[rejection.position].name, rejection.status.message))
    if rejections:
        diagnosis.unschedulable_plugins[EXTENDER_NAME] = None
        found.feasible = found.feasible[kept]


def _pre_filter_finished(outcome: PreFilterOutcome) -> PreFilterFinished:
    """The trace's record; the common one, where nothing was rejected or narrowed, is made once."""
    status = outcome.status
    if not status.is_success or outcome.node_names is not None:
        return _as_record(outcome)
    key = tuple((name, result.status.code) for name, result in outcome.results)
    found = _PLAIN.get(key)
    if found is None:
        found = _PLAIN[key] = _as_record(outcome)
    return found


_PLAIN: dict[tuple[tuple[str, Code], ...], PreFilterFinished] = {}


def _as_record(outcome: PreFilterOutcome) -> PreFilterFinished:
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
    rejected_by = status.plugin or ",".join(outcome.narrowed_by)
    return PreFilterFinished(results, rejected_by, status.code.label, list(status.reasons), nodes)


def _nodes_filtered(
    framework: Framework,
    cycle: CycleState,
    search: Search,
    diagnosis: Diagnosis,
    nominated: _Found | None,
    found: _Found | None,
    wanted: int,
    *,
    narrowed: bool = False,
) -> NodesFiltered:
    """The trace's record; equal statuses share one verdict."""
    nodes = framework.cluster.nodes
    number: dict[Status, int] = {}
    if nominated is None and found is not None and not found.extenders and len(found.feasible) == len(found.evaluated):
        return NodesFiltered(
            plugins=framework.filters.names(cycle),
            start=search.next_start_node_index,
            evaluated=len(found.evaluated),
            total=len(nodes),
            nodes_to_find=wanted,
            verdicts=[],
            verdict=0,
            feasible=len(found.feasible),
            rows=encode_rows(found.evaluated) if narrowed else None,
            two_passes=_two_passes(framework, cycle, found.evaluated),
        )
    statuses = [*(nominated.statuses if nominated else ()), *(found.statuses if found else ())]
    codes = np.array([0, *(number.setdefault(status, len(number) + 1) for status in statuses)], np.int64)
    shift = len(nominated.statuses) if nominated else 0
    evaluated = found.evaluated if found else np.empty(0, np.intp)
    which = found.which.astype(np.intp) if found else np.empty(0, np.intp)
    verdict = codes[np.where(which > 0, which + shift, 0)]
    both = [part for part in (nominated, found) if part]
    return NodesFiltered(
        plugins=framework.filters.names(cycle),
        start=search.next_start_node_index,
        evaluated=len(evaluated),
        total=len(nodes),
        nodes_to_find=wanted,
        verdicts=[Verdict(status.plugin, status.code.label, list(status.reasons)) for status in number],
        verdict=encode_column(verdict),
        feasible=len((found or nominated).feasible) if both else 0,  # type: ignore[union-attr]
        rows=encode_rows(evaluated) if narrowed else None,
        nominated_first=cycle.pod.nominated_node_name if nominated else None,
        nominated_verdict=int(codes[nominated.which[0]]) if nominated and len(nominated.which) else 0,
        two_passes=_two_passes(framework, cycle, evaluated),
        extenders=[rejected for part in both for rejected in part.extenders],
    )


def _two_passes(framework: Framework, cycle: CycleState, evaluated: RowArray) -> list[str]:
    """Evaluated nodes that other pods are nominated to, which the pod must yield to."""
    if not framework.nominator:
        return []
    pod, rows = cycle.pod, set(evaluated.tolist())
    return [
        name
        for name in framework.nominator.nodes()
        if framework.cluster.nodes.row_of.get(name) in rows
        and any(o.priority >= pod.priority and o.key != pod.key for o in framework.nominator.pods_on(name))
    ]
