"""The selection of victims on many nodes at once (default_preemption.go: SelectVictimsOnNode).

On every node, all pods of lower priority are removed first. If the preemptor then fits, they are restored one by one:
first those whose eviction would violate a budget, and more important pods before others. A pod with which the preemptor
no longer fits becomes a victim. The n-th pods of all nodes are restored together, so a batch of nodes needs as many
filter runs as the largest number of lower-priority pods on any of its nodes, and no loop over nodes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.core import PodDisruptionBudget
from scheduler_core.framework.interface import Code, CycleState, Handle, Status, Verdicts, WhatIf
from scheduler_core.plugins.default_preemption.budgets import violating, violating_before_1_19
from scheduler_core.plugins.default_preemption.pick_one_node import PRIORITY_OFFSET, Criteria

NO_VICTIMS = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("No preemption victims found for incoming pod",))

Ints = NDArray[np.intp]
Flags = NDArray[np.bool_]


class PodsOfNodes(msgspec.Struct, frozen=True):
    """Pods grouped by the nodes of a batch: those of node i are `slots[bounds[i]:bounds[i + 1]]`."""

    slots: Ints
    index: Ints  # the node of every pod, ascending
    bounds: Ints

    @staticmethod
    def of(slots: Ints, index: Ints, nodes: int) -> PodsOfNodes:
        bounds = np.zeros(nodes + 1, np.intp)
        np.bincount(index, minlength=nodes).cumsum(out=bounds[1:])
        return PodsOfNodes(slots, index, bounds)

    @property
    def counts(self) -> Ints:
        """Return the number of pods in each group."""
        return self.bounds[1:] - self.bounds[:-1]

    def of_node(self, node: int) -> list[int]:
        """Return the slots of one group."""
        slots: list[int] = self.slots[self.bounds[node] : self.bounds[node + 1]].tolist()
        return slots

    def of_nodes(self, nodes: Ints) -> Ints:
        """Return positions in `slots` of the pods of some nodes, group by group."""
        first, count = self.bounds[nodes], self.counts[nodes]
        shift: Ints = (first - count.cumsum() + count).repeat(count)
        return np.arange(len(shift)) + shift

    def rank(self) -> Ints:
        """Return the index of every pod in its group."""
        return np.arange(len(self.slots)) - self.bounds[self.index]


class DryRunBatch(msgspec.Struct, frozen=True):
    """The dry runs of a batch of nodes. The nodes that pass are candidates.

    `removed` are the lower-priority pods in order of removal, `tried` those of candidates in the order in which they
    are restored, with `reprieved` and `violates` per pod. `victims` are ordered by importance; in releases that do not
    sort them again (`victims_are_sorted_again`), those that violate a budget come first.
    """

    rows: Ints
    verdicts: Verdicts
    removed: PodsOfNodes  # including nodes that are not candidates
    tried: PodsOfNodes
    reprieved: Flags
    violates: Flags
    victims: PodsOfNodes
    pdb_violations: NDArray[np.int64]  # victims that violate a budget, per node


def dry_run(handle: Handle, cycle: CycleState, rows: Ints, budgets: Sequence[PodDisruptionBudget]) -> DryRunBatch:
    """Return the dry runs on `rows`: the victims on each node, or the reason that it is not a candidate."""
    removed = _lower_priority_pods(handle, cycle, rows)
    verdicts = _verdicts_without(handle, cycle, rows, removed)
    if not verdicts.passes.any():
        no_pods = PodsOfNodes.of(removed.slots[:0], removed.index[:0], len(rows))
        none = np.zeros(0, np.bool_)
        return DryRunBatch(rows, verdicts, removed, no_pods, none, none, no_pods, np.zeros(len(rows), np.int64))
    on_candidate = verdicts.passes[removed.index]
    slots, index = removed.slots[on_candidate], removed.index[on_candidate]
    ranked = PodsOfNodes.of(slots[_by_importance(handle, slots, index)], index, len(rows))
    tried, violates = _violating_first(handle, ranked, budgets)
    reprieved = _reprieve(handle, cycle, rows, tried)
    as_tried = not (budgets and handle.release.rules.victims_are_sorted_again)
    victims = _victims(handle, tried, reprieved, len(rows), in_order=as_tried)
    without_victims = (verdicts.passes & (victims.counts == 0)).nonzero()[0]
    if len(without_victims):
        names = [handle.cluster.nodes.names[row] for row in rows[without_victims].tolist()]
        errors = [Status(Code.ERROR, (f'expected at least one victim pod on node "{name}"',)) for name in names]
        failed = Verdicts(np.arange(1, len(errors) + 1, dtype=np.int16), errors)
        verdicts = verdicts.override(failed.spread(without_victims, len(rows)))
    violations = np.bincount(tried.index[violates & ~reprieved], minlength=len(rows))
    return DryRunBatch(rows, verdicts, removed, tried, reprieved, violates, victims, violations)


def criteria(handle: Handle, runs: DryRunBatch, positions: Ints) -> Criteria:
    """Return the values that pick_one_node compares, for nodes of the batch that have victims."""
    pods, victims = handle.cluster.pods, runs.victims
    count, slots = victims.counts[positions], victims.slots[victims.of_nodes(positions)]
    heads = count.cumsum() - count
    priority = pods.priority[slots]
    highest = priority[heads]
    top = np.maximum.reduceat(priority, heads)  # equal to `highest` if the victims are sorted by importance
    sums = np.add.reduceat(priority + PRIORITY_OFFSET, heads)
    starts = np.where(priority == top.repeat(count), pods.start[slots], np.inf)
    return Criteria(runs.pdb_violations[positions], highest, sums, count, np.minimum.reduceat(starts, heads))


def _lower_priority_pods(handle: Handle, cycle: CycleState, rows: Ints) -> PodsOfNodes:
    """Return the pods that may be evicted, in the order of their nodes' pod lists."""
    pods = handle.cluster.pods
    lists = pods.on_rows(rows)
    counts = np.fromiter(map(len, lists), np.intp, len(lists))
    slots = np.fromiter(chain.from_iterable(lists), np.intp, int(counts.sum()))
    index = np.arange(len(rows)).repeat(counts)
    lower = pods.priority[slots] < cycle.pod.priority
    return PodsOfNodes.of(slots[lower], index[lower], len(rows))


def _verdicts_without(handle: Handle, cycle: CycleState, rows: Ints, removed: PodsOfNodes) -> Verdicts:
    """Return the verdicts after the removal of the pods; a node without pods to remove is rejected with NO_VICTIMS."""
    has_pods = removed.counts > 0
    verdicts = Verdicts(np.array(~has_pods, np.int16), [NO_VICTIMS])
    with_pods = has_pods.nonzero()[0]
    if len(with_pods) and cycle.remove_pod_error:
        return verdicts.override(Verdicts.reject(has_pods, Status(Code.ERROR, (cycle.remove_pod_error,))))
    if len(with_pods):
        what_if = _what_if_without(rows, with_pods, removed)
        return verdicts.override(handle.run_filters(cycle, what_if.rows, what_if).spread(with_pods, len(rows)))
    return verdicts


def _what_if_without(rows: Ints, positions: Ints, pods: PodsOfNodes) -> WhatIf:
    """Return a what-if that removes `pods` from the rows at `positions` (ascending), on which all of them are."""
    if len(positions) == len(rows):
        compact, row_indices = pods.index, rows
    else:
        number = np.zeros(len(rows), np.intp)
        number[positions] = np.arange(len(positions))
        compact, row_indices = number[pods.index], rows[positions]
    return WhatIf(row_indices, compact, pods.slots, np.full(len(pods.slots), -1, np.int64))


def _reprieve(handle: Handle, cycle: CycleState, rows: Ints, tried: PodsOfNodes) -> Flags:
    """Return a bool per pod: whether the preemptor still fits if the pod stays.

    The n-th pods of all nodes are evaluated together.
    """
    reprieved = np.zeros(len(tried.slots), np.bool_)
    positions = tried.counts.nonzero()[0]
    if not len(positions):
        return reprieved
    what_if = _what_if_without(rows, positions, tried)
    limits = handle.counter_limits(cycle, what_if)
    for rank in range(int(tried.counts.max())):
        given_back = tried.bounds[:-1][tried.counts > rank] + rank
        index = what_if.index[given_back]
        if limits is not None:
            reprieved[given_back] = limits.give_back(given_back, index)
            continue
        what_if.set_sign(given_back, 0)
        fits = handle.run_filters(cycle, what_if.rows, what_if).passes[index]
        what_if.set_sign(given_back[~fits], -1)
        reprieved[given_back] = fits
    return reprieved


def _violating_first(
    handle: Handle, ranked: PodsOfNodes, budgets: Sequence[PodDisruptionBudget]
) -> tuple[PodsOfNodes, Flags]:
    """Return the pods in the order of reprieve and, per pod, whether its eviction violates a budget."""
    if not budgets:
        return ranked, np.zeros(len(ranked.slots), np.bool_)
    allowed, use_up = _allowed_disruptions(handle, budgets), handle.release.rules.victims_use_up_budgets
    if use_up == "all":
        violates = violating(handle.cluster.pods, ranked.slots, ranked.index, budgets, allowed)
    else:
        violates = violating_before_1_19(
            handle.cluster.pods, ranked.slots, ranked.index, budgets, allowed, use_up=use_up == "until violated"
        )
    order = np.lexsort((np.arange(len(violates)), ~violates, ranked.index))
    return PodsOfNodes(ranked.slots[order], ranked.index, ranked.bounds), violates[order]


def _allowed_disruptions(handle: Handle, budgets: Sequence[PodDisruptionBudget]) -> list[int]:
    allowed: Mapping[str, int] = handle.disruptions_allowed()
    return [allowed[f"{budget.namespace}/{budget.name}"] for budget in budgets]


def _victims(handle: Handle, tried: PodsOfNodes, reprieved: Flags, nodes: int, *, in_order: bool) -> PodsOfNodes:
    """Return the pods that were not reprieved: `in_order` in the order of `tried`, otherwise by importance (stable).

    kube-scheduler sorts only if a node had both violating and other pods; otherwise they are already sorted.
    """
    slots, index = tried.slots[~reprieved], tried.index[~reprieved]
    return PodsOfNodes.of(slots if in_order else slots[_by_importance(handle, slots, index)], index, nodes)


def _by_importance(handle: Handle, slots: Ints, index: Ints) -> Ints:
    """Return the positions sorted by priority, then start time, per node (`MoreImportantPod`); stable.

    A pod that has not started yet counts as starting now (`GetPodStartTime`).
    """
    pods, order = handle.cluster.pods, np.arange(len(slots))
    start = pods.start[slots]
    if not handle.release.rules.binding_sets_the_start_time:  # "now" is computed twice, for the earlier pod first
        order = np.where(np.isinf(start), -order, order)
    return np.lexsort((order, start, -pods.priority[slots], index))
