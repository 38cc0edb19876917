"""The protocols that plugins implement; together with `handle.py`, the complete plugin contract.

A plugin is a class with `name` and `__init__(self, args, handle)`; it implements the methods of the extension points
that it is enabled at, from the protocols below, and nothing else. The plugins here name the protocols as their bases,
so that mypy checks each method's signature; at run time only the methods matter.

- Plugins evaluate all given rows at once, on the columns of `NodeTable` and `PodTable`.
- Plugins never write the tables, never emit events and keep no state between cycles except caches.
- The state of a scheduling cycle is any object that `pre_filter` returns; it is passed to every later method of the
  same plugin in that cycle. It may be mutable. `pre_score` may return another one for `score` and `normalize`.
- A filter plugin whose verdict depends on the pods of a node also has `PreFilterExtensions`.
- A filter or score plugin whose results depend only on some fields of the pod and of the node may name them in `reads`
  (see `Reads`); pods that are equal in them then share its results, and it evaluates only changed nodes.

Worked examples: `plugins/small/node_unschedulable.py` (columns, no state) and `plugins/node_resources/fit.py`
(add_pod_delta, scores).
kube-scheduler: pkg/scheduler/framework/interface.go and staging/src/k8s.io/kube-scheduler/framework.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.core import Pod
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.cluster_event import (
    Action,
    ClusterEvent,
    HintFunction,
    QueueingHint,
    RegisteredEvent,
)
from scheduler_core.framework.cycle import CycleState, Diagnosis
from scheduler_core.framework.facts import Fact, ScoreExplanation
from scheduler_core.framework.handle import (
    Extender,
    ExtenderError,
    ExtenderFilterResult,
    Handle,
    Nominator,
    WaitingPod,
)
from scheduler_core.framework.reads import Reads
from scheduler_core.framework.status import PASS, SKIP, SUCCESS, Code, Rows, Status, Verdicts
from scheduler_core.framework.what_if import Change, WhatIf
from scheduler_core.trace.event import Event
from scheduler_core.trace.preemption_events import PreemptionEvaluated

if TYPE_CHECKING:
    from scheduler_core.apis.config import PluginArgs

__all__ = [
    "PASS",
    "SKIP",
    "SUCCESS",
    "Action",
    "Change",
    "ClusterEvent",
    "Code",
    "CycleState",
    "Diagnosis",
    "Extender",
    "ExtenderError",
    "ExtenderFilterResult",
    "Handle",
    "HintFunction",
    "Nominator",
    "QueueingHint",
    "Reads",
    "RegisteredEvent",
    "Rows",
    "Status",
    "Verdicts",
    "WaitingPod",
    "WhatIf",
]

MAX_NODE_SCORE = 100
Scores = NDArray[np.int64]  # one per feasible node, in the order in which they were found


class PreFilterResult(msgspec.Struct, frozen=True):
    """The result of PreFilter. Status SKIP: the plugin's Filter does not run in this cycle; its state is kept.

    `node_names`, which is read only with status SUCCESS, limits the search to these nodes; None: all. The nodes need
    not exist, except in releases with the rule `nodes_named_by_pre_filter_must_exist`.
    """

    state: Any = None
    status: Status = SUCCESS
    node_names: frozenset[str] | None = None


class PreScoreResult(msgspec.Struct, frozen=True):
    """The result of PreScore. Status SKIP: the plugin does not score in this cycle."""

    state: Any = None
    status: Status = SUCCESS


class PostFilterResult(msgspec.Struct, frozen=True):
    """The result of PostFilter. Preemption only returns its decision: the scheduling cycle evicts `victims` (in this
    order), then clears the nominations of `cleared` (lower-priority pods nominated to the chosen node), then nominates.

    Success with `nominated_node`: nominated. Otherwise `status` is a rejection or an error, with the reasons for the
    message. `nominated_node` None keeps the pod's nomination as it is, "" clears it (framework.NominatingInfo).
    `evaluation` is the record for the trace, None from plugins other than preemption.
    """

    status: Status
    nominated_node: str | None = None
    victims: Sequence[Pod] = ()
    cleared: Sequence[Pod] = ()
    evaluation: PreemptionEvaluated | None = None


@runtime_checkable
class Plugin(Protocol):
    """Base of all plugins. `args` is the profile's `plugin_args.get(name)`, None for plugins without arguments."""

    name: str

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        """Read the arguments. A plugin that needs neither them nor the handle inherits this."""
        return


@runtime_checkable
class EnqueueExtensions(Plugin, Protocol):
    """A plugin that can reject pods at PreEnqueue, PreFilter, Filter, Reserve or Permit."""

    def events_to_register(self) -> Sequence[RegisteredEvent]:
        """Return the events that may make a rejected pod schedulable.

        Called once per framework, unless the release has a table of the plugin's events (`registered_events`). As
        kube-scheduler does since 1.30, the runtime adds a (Node, UPDATE_NODE_TAINT) that always answers Queue to
        plugins that register Node ADD without it, so return exactly the events that the Go plugin registers.
        """
        ...


@runtime_checkable
class PreEnqueuePlugin(Plugin, Protocol):
    def pre_enqueue(self, pod: Pod) -> Status:
        """Return success to admit the pod to activeQ; any other status keeps the pod out."""
        ...


@runtime_checkable
class QueueSortPlugin(Plugin, Protocol):
    def key(self, pod: Pod, timestamp: float, sequence: int) -> tuple[float, ...]:
        """Return a sort key; the pod with the smallest key is popped first."""
        ...


@runtime_checkable
class SignPlugin(Plugin, Protocol):
    """A plugin that allows OpportunisticBatching.

    A single plugin at PreFilter, Filter, PreScore or Score that does not implement it disables batching in its profile.
    """

    def sign_pod(self, pod: Pod) -> Mapping[str, Hashable] | None:
        """Return the parts of the pod that determine verdicts and scores; None if the pod cannot be signed."""
        ...


@runtime_checkable
class PreFilterPlugin(Plugin, Protocol):
    def pre_filter(self, pod: Pod, cluster: Cluster) -> PreFilterResult: ...


@runtime_checkable
class FilterPlugin(Plugin, Protocol):
    def filter(self, pod: Pod, state: Any, nodes: NodeTable, rows: Rows, change: Change | None) -> Verdicts:
        """Return a verdict for each row of `rows`. `state` is from `pre_filter`, None if there is none.

        `change` None: evaluate the tables as they are. Otherwise evaluate each row as if its pods had changed: add
        `change.delta` (int64[k, len(rows)], the sum of this plugin's `add_pod_delta`) to the plugin's counters or, if
        the rule is not linear, use the slots in `change.removed[i]` and `change.added[i]`. A plugin without
        PreFilterExtensions gets None.
        """
        ...


@runtime_checkable
class PreFilterExtensions(Plugin, Protocol):
    """A Filter plugin whose verdict depends on the pods on the node."""

    def add_pod_delta(
        self, pod: Pod, state: Any, cluster: Cluster, slots: NDArray[np.intp], rows: NDArray[np.intp]
    ) -> NDArray[np.int64]:
        """Return the amounts that AddPod adds to the counters and RemovePod subtracts: int64[k, m].

        Column i is the contribution of the pod in `slots[i]` on the node in `rows[i]` to each of the plugin's k
        counters there (its requests; its conflicting ports; 1 if it matches a term in that node's own domain; ...). The
        method is called both for pods on that node (to remove them) and for nominated pods, which are on no node. A
        plugin that only uses `change.removed` and `change.added` inherits this, which returns no counters.
        """
        return np.zeros((0, len(slots)), np.int64)


@runtime_checkable
class CountingFilter(PreFilterExtensions, Protocol):
    """A Filter plugin that rejects a node if and only if one of its counters exceeds a limit."""

    def slack(self, pod: Pod, state: Any, nodes: NodeTable, rows: Rows) -> NDArray[np.int64]:
        """Return int64[k, m]: how much each of the k counters may still increase on each row with the pod there.

        It is negative if the pod exceeds the limit.
        """
        ...


@runtime_checkable
class PostFilterPlugin(Plugin, Protocol):
    def post_filter(self, pod: Pod, cycle: CycleState, diagnosis: Diagnosis) -> PostFilterResult:
        """Find a way to schedule a pod that fits no node.

        The first plugin that returns a code other than UNSCHEDULABLE ends the phase.
        """
        ...


@runtime_checkable
class PreScorePlugin(Plugin, Protocol):
    def pre_score(self, pod: Pod, state: Any, nodes: NodeTable, rows: NDArray[np.intp]) -> PreScoreResult:
        """Prepare scores. `state` is from this plugin's `pre_filter`; `rows` are the feasible nodes in search order."""
        ...


class ScoreError(Exception):
    """Raised by `score`: kube-scheduler's Score returned a status other than Success."""


@runtime_checkable
class ScorePlugin(Plugin, Protocol):
    def score(self, pod: Pod, state: Any, nodes: NodeTable, rows: NDArray[np.intp]) -> Scores:
        """Return int64[len(rows)]. `state` is from `pre_score` if the plugin has one, else from `pre_filter`.

        A plugin without `reads` may raise ScoreError.
        """
        ...


@runtime_checkable
class ScoreExtensions(Plugin, Protocol):
    """A Score plugin with raw scores that must be normalized to 0 to 100."""

    def normalize(self, pod: Pod, state: Any, nodes: NodeTable, rows: NDArray[np.intp], scores: Scores) -> Scores:
        """Return a new array with all scores scaled to 0 to 100 (NormalizeScore)."""
        ...


@runtime_checkable
class PostFilterReadsFilter(Plugin, Protocol):
    """A plugin whose PostFilter reads which nodes its Filter rejected.

    In its profile, a node that is rejected with its nominated pods is not evaluated without them.
    """

    post_filter_reads_filter: Literal[True]


@runtime_checkable
class RecordsSearch(Plugin, Protocol):
    """A Filter plugin whose search has its own steps, which the trace shows after those of Filter."""

    def record_search(self, pod: Pod, state: Any) -> Event | None:
        """Return the event of this cycle's search, None if no node was searched; `state` is from `pre_filter`."""
        ...


@runtime_checkable
class ScoresZeroWithoutState(Plugin, Protocol):
    """A Score plugin that scores 0 on all nodes for pods without a state, and is skipped for them."""

    scores_zero_without_state: Literal[True]


@runtime_checkable
class ReservePlugin(Plugin, Protocol):
    def reserve(self, pod: Pod, state: Any, node_name: str) -> Status: ...

    def unreserve(self, pod: Pod, state: Any, node_name: str) -> None:
        """Undo `reserve`. Idempotent; called in reverse order, also for the plugins after a failed one."""
        ...


@runtime_checkable
class PermitPlugin(Plugin, Protocol):
    def permit(self, pod: Pod, state: Any, node_name: str) -> tuple[Status, float]:
        """Return a status and a timeout in seconds, after which a pod with code WAIT is rejected (at most 15 minutes).

        Other codes ignore the timeout.
        """
        ...


@runtime_checkable
class PreBindPlugin(Plugin, Protocol):
    def pre_bind(self, pod: Pod, state: Any, node_name: str) -> Status:
        """Prepare the binding; any status but SUCCESS ends it. Objects can be written with `handle.write`."""
        ...


@runtime_checkable
class PreBindPreFlight(Plugin, Protocol):
    """A PreBind plugin that reports in advance whether it has anything to do."""

    def pre_bind_pre_flight(self, pod: Pod, state: Any, node_name: str) -> bool:
        """Return whether PreBind has anything to do for the pod."""
        ...


@runtime_checkable
class BindPlugin(Plugin, Protocol):
    def bind(self, pod: Pod, state: Any, node_name: str) -> Status:
        """Return SUCCESS to have the pod bound, or SKIP to leave it to the next plugin.

        The binding cycle writes the binding; any other status is a failure.
        """
        ...


@runtime_checkable
class PostBindPlugin(Plugin, Protocol):
    def post_bind(self, pod: Pod, state: Any, node_name: str) -> None: ...


class Placement(msgspec.Struct, frozen=True):
    """A set of nodes, as rows, to which a pod group can be assigned."""

    name: str
    rows: NDArray[np.intp]


@runtime_checkable
class PlacementGeneratePlugin(Plugin, Protocol):
    def generate_placements(self, pod_group: str, nodes: NodeTable) -> tuple[Sequence[Placement], Status]:
        """Return the placements to evaluate for a group ("namespace/name"), in order."""
        ...


@runtime_checkable
class PlacementScorePlugin(Plugin, Protocol):
    def score_placement(self, pod_group: str, placement: Placement, assigned: Sequence[Pod], nodes: NodeTable) -> int:
        """Return the score of a placement; `assigned` are the members that would get a node in it."""
        ...


@runtime_checkable
class PlacementScoreExtensions(Plugin, Protocol):
    def normalize_placement_scores(self, scores: Sequence[int]) -> list[int]:
        """Return the scores of all placements scaled to 0 to 100."""
        ...


@runtime_checkable
class ExplainsFilter(Plugin, Protocol):
    """A plugin that explains its verdict. Only `explain/` calls it, never a scheduling cycle."""

    def explain_filter(
        self, pod: Pod, state: Any, cluster: Cluster, row: int, change: Change | None = None
    ) -> list[Fact]:
        """Return facts about the inputs of `filter` for one row; `change` is the argument of `filter` for that row."""
        ...


@runtime_checkable
class ExplainsScore(Plugin, Protocol):
    """A plugin that explains its score. Only `explain/` calls it, never a scheduling cycle."""

    def explain_score(
        self, pod: Pod, state: Any, cluster: Cluster, rows: NDArray[np.intp], raw: Scores, index: int
    ) -> ScoreExplanation:
        """Explain the score of the `index`-th feasible row; `raw` are the plugin's scores of all rows."""
        ...


# Extension point, as the configuration names it -> the protocol of its plugins; other plugins do not run there.
POINTS: dict[str, type[Plugin]] = {
    "pre_enqueue": PreEnqueuePlugin,
    "queue_sort": QueueSortPlugin,
    "pre_filter": PreFilterPlugin,
    "filter": FilterPlugin,
    "post_filter": PostFilterPlugin,
    "pre_score": PreScorePlugin,
    "score": ScorePlugin,
    "reserve": ReservePlugin,
    "permit": PermitPlugin,
    "pre_bind": PreBindPlugin,
    "bind": BindPlugin,
    "post_bind": PostBindPlugin,
    "placement_generate": PlacementGeneratePlugin,
    "placement_score": PlacementScorePlugin,
}


# A profile may disable an extension point of a plugin and keep a later one. These protocols say what kube-scheduler's
# plugin then does without the state of the earlier one (`runtime/missing_state.py`); other plugins get the state None.


@runtime_checkable
class NeedsPreFilter(Plugin, Protocol):
    """A plugin whose Filter, Reserve and PreBind fail with this error if the profile disables its PreFilter."""

    without_pre_filter: str


@runtime_checkable
class RunsPreFilter(Plugin, Protocol):
    """A plugin whose Filter runs its PreFilter itself if the profile disables it."""

    runs_pre_filter: Literal[True]


@runtime_checkable
class NeedsPreScore(Plugin, Protocol):
    """A plugin whose Score fails with this error if the profile disables its PreScore."""

    without_pre_score: str


@runtime_checkable
class NeedsReserve(Plugin, Protocol):
    def without_reserve(self, pod: Pod, node_name: str) -> str:
        """Return the error of the plugin's PreBind if the profile disables its Reserve."""
        ...


def count(rows: Rows) -> int:
    """Return the number of rows."""
    return rows.stop - rows.start if isinstance(rows, slice) else len(rows)
