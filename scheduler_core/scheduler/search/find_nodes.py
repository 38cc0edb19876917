"""The nodes that fit the pod: PreFilter, the nominated node, Filter in ring order, extenders.

Mirrors schedule_one.go: `find_nodes_that_fit_pod` is findNodesThatFitPod step by step. A step that differs between
releases reads its rule (`scheduler_core/releases/rules`).
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np
from msgspec.structs import replace

from scheduler_core.apis.messages import Message
from scheduler_core.cluster.node_tree_before_1_19 import NodeTreeBefore117
from scheduler_core.framework.cluster_event import EXTENDER_NAME
from scheduler_core.framework.interface import Code, CycleState, Diagnosis, ExtenderError, ScorePlugin, Status, Verdicts
from scheduler_core.framework.runtime.runtime import Framework, PreFilterOutcome
from scheduler_core.scheduler.search.extenders import find_nodes_that_pass_extenders
from scheduler_core.scheduler.search.fit_error import SchedulerPanic, SchedulingError
from scheduler_core.scheduler.search.passing_filters import (
    NO_ROWS,
    FilteredNodes,
    RowArray,
    find_nodes_that_pass_filters,
)
from scheduler_core.scheduler.search.search_events import nodes_filtered, pre_filter_finished
from scheduler_core.trace.events import AnyEvent, NodesFiltered

MIN_FEASIBLE_NODES_TO_FIND = 100
MIN_FEASIBLE_NODES_PERCENTAGE_TO_FIND = 5

FILTERED_OUT_BY_PRE_FILTER = Status(
    Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("node is filtered out by the prefilter result",)
)

Emit = Callable[[AnyEvent], None]


class Search(msgspec.Struct):
    """The state of the search that lasts from one attempt to the next."""

    percentage_of_nodes_to_score: int = 0
    next_start_node_index: int = 0
    last_node_index: int = 0  # counts the selections among equal nodes (`ties_are_taken_in_turn`)
    expected: dict[int, int] = {}  # the number of nodes that a search will evaluate, by the pod's shape

    def take_turn(self, ties: int) -> int:
        """Return the index of the next of `ties` equal nodes, in turn (`ties_are_taken_in_turn`)."""
        turn, self.last_node_index = self.last_node_index % ties, self.last_node_index + 1
        return turn

    def remember(self, shape: int, evaluated: int, rejected: int) -> None:
        """Update the number of nodes that the search for the next pod of this shape is expected to evaluate.

        It has a margin of an eighth of the rejected nodes, and decreases by at most an eighth per search.
        """
        self.expected[shape] = max(evaluated + rejected // 8, self.expected.get(shape, 0) * 7 // 8)


def find_nodes_that_fit_pod(
    framework: Framework, cycle: CycleState, search: Search, emit: Emit, hint: Callable[[], str] | None = None
) -> tuple[RowArray, Diagnosis]:
    """Return the feasible rows in search order and the diagnosis of the others.

    Raises SchedulingError, and SchedulerPanic where kube-scheduler panics. `hint` is called after PreFilter has
    succeeded; it returns the node to try first, or "".
    """
    diagnosis = Diagnosis(len(framework.cluster.nodes))
    if framework.release.rules.generic_scheduler:
        diagnosis.absent = Status(Code.UNSCHEDULABLE)  # preemption tries nodes that were not evaluated
    pre_filter = _run_pre_filter(framework, cycle, diagnosis, emit)
    if not pre_filter.status.is_success:
        return NO_ROWS, diagnosis
    framework.use_cached_results(cycle)

    start = search.next_start_node_index
    preferred = _node_to_try_first(framework, cycle, hint)
    nominated = _evaluate_nominated_node(framework, cycle, diagnosis, preferred) if preferred else None
    if nominated is not None and len(nominated.feasible):
        _emit_search(framework, cycle, emit, nodes_filtered(framework, cycle, start, 1, preferred, nominated))
        return nominated.feasible, diagnosis

    rows = _rows_to_filter(framework, cycle, diagnosis, pre_filter)
    num_nodes_to_find = _num_nodes_to_find(framework, search, len(rows))
    filtered = _run_filters(framework, cycle, diagnosis, search, rows, num_nodes_to_find)
    _advance_start(framework, cycle, diagnosis, search, rows, filtered)
    if not filtered.error:
        _run_extenders(framework, cycle, diagnosis, filtered)
        if filtered.extender_rejections and framework.release.rules.extenders_are_blamed:
            diagnosis.unschedulable_plugins[EXTENDER_NAME] = None

    narrowed = pre_filter.node_names is not None or cycle.placement is not None
    searched = nodes_filtered(
        framework, cycle, start, num_nodes_to_find, preferred, nominated, filtered, narrowed=narrowed
    )
    _emit_search(framework, cycle, emit, searched)
    if filtered.error:
        raise SchedulingError(filtered.error)
    return filtered.feasible, diagnosis


def _node_to_try_first(framework: Framework, cycle: CycleState, hint: Callable[[], str] | None) -> str:
    """Return the nominated node, otherwise the hinted node, "" if there is neither."""
    hinted = hint() if hint is not None else ""
    nominated = "" if framework.release.rules.generic_scheduler else cycle.pod.nominated_node_name
    return nominated or hinted


def _emit_search(framework: Framework, cycle: CycleState, emit: Emit, searched: NodesFiltered) -> None:
    """Emit the search over nodes, then the searches of plugins, such as for devices."""
    emit(searched)
    for plugin in framework.recorders:
        state = cycle.states.get(plugin.name)
        event = plugin.record_search(cycle.pod, state) if state is not None else None
        if event is not None:
            emit(event)


def _run_pre_filter(framework: Framework, cycle: CycleState, diagnosis: Diagnosis, emit: Emit) -> PreFilterOutcome:
    """Run PreFilter, add a rejection to the diagnosis, and return the result. Raises SchedulingError for an error."""
    rules = framework.release.rules
    outcome = framework.run_pre_filter(cycle)
    emit(pre_filter_finished(framework, cycle, outcome))
    status = outcome.status
    if rules.narrowing_plugins_are_blamed:
        diagnosis.unschedulable_plugins = dict.fromkeys(outcome.narrowed_by)
    if status.is_error:
        raise SchedulingError(status.message)
    if not status.is_success:
        diagnosis.absent = status if rules.pre_filter_rejects_every_node else Status()
        if not rules.pre_filter_reasons_are_counted:
            diagnosis.pre_filter_message = status.message
        diagnosis.blame(status)
    return outcome


def _evaluate_nominated_node(
    framework: Framework, cycle: CycleState, diagnosis: Diagnosis, node_name: str
) -> FilteredNodes | None:
    """Return the result of filtering only the nominated or hinted node.

    None if the node does not exist or is not in the placement, or if a plugin or extender fails.
    """
    row = framework.cluster.nodes.row_of.get(node_name)
    if row is None or (cycle.placement is not None and row not in cycle.placement):
        return None
    try:
        filtered = find_nodes_that_pass_filters(framework, cycle, 0, np.array([row], np.intp), num_nodes_to_find=1)
        if filtered.error:
            return None
        diagnosis.judge(filtered.evaluated, filtered.verdicts)
        _run_extenders(framework, cycle, diagnosis, filtered)
    except SchedulingError:
        return None
    return filtered


def _rows_to_filter(
    framework: Framework, cycle: CycleState, diagnosis: Diagnosis, pre_filter: PreFilterOutcome
) -> RowArray:
    """Return the rows that PreFilter left, or all rows (of the placement), and set the status of the others.

    Raises SchedulingError if a node that PreFilter named must exist and does not.
    """
    nodes, rules, names = framework.cluster.nodes, framework.release.rules, pre_filter.node_names
    all_rows = nodes.all_rows if cycle.placement is None else cycle.placement
    if names is None:
        return all_rows
    missing = sorted(name for name in names if name not in nodes.row_of)
    if missing and rules.nodes_named_by_pre_filter_must_exist:
        raise SchedulingError(f'nodeinfo not found for node name "{missing[0]}"')
    if rules.nodes_excluded_by_pre_filter == "reported":
        plugins = " ".join(sorted(diagnosis.unschedulable_plugins))  # with those that rejected the nominated node
        reason = f"node(s) didn't satisfy plugin(s) [{plugins}]"
        diagnosis.absent = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (reason,))
    elif rules.nodes_excluded_by_pre_filter == "without status":
        diagnosis.absent = Status()
    rows = np.array(sorted(nodes.row_of[name] for name in names if name in nodes.row_of), np.intp)
    return rows if cycle.placement is None else np.intersect1d(rows, all_rows)


def _num_nodes_to_find(framework: Framework, search: Search, nodes: int) -> int:
    """Return the number of feasible nodes to find.

    Since 1.30, it is 1 if no plugin scores nodes and no extender filters or scores them: the first one is then used.
    """
    scores = framework.at(ScorePlugin) or framework.release.rules.search_ignores_scorers
    if scores or any(extender.filters or extender.prioritizes for extender in framework.extenders):
        return num_feasible_nodes_to_find(framework, search, nodes)
    return 1


def num_feasible_nodes_to_find(framework: Framework, search: Search, nodes: int) -> int:
    """Return the number of feasible nodes to find: a percentage of the nodes, but at least 100; all if fewer exist.

    Without a configured percentage it is 50, less 1 for every 125 nodes, but at least 5.
    """
    if nodes < MIN_FEASIBLE_NODES_TO_FIND:
        return nodes
    percentage = framework.profile.percentage_of_nodes_to_score
    if percentage is None:
        percentage = search.percentage_of_nodes_to_score
    if percentage == 0:
        percentage = max(50 - nodes // 125, MIN_FEASIBLE_NODES_PERCENTAGE_TO_FIND)
    return max(nodes * percentage // 100, MIN_FEASIBLE_NODES_TO_FIND)


def _run_filters(
    framework: Framework,
    cycle: CycleState,
    diagnosis: Diagnosis,
    search: Search,
    rows: RowArray,
    num_nodes_to_find: int,
) -> FilteredNodes:
    """Filter the nodes from the end of the last search, and add the rejections to the diagnosis.

    Return the feasible and the evaluated nodes.
    """
    start, expected = search.next_start_node_index, search.expected.get(cycle.shape, 0)
    filtered = find_nodes_that_pass_filters(framework, cycle, start, rows, num_nodes_to_find, expected)
    evaluated = len(filtered.evaluated)
    search.remember(cycle.shape, evaluated, evaluated - len(filtered.feasible))
    if framework.release.rules.nodes_excluded_by_pre_filter == "rejected":
        filtered = _reject(filtered, np.setdiff1d(framework.cluster.nodes.all_rows, rows))
    diagnosis.judge(filtered.evaluated, filtered.verdicts)
    return filtered


def _reject(filtered: FilteredNodes, rows: RowArray) -> FilteredNodes:
    """Return the result with rejections for the rows that PreFilter excluded."""
    if not len(rows):
        return filtered
    evaluated = np.concatenate((rows, filtered.evaluated))
    excluded = Verdicts.reject(np.arange(len(evaluated)) < len(rows), FILTERED_OUT_BY_PRE_FILTER)
    verdicts = filtered.verdicts.spread(slice(len(rows), None), len(evaluated)).override(excluded)
    return replace(filtered, evaluated=evaluated, verdicts=verdicts)


def _advance_start(
    framework: Framework,
    cycle: CycleState,
    diagnosis: Diagnosis,
    search: Search,
    rows: RowArray,
    filtered: FilteredNodes,
) -> None:
    """Let the next search start after the nodes that are feasible or have a status. Raises SchedulerPanic."""
    nodes = len(framework.cluster.nodes) if cycle.placement is None else len(cycle.placement)
    ring = len(rows) if framework.release.rules.search_position_counts_narrowed_nodes else nodes
    if not ring:
        raise _divide_by_zero(framework, cycle)
    if framework.release.rules.nodes_are_taken_from_the_tree:
        tree, evaluated = framework.cluster.tree, len(filtered.evaluated)
        assert isinstance(tree, NodeTreeBefore117)
        tree.take(evaluated + (evaluated < len(rows)))  # a search that ends early has taken one more feasible node
        return
    # a node that occurs twice in the list has one status
    processed = len(filtered.feasible) + diagnosis.count_explicit()
    search.next_start_node_index = (search.next_start_node_index + processed) % ring


def _divide_by_zero(framework: Framework, cycle: CycleState) -> SchedulerPanic:
    sentence = Message(
        "kube-scheduler {release} panics here (integer divide by zero): PreFilter leaves only nodes that do not exist "
        "to {pod}",
        release=framework.release.version,
        pod=cycle.pod.key,
    )
    return SchedulerPanic(sentence)


def _run_extenders(framework: Framework, cycle: CycleState, diagnosis: Diagnosis, filtered: FilteredNodes) -> None:
    """Remove the nodes that extenders reject from the feasible ones (findNodesThatPassExtenders).

    Raises SchedulingError if an extender fails that is not ignorable.
    """
    if not framework.extenders or not len(filtered.feasible):
        return
    nodes = [framework.cluster.nodes.nodes[row] for row in filtered.feasible.tolist()]
    try:
        remaining, rejections, cycle.bare_nodes = find_nodes_that_pass_extenders(framework.extenders, cycle.pod, nodes)
    except ExtenderError as error:
        raise SchedulingError(str(error)) from error
    if rejections:
        rows = filtered.feasible[[rejection.position for rejection in rejections]]
        numbers = np.arange(1, len(rejections) + 1, dtype=np.int16)
        diagnosis.judge(rows, Verdicts(numbers, [rejection.status for rejection in rejections]))
        filtered.extender_rejections += [
            (rejection.extender, nodes[rejection.position].name, rejection.status.message) for rejection in rejections
        ]
        filtered.feasible = filtered.feasible[remaining]
