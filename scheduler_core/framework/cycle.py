"""The state of a scheduling cycle: plugin states, filter results, and the diagnosis of rejected nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.core import Pod
from scheduler_core.framework.status import PASS, Code, Rows, Status, Verdicts
from scheduler_core.trace.events import PreFilterFinished

UNRESOLVABLE = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE)


class FilterPlan(msgspec.Struct):
    """The filters of a cycle. The results of `leading` filters depend only on the node (`runtime/verdict_cache.py`).

    The leading filters that ignore the pods on the node come first; `uncached_by_object` are all filters except these.
    """

    leading: list[Any]
    others: list[Any]
    uncached_by_object: list[Any]
    names: list[str]
    of_node_alone: bool  # whether all filters depend on the node alone
    post_filter_reads_filter: bool  # whether one of them is an interface.PostFilterReadsFilter
    pre_filter: PreFilterFinished | None = None  # the event, if PreFilter rejected and narrowed nothing


class CachedByObject(Protocol):
    """The part of `CachedResults` that depends on the node's object alone."""

    constants: dict[str, tuple[int, int]]

    def verdicts(self, rows: Rows) -> Verdicts: ...


class Cached(Protocol):
    """Cached verdicts and scores of earlier pods of the same shape (`runtime/verdict_cache.py`)."""

    pre_scores: dict[str, Any]  # interface.PreScoreResult

    @property
    def by_object(self) -> CachedByObject: ...

    def verdicts(self, cycle: CycleState, rows: Rows) -> Verdicts: ...

    def scores(self, cycle: CycleState, rows: Rows) -> Mapping[str, NDArray[np.int64]]: ...


class CycleState(msgspec.Struct):
    """The scheduling cycle of a pod, with the states of its plugins (framework.CycleState).

    `states` has an entry for every plugin whose PreFilter ran; a rejection may end PreFilter early.
    """

    pod: Pod
    slot: int
    states: dict[str, Any] = {}
    skip_filter: set[str] = set()
    score_states: dict[str, Any] = {}
    shape: int = 0  # a number that pods share if cached plugins cannot distinguish them, set after PreFilter
    plan: FilterPlan | None = None  # the filters that run, set after PreFilter
    cached: Cached | None = None  # results of earlier pods of this shape
    remove_pod_error: str = ""  # the error of dry runs after a rejection by PreFilter (`before_1_28.remove_pod_error`)
    placement: NDArray[np.intp] | None = None  # rows that a pod group is confined to; None: all
    bare_nodes: bool = False  # an extender returned the feasible nodes without their pods


class Diagnosis(msgspec.Struct):
    """The reasons that nodes were rejected in this attempt (framework.Diagnosis with its NodeToStatus).

    `nodes` is the number of nodes in the snapshot, and `verdicts` are those of its rows; each status names its plugin.
    A row that the verdicts do not reject has the status `absent`. If no node fits, such a row was never evaluated,
    because PreFilter excluded it or rejected the pod.
    """

    nodes: int
    verdicts: Verdicts = PASS
    absent: Status = UNRESOLVABLE
    unschedulable_plugins: dict[str, None] = {}
    pending_plugins: dict[str, None] = {}
    pre_filter_message: str = ""
    post_filter_message: str = ""

    def judge(self, rows: NDArray[np.intp], verdicts: Verdicts) -> None:
        """Add the rejections of rows; rows that pass keep their status. Each status must reject at least one row.

        As in NodeToStatus, an extender's status of the nominated node is kept if the node passes the filters in the
        second search.
        """
        if not verdicts.statuses:
            return
        self.verdicts = self.verdicts.override(verdicts.spread(rows, self.nodes))
        for status in verdicts.statuses:
            self.blame(status)

    def blame(self, status: Status) -> None:
        """Add the plugins of a rejection to those whose queueing hints run after an event (Diagnosis.AddPluginStatus).

        A status without a plugin, or one that does not reject, adds nothing.
        """
        if not status.plugin:
            return
        if status.is_pending:
            self.pending_plugins[status.plugin] = None
        elif status.is_rejected:
            # if all filters are checked, a status names all plugins that rejected the node
            self.unschedulable_plugins |= dict.fromkeys(status.plugin.split(","))

    def codes(self) -> NDArray[np.uint8]:
        """Return the Code of every row."""
        if not self.verdicts.statuses:
            return np.full(self.nodes, self.absent.code, np.uint8)
        table = [self.absent.code, *(status.code for status in self.verdicts.statuses)]
        return np.array(table, np.uint8)[self.verdicts.numbers]

    def count_explicit(self) -> int:
        """Return the number of nodes that the verdicts reject."""
        return int(np.count_nonzero(self.verdicts.numbers)) if self.verdicts.statuses else 0

    def status(self, row: int) -> Status:
        return self.verdicts.status(row) or self.absent
