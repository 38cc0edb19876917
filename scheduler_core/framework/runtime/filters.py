"""Running the Filter plugins on many nodes (RunFilterPlugins, RunFilterPluginsWithNominatedPods)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.core import PodKey
from scheduler_core.cluster.change_log import ChangeLog
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.pods import PodTable
from scheduler_core.framework.cycle import FilterPlan
from scheduler_core.framework.implements import implements
from scheduler_core.framework.interface import (
    CountingFilter,
    CycleState,
    FilterPlugin,
    PostFilterReadsFilter,
    PreFilterExtensions,
    Verdicts,
)
from scheduler_core.framework.reads import reads_of
from scheduler_core.framework.runtime import before_1_26
from scheduler_core.framework.status import Code, Rows, Status
from scheduler_core.framework.what_if import Change, CounterLimits, WhatIf
from scheduler_core.releases import Rules


class Nominations(Protocol):
    """The part of the nominator that the filters use."""

    changes: ChangeLog
    popped: frozenset[PodKey]

    def __bool__(self) -> bool: ...

    def pairs(self) -> Sequence[tuple[str, PodKey]]: ...


class Filters:
    """The Filter plugins of a profile, in order."""

    def __init__(
        self, plugins: Sequence[FilterPlugin], cluster: Cluster, rules: Rules, *, checks_all: bool = False
    ) -> None:
        self._judges_all = checks_all or not rules.first_rejection_ends_filtering
        self._names_all = checks_all
        self.plugins = plugins
        self._extensions = {plugin.name: plugin for plugin in plugins if implements(plugin, PreFilterExtensions)}
        self._cluster = cluster
        self._plans: dict[frozenset[str], FilterPlan] = {}
        self._nominations_seen = (-1, -1)  # their version and the nodes' generation
        self._nominations = _NONE, _NONE, _NONE  # rows, slots, and the slots that count (_slot_of_nominated)
        self._position_of = _NONE  # by row, -1 between two calls; the last one stands for nodes that do not exist

    def plan(self, cycle: CycleState) -> FilterPlan:
        """Return the plan of the filters that PreFilter did not skip. PreFilter must have run."""
        if cycle.plan is None:
            key = frozenset(cycle.skip_filter)
            cycle.plan = self._plans.get(key)
            if cycle.plan is None:
                active = [plugin for plugin in self.plugins if plugin.name not in key]
                local = _count_local(active)
                names = [plugin.name for plugin in active]
                uncached = [plugin for i, plugin in enumerate(active) if i >= local or not _ignores_pods(plugin)]
                alone = all((reads := reads_of(plugin)) is not None and reads.can_be_kept for plugin in active)
                filter_is_read = any(implements(plugin, PostFilterReadsFilter) for plugin in active)
                cycle.plan = self._plans[key] = FilterPlan(
                    active[:local], active[local:], uncached, names, alone, filter_is_read
                )
        return cycle.plan

    def run(self, cycle: CycleState, rows: NDArray[np.intp], what_if: WhatIf | None) -> Verdicts:
        """Return the first rejection of each row: each plugin runs on the rows that passed so far.

        If all filters are checked (1.25, or by a Policy), return all rejections of each row, merged. `what_if.rows` are
        the same rows.
        """
        plan = self.plan(cycle)
        if self._judges_all:
            return self._run_all(cycle, rows, what_if)
        index = contiguous(rows, self._cluster.nodes.all_rows)
        positions: NDArray[np.intp] | None = None  # of the rows that passed so far; None: all
        if cycle.cached is None:
            plugins, first = [*plan.leading, *plan.others], Verdicts.passing(len(rows))
        elif what_if is None:
            plugins, first = plan.others, cycle.cached.verdicts(cycle, index)
        else:
            plugins, first = plan.uncached_by_object, cycle.cached.by_object.verdicts(index)
        numbers, statuses = first.numbers, [*first.statuses]
        if statuses and np.count_nonzero(numbers):
            positions = first.passes.nonzero()[0]
        for plugin in plugins:
            if positions is not None:
                if not len(positions):
                    break
                index = rows[positions]
            change = self._change(plugin.name, cycle, what_if, positions)
            verdicts: Verdicts = plugin.filter(
                cycle.pod, cycle.states.get(plugin.name), self._cluster.nodes, index, change
            )
            if not len(verdicts.numbers):
                continue
            rejected = verdicts.numbers.nonzero()[0]
            if not len(rejected):
                continue
            numbers[rejected if positions is None else positions[rejected]] = verdicts.numbers[rejected] + len(statuses)
            statuses += [_name_plugin(status, plugin.name) for status in verdicts.statuses]
            positions = (numbers == 0).nonzero()[0]
        return Verdicts(numbers, statuses)

    def _run_all(self, cycle: CycleState, rows: NDArray[np.intp], what_if: WhatIf | None) -> Verdicts:
        """Return the merged rejections of each row: each plugin runs on all rows without an error so far."""
        plan, verdicts = self.plan(cycle), Verdicts.passing(len(rows))
        for plugin in (*plan.leading, *plan.others):
            positions = (~verdicts.failed()).nonzero()[0]
            if not len(positions):
                break
            change = self._change(plugin.name, cycle, what_if, positions)
            state = cycle.states.get(plugin.name)
            added: Verdicts = plugin.filter(cycle.pod, state, self._cluster.nodes, rows[positions], change)
            if len(added.numbers):
                named = _name_plugins(added, plugin.name).spread(positions, len(rows))
                verdicts = before_1_26.merge(verdicts, named, names_all=self._names_all)
        return verdicts

    def run_each(self, cycle: CycleState, rows: NDArray[np.intp], nominations: Nominations) -> Iterator[Verdicts]:
        """Yield the verdict of each plugin on all rows, also on rows that another plugin rejects.

        A row with nominated pods must pass with and without them.
        """
        index, slots = self.nominated(cycle, rows, nominations) if nominations else (_NONE, _NONE)
        with_nominated = np.unique(index)
        base = WhatIf.nothing(rows[with_nominated]).with_added(with_nominated.searchsorted(index), slots)
        plan = self.plan(cycle)
        for plugin in (*plan.leading, *plan.others):
            state = cycle.states.get(plugin.name)
            alone: Verdicts = plugin.filter(cycle.pod, state, self._cluster.nodes, rows, None)
            verdicts = _name_plugins(alone, plugin.name) if len(alone.numbers) else Verdicts.passing(len(rows))
            if len(with_nominated):
                change = self._change(plugin.name, cycle, base, None)
                beside: Verdicts = plugin.filter(cycle.pod, state, self._cluster.nodes, base.rows, change)
                if len(beside.numbers):
                    verdicts = _name_plugins(beside, plugin.name).spread(with_nominated, len(rows)).override(verdicts)
            yield verdicts

    def run_with_nominated_pods(
        self, cycle: CycleState, rows: NDArray[np.intp], what_if: WhatIf | None, nominations: Nominations
    ) -> Verdicts:
        """Return verdicts with and without nominated pods of at least the same priority: a node must pass twice."""
        index, slots = self.nominated(cycle, rows, nominations) if nominations else (_NONE, _NONE)
        if not len(index):
            return self.run(cycle, rows, what_if)
        has_nominated_pods = np.zeros(len(rows), np.bool_)
        has_nominated_pods[index] = True
        with_nominated = has_nominated_pods.nonzero()[0]
        base = WhatIf.nothing(rows[with_nominated]) if what_if is None else _subset(what_if, with_nominated)
        with_added = base.with_added(with_nominated.searchsorted(index), slots)
        beside = self.run(cycle, base.rows, with_added).spread(with_nominated, len(rows))
        passed = beside.passes.nonzero()[0]
        if not len(passed):
            return beside
        if self.plan(cycle).post_filter_reads_filter and len(passed) < len(rows):
            alone = self.run(cycle, rows[passed], None if what_if is None else _subset(what_if, passed))
            return alone.spread(passed, len(rows)).override(beside)
        return self.run(cycle, rows, what_if).override(beside)

    def counter_limits(self, cycle: CycleState, what_if: WhatIf, nominations: Nominations) -> CounterLimits | None:
        """Return the limits that determine whether a node still passes as pods of `what_if` return to it.

        None if the filters must run to find out: one of them is neither a CountingFilter nor independent of pods, or
        nominated pods take precedence over the pod.
        """
        plan = self.plan(cycle)
        dependent = [plugin for plugin in (*plan.leading, *plan.others) if not _ignores_pods(plugin)]
        counting = [plugin for plugin in dependent if implements(plugin, CountingFilter)]
        if len(counting) < len(dependent) or (nominations and len(self.nominated(cycle, what_if.rows, nominations)[0])):
            return None
        added, left = [np.zeros((0, len(what_if.slots)), np.int64)], [np.zeros((0, len(what_if.rows)), np.int64)]
        for plugin in counting:
            state, nodes = cycle.states.get(plugin.name), self._cluster.nodes
            change = self._change(plugin.name, cycle, what_if, None)
            assert change is not None
            added.append(what_if.added(plugin.name))
            left.append(plugin.slack(cycle.pod, state, nodes, what_if.rows) - change.delta)
        return CounterLimits(np.concatenate(added), np.concatenate(left))

    def nominated(
        self, cycle: CycleState, rows: NDArray[np.intp], nominations: Nominations
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return (position in rows, slot) of each nominated pod that takes precedence over the pod.

        A pod that is tried in the same group cycle counts as a pod without priority and requests.
        """
        nodes, pods = self._cluster.nodes, self._cluster.pods
        if self._nominations_seen != (nominations.changes.version, nodes.generation):
            self._nominations_seen = nominations.changes.version, nodes.generation
            pairs, row_of, slot_of = nominations.pairs(), nodes.row_of.get, pods.slot_of
            nominated_slots = slots = np.array([slot_of[key] for _, key in pairs], np.intp)
            if nominations.popped:
                nominated_slots = np.array([_slot_of_nominated(pods, key, nominations) for _, key in pairs], np.intp)
            self._nominations = np.array([row_of(name, -1) for name, _ in pairs], np.intp), slots, nominated_slots
            if len(self._position_of) != len(nodes) + 1:
                self._position_of = np.full(len(nodes) + 1, -1, np.intp)
        nominated_rows, slots, counted_slots = self._nominations
        compact_rows = contiguous(rows, nodes.all_rows)
        if isinstance(compact_rows, slice):
            index = nominated_rows - compact_rows.start
        else:
            self._position_of[rows] = np.arange(len(rows))
            index = self._position_of[nominated_rows]
            self._position_of[rows] = -1
        evaluated = index.view(np.uintp) < len(rows)  # negative ones are large
        counted = evaluated & (pods.priority[counted_slots] >= cycle.pod.priority) & (slots != cycle.slot)
        return index[counted], counted_slots[counted]

    def _change(
        self, name: str, cycle: CycleState, what_if: WhatIf | None, positions: NDArray[np.intp] | None
    ) -> Change | None:
        if what_if is None or (plugin := self._extensions.get(name)) is None:
            return None
        state = cycle.states.get(name)
        delta = what_if.delta(
            name, lambda slots, rows: plugin.add_pod_delta(cycle.pod, state, self._cluster, slots, rows)
        )
        if positions is None:
            return Change(delta, what_if, np.arange(len(what_if.rows)))
        return Change(delta[:, positions], what_if, positions)


_NONE = np.empty(0, np.intp)


def _slot_of_nominated(pods: PodTable, key: PodKey, nominations: Nominations) -> int:
    """Return the slot of a nominated pod, that of a placeholder if the pod is popped with its group."""
    slot = pods.slot_of[key]
    return pods.placeholder_slot(pods.pods[slot].namespace) if key in nominations.popped else slot


def _ignores_pods(plugin: FilterPlugin) -> bool:
    """Return whether the plugin's verdict is valid until the node's object changes."""
    reads = reads_of(plugin)
    return reads is not None and reads.object_only


def _count_local(plugins: Sequence[FilterPlugin]) -> int:
    """Return the number of leading plugins that depend only on the node: first those that read only its object, then
    those that read only its state.

    In another order, the state of a node would not determine which of them rejects it first.
    """
    reads = [reads_of(plugin) for plugin in plugins]
    of_object = list(takewhile(lambda fields: fields is not None and fields.object_only, reads))
    rest = reads[len(of_object) :]
    of_state = list(takewhile(lambda fields: fields is not None and fields.state_only, rest))
    return len(of_object) + len(of_state)


def contiguous(rows: NDArray[np.intp], all_rows: NDArray[np.intp]) -> Rows:
    """Return the rows; as a slice if they are a contiguous part of `all_rows`, so that columns are not copied."""
    if rows.base is all_rows and len(rows):
        first, last = rows.item(0), rows.item(-1)
        if last - first == len(rows) - 1:
            return slice(first, last + 1)
    return rows


def _name_plugin(status: Status, plugin: str) -> Status:
    """Return the status with the plugin's name; a code other than Success or a rejection becomes an error."""
    if status.is_rejected or status.is_success:
        return status.by(plugin)
    return Status(Code.ERROR, (f'running "{plugin}" filter plugin: {status.message}',), plugin)


def _name_plugins(verdicts: Verdicts, plugin: str) -> Verdicts:
    return Verdicts(verdicts.numbers, [_name_plugin(status, plugin) for status in verdicts.statuses])


def _subset(what_if: WhatIf, positions: NDArray[np.intp]) -> WhatIf:
    """Return the assumed changes of some of the rows."""
    new_position = np.full(len(what_if.rows), -1, np.intp)
    new_position[positions] = np.arange(len(positions))
    in_subset = new_position[what_if.index] >= 0
    index = new_position[what_if.index[in_subset]]
    return WhatIf(what_if.rows[positions], index, what_if.slots[in_subset], what_if.sign[in_subset])
