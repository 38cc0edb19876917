"""Running all Filter plugins over many nodes (RunFilterPlugins, RunFilterPluginsWithNominatedPods)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from scheduler_core.cluster import Cluster
from scheduler_core.framework.interface import CycleState, FilterResult, Verdicts
from scheduler_core.framework.status import Code, Rows, Status
from scheduler_core.framework.what_if import Change, WhatIf
from scheduler_core.objects import Pod


class Nominations(Protocol):
    """The part of the nominator that filtering reads."""

    def __bool__(self) -> bool: ...

    def nodes(self) -> Sequence[str]: ...

    def pods_on(self, node_name: str) -> Sequence[Pod]: ...


class Filters:
    """One profile's Filter plugins, in order."""

    def __init__(self, plugins: Sequence[Any], cluster: Cluster) -> None:
        self.plugins = plugins
        self._cluster = cluster
        self._plans: dict[frozenset[str], tuple[list[Any], list[Any], list[str]]] = {}

    def names(self, cycle: CycleState) -> list[str]:
        """The plugins that run in this cycle."""
        return self._plan(cycle)[2]

    def leading(self, cycle: CycleState) -> list[Any]:
        """The first of them, as far as they depend on the node alone."""
        return self._plan(cycle)[0]

    def _plan(self, cycle: CycleState) -> tuple[list[Any], list[Any], list[str]]:
        """(node-local plugins that come first, all the others, names) without those that PreFilter let off."""
        key = frozenset(cycle.skip_filter)
        found = self._plans.get(key)
        if found is None:
            active = [plugin for plugin in self.plugins if plugin.name not in key]
            local = next((i for i, plugin in enumerate(active) if not hasattr(plugin, "reads")), len(active))
            found = self._plans[key] = active[:local], active[local:], [plugin.name for plugin in active]
        return found

    def run(self, cycle: CycleState, rows: NDArray[np.intp], what_if: WhatIf | None) -> FilterResult:
        """Each plugin judges the rows that all before it let pass. `what_if.rows` are the same rows."""
        leading, rest, _ = self._plan(cycle)
        asked = contiguous(rows, self._cluster.nodes.all_rows)
        statuses: list[Status] = []
        positions: NDArray[np.intp] | None = None  # of the rows that still stand; None: all
        if what_if is None and cycle.columns is not None:
            which = cycle.columns.which[asked].copy()
            statuses += cycle.columns.statuses
            if which.any():
                positions = np.flatnonzero(which == 0)
                asked = rows[positions]
        else:
            which = np.zeros(len(rows), np.int16)
            rest = [*leading, *rest]
        for plugin in rest:
            if positions is not None and not len(positions):
                break
            change = self._change(plugin, cycle, what_if, positions)
            verdicts: Verdicts = plugin.filter(
                cycle.pod, cycle.states.get(plugin.name), self._cluster.nodes, asked, change
            )
            if verdicts.which is None:
                continue
            standing = np.arange(len(rows)) if positions is None else positions
            rejected = verdicts.which > 0
            which[standing[rejected]] = verdicts.which[rejected] + len(statuses)
            statuses += [_named(status, plugin.name) for status in verdicts.statuses]
            positions = standing[~rejected]
            asked = rows[positions]
        return FilterResult(which, statuses)

    def run_with_nominated_pods(
        self, cycle: CycleState, rows: NDArray[np.intp], what_if: WhatIf | None, nominations: Nominations
    ) -> FilterResult:
        """Nodes with nominated pods of equal or higher priority must pass with those pods, then without them."""
        index, slots = self._nominated(cycle, rows, nominations) if nominations else (_NONE, _NONE)
        if not len(index):
            return self.run(cycle, rows, what_if)
        base = what_if or WhatIf.nothing(rows)
        first = self.run(cycle, rows, base.with_added(index, slots))
        again = np.unique(index[first.which[index] == 0])
        if not len(again):
            return first
        second = self.run(cycle, rows[again], _subset(base, again) if what_if else None)
        which = first.which.copy()
        which[again] = np.where(second.which > 0, second.which + len(first.statuses), 0)
        return FilterResult(which, [*first.statuses, *second.statuses])

    def _nominated(
        self, cycle: CycleState, rows: NDArray[np.intp], nominations: Nominations
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """(position in rows, slot) of every nominated pod that the pod must yield to."""
        nodes, pods, pod = self._cluster.nodes, self._cluster.pods, cycle.pod
        position_of = np.full(len(nodes) + 1, -1, np.intp)  # the last one stands for nodes that do not exist
        position_of[rows] = np.arange(len(rows))
        pairs: list[tuple[int, int]] = []
        for name in nominations.nodes():
            position = int(position_of[nodes.row_of.get(name, -1)])
            if position >= 0:
                others = (p for p in nominations.pods_on(name) if p.priority >= pod.priority and p.key != pod.key)
                pairs += [(position, pods.slot_of[other.key]) for other in others]
        if not pairs:
            return _NONE, _NONE
        index, slots = np.array(pairs, np.intp).T
        return index, slots

    def _change(
        self, plugin: Any, cycle: CycleState, what_if: WhatIf | None, positions: NDArray[np.intp] | None
    ) -> Change | None:
        if what_if is None or not hasattr(plugin, "axes"):
            return None
        state = cycle.states.get(plugin.name)
        delta = what_if.delta(
            plugin.name, lambda slots, rows: plugin.axes(cycle.pod, state, self._cluster, slots, rows)
        )
        if positions is None:
            return Change(delta, what_if, np.arange(len(what_if.rows)))
        return Change(delta[:, positions], what_if, positions)


_NONE = np.empty(0, np.intp)


def contiguous(rows: NDArray[np.intp], all_rows: NDArray[np.intp]) -> Rows:
    """The rows as a slice where they are a piece of all rows, so that columns are read without copying."""
    if rows.base is all_rows and rows.strides == all_rows.strides and len(rows):
        return slice(int(rows[0]), int(rows[-1]) + 1)
    return rows


def _named(status: Status, plugin: str) -> Status:
    """Filter plugins may only reject; anything else is an error that names the plugin."""
    if status.is_rejected or status.is_success:
        return status.by(plugin)
    return Status(Code.ERROR, (f'running "{plugin}" filter plugin: {status.message}',), plugin)


def _subset(what_if: WhatIf, positions: NDArray[np.intp]) -> WhatIf:
    """The same imagination for some of the rows only."""
    new_position = np.full(len(what_if.rows), -1, np.intp)
    new_position[positions] = np.arange(len(positions))
    kept = new_position[what_if.index] >= 0
    index = new_position[what_if.index[kept]]
    return WhatIf(what_if.rows[positions], index, what_if.slots[kept], what_if.sign[kept])
