"""What a plugin implements and what it is given. This file is the whole contract for the author of a plugin.

A plugin is a class with `name` and `__init__(self, args, handle)`; it implements the methods of the extension points
that it is enabled at, from the protocols below (structurally: no base class needed), and nothing else:

- Plugins evaluate all the rows that they are asked about at once, on the columns of `NodeTable` and `PodTable`.
- Plugins never write the tables, never emit events and keep no state between cycles except caches.
- State of one scheduling cycle is any object that `pre_filter` returns; it is handed to every later method of the same
  plugin in that cycle. It may be mutable. `pre_score` may return another one for `score` and `normalize`.
- A filter plugin whose verdict depends on the pods of a node also has `add_pod_delta` (see `FilterPlugin`).
- A filter or score plugin whose answer depends on some fields of the pod and of the node alone may name them in `reads`
  (see `Reads`); alike pods then share its answers, and it is asked about changed nodes only.

Worked examples: `plugins/small/node_unschedulable.py` (columns, no state) and `plugins/node_resources/fit.py`
(add_pod_delta, scores).
kube-scheduler: pkg/scheduler/framework/interface.go and staging/src/k8s.io/kube-scheduler/framework.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.core import KubernetesObject, Node, Pod, PodKey
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.cluster_event import (
    Action,
    ClusterEvent,
    HintFunction,
    QueueingHint,
    RegisteredEvent,
)
from scheduler_core.framework.cycle import CycleState, Diagnosis, FilterResult
from scheduler_core.framework.reads import Reads
from scheduler_core.framework.status import PASS, SKIP, SUCCESS, Code, Rows, Status, Verdicts
from scheduler_core.framework.what_if import Change, WhatIf
from scheduler_core.releases import Release
from scheduler_core.trace.events import PreemptionEvaluated

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
    "FilterResult",
    "HintFunction",
    "QueueingHint",
    "Reads",
    "RegisteredEvent",
    "Rows",
    "Status",
    "Verdicts",
    "WhatIf",
]

MAX_NODE_SCORE = 100
Scores = NDArray[np.int64]  # one per feasible node, in the order in which they were found


@dataclass(slots=True)  # not frozen: made for every plugin in every attempt
class PreFilterResult:
    """PreFilter's answer. Status SKIP: the plugin's Filter does not run in this cycle (its state is kept all the same).

    `node_names` narrows the search to these nodes (names of nodes that do not exist are allowed); None: all.
    """

    state: Any = None
    status: Status = SUCCESS
    node_names: frozenset[str] | None = None


@dataclass(slots=True)  # not frozen: made for every plugin in every attempt
class PreScoreResult:
    """PreScore's answer. Status SKIP: the plugin does not score in this cycle."""

    state: Any = None
    status: Status = SUCCESS


@dataclass(frozen=True, slots=True)
class PostFilterResult:
    """PostFilter's answer. It carries nothing out: the scheduling cycle evicts `victims` (in this order), then clears
    the nominations of `cleared` (lower-priority pods nominated to the chosen node), then nominates.

    Success with `nominated_node`: nominated. Otherwise `status` is UNSCHEDULABLE with the reasons for the message.
    `nominated_node` None keeps the pod's nomination as it is, "" clears it (framework.NominatingInfo).
    `evaluation` is the record for the trace, None from plugins that are no preemption.
    """

    status: Status
    nominated_node: str | None = None
    victims: Sequence[Pod] = ()
    cleared: Sequence[Pod] = ()
    evaluation: PreemptionEvaluated | None = None


class Plugin(Protocol):
    """Every plugin. `args` is the profile's `plugin_args.get(name)`, None for plugins without arguments."""

    name: str

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None: ...


class EnqueueExtensions(Protocol):
    """Implemented by every plugin that may reject pods at PreEnqueue, PreFilter, Filter, Reserve or Permit."""

    def events_to_register(self) -> Sequence[RegisteredEvent]:
        """The events that may make a rejected pod schedulable. Registered once, at the start.

        As kube-scheduler does, the runtime adds a (Node, UPDATE_NODE_TAINT) that always answers Queue to plugins that
        register Node ADD without it, so write down exactly what the Go plugin registers.
        """
        ...


class PreEnqueuePlugin(Protocol):
    def pre_enqueue(self, pod: Pod) -> Status:
        """Anything but success keeps the pod out of activeQ."""
        ...


class QueueSortPlugin(Protocol):
    def key(self, pod: Pod, timestamp: float, sequence: int) -> tuple[float, ...]:
        """The smallest key is popped first."""
        ...


class PreFilterPlugin(Protocol):
    def pre_filter(self, pod: Pod, cluster: Cluster) -> PreFilterResult: ...


class FilterPlugin(Protocol):
    """`add_pod_delta` is left out by plugins whose verdict does not depend on the pods that stand on the node."""

    def filter(self, pod: Pod, state: Any, nodes: NodeTable, rows: Rows, change: Change | None) -> Verdicts:
        """The verdict for every row of `rows`, in that order. `state` is from `pre_filter`, None if there is none.

        `change` None: as the tables are. Else judge each row as if its pods had changed: add `change.delta`
        (int64[k, len(rows)], the sum of this plugin's own `add_pod_delta`) to the plugin's counters, or, where the
        rule is not linear, look at the slots in `change.removed[i]` and `change.added[i]`. A plugin without
        `add_pod_delta` gets None.
        """
        ...

    def add_pod_delta(
        self, pod: Pod, state: Any, cluster: Cluster, slots: NDArray[np.intp], rows: NDArray[np.intp]
    ) -> NDArray[np.int64]:
        """What AddPod adds and RemovePod takes off (framework.PreFilterExtensions), int64[k, m].

        Column i is what the pod in `slots[i]`, if it stands on the node in `rows[i]`, adds to each of the plugin's k
        counters there (its requests; its conflicting ports; 1 if it matches a term in that node's own domain; ...).

        It is asked both about pods on that node (to imagine them away) and about nominated pods that are on no node.
        A plugin that only looks at `change.removed` and `change.added` returns an array of shape (0, m).
        """
        ...


class PostFilterPlugin(Protocol):
    def post_filter(self, pod: Pod, cycle: CycleState, diagnosis: Diagnosis) -> PostFilterResult:
        """No node passed. The first plugin that answers SUCCESS or ERROR ends the round."""
        ...


class PreScorePlugin(Protocol):
    def pre_score(self, pod: Pod, state: Any, nodes: NodeTable, rows: NDArray[np.intp]) -> PreScoreResult:
        """`state` is what this plugin's `pre_filter` returned, `rows` the feasible nodes in the order found."""
        ...


class ScorePlugin(Protocol):
    """`normalize` is left out where the raw score is the score (0 to 100)."""

    def score(self, pod: Pod, state: Any, nodes: NodeTable, rows: NDArray[np.intp]) -> Scores:
        """int64[len(rows)]. `state` is `pre_score`'s if the plugin has one, else `pre_filter`'s."""
        ...

    def normalize(self, pod: Pod, state: Any, nodes: NodeTable, rows: NDArray[np.intp], scores: Scores) -> Scores:
        """NormalizeScore: bring all scores to 0..100; returns a new array."""
        ...


class ReservePlugin(Protocol):
    def reserve(self, pod: Pod, state: Any, node_name: str) -> Status: ...

    def unreserve(self, pod: Pod, state: Any, node_name: str) -> None:
        """Idempotent; called in reverse order, also for plugins after the one that failed."""
        ...


class PermitPlugin(Protocol):
    def permit(self, pod: Pod, state: Any, node_name: str) -> tuple[Status, float]:
        """Code WAIT lets the pod wait for at most that many seconds."""
        ...


class PreBindPlugin(Protocol):
    def pre_bind(self, pod: Pod, state: Any, node_name: str) -> Status:
        """May write objects with `handle.write`."""
        ...


class BindPlugin(Protocol):
    def bind(self, pod: Pod, state: Any, node_name: str) -> Status:
        """SUCCESS binds; SKIP leaves it to the next plugin."""
        ...


class PostBindPlugin(Protocol):
    def post_bind(self, pod: Pod, state: Any, node_name: str) -> None: ...


# A profile may disable an extension point of a plugin and keep a later one. What the later one then does without the
# state that the earlier one would have left is kube-scheduler's to tell; without these attributes it runs with None.


class NeedsPreFilter(Protocol):
    """Without its PreFilter, the plugin's Filter, Reserve and PreBind fail with this error."""

    without_pre_filter: str


class AsksPreFilter(Protocol):
    """Without its PreFilter, the plugin's Filter does that work itself."""

    asks_pre_filter: Literal[True]


class NeedsPreScore(Protocol):
    """Without its PreScore, the plugin's Score fails with this error."""

    without_pre_score: str


class NeedsReserve(Protocol):
    def without_reserve(self, pod: Pod, node_name: str) -> str:
        """The error of the plugin's PreBind without its Reserve."""
        ...


class Nominator(Protocol):
    """Pods with a nominated node (backend/queue/nominator.go), read only."""

    def pods_on(self, node_name: str) -> Sequence[Pod]:
        """The pods nominated to a node, in the order of their nomination."""
        ...

    def node_of(self, key: PodKey) -> str:
        """The node that the pod is nominated to, "" if none."""
        ...


class WaitingPod(Protocol):
    """A pod that waits on Permit (framework.WaitingPod)."""

    @property
    def pod(self) -> Pod: ...

    @property
    def node_name(self) -> str: ...

    @property
    def state(self) -> dict[str, Any]:
        """The plugins' states of its cycle, by plugin."""
        ...

    @property
    def pending_plugins(self) -> Sequence[str]: ...

    def allow(self, plugin: str) -> None:
        """When no plugin is pending any more, its binding cycle goes on."""
        ...

    def reject(self, plugin: str, message: str) -> None:
        """Its binding cycle fails with Unschedulable."""
        ...


class ExtenderError(Exception):
    """An extender's call failed; ignorable extenders are then passed over."""


@dataclass(frozen=True, slots=True)
class ExtenderFilterResult:
    """Nodes that an extender rejected, with its messages."""

    failed: Mapping[str, str] = field(default_factory=dict)
    failed_unresolvable: Mapping[str, str] = field(default_factory=dict)


class Extender(Protocol):
    """An extender of the configuration, answering by its script (kube-scheduler: extender.go)."""

    name: str
    weight: int
    ignorable: bool
    filters: bool
    prioritizes: bool
    supports_preemption: bool
    binds: bool
    hands_over_bare_nodes: bool  # what it filters comes back as new NodeInfos (HTTPExtender.Filter)

    def is_interested(self, pod: Pod) -> bool: ...

    def filter(self, pod: Pod, nodes: Sequence[Node]) -> ExtenderFilterResult:
        """Raises ExtenderError."""
        ...

    def prioritize(self, pod: Pod, nodes: Sequence[Node]) -> Mapping[str, int]:
        """Node -> 0..10. Raises ExtenderError (whose scores are then ignored)."""
        ...

    def process_preemption(
        self, pod: Pod, victims: Mapping[str, tuple[Sequence[Pod], int]], nodes: Sequence[Node]
    ) -> Mapping[str, tuple[Sequence[Pod], int]]:
        """Candidate node -> (victims, PDB violations) that the extender keeps; `nodes` are those of the candidates.

        Raises ExtenderError.
        """
        ...

    def bind(self, pod: Pod, node_name: str) -> None:
        """Raises ExtenderError."""
        ...


class Handle(Protocol):
    """What a plugin is given at construction (framework.Handle): one per profile.

    `cluster` may be read at any time; `now` is virtual time in seconds.
    """

    cluster: Cluster
    nominator: Nominator
    extenders: Sequence[Extender]
    profile_name: str
    feature_gates: Mapping[str, bool]
    release: Release

    @property
    def now(self) -> float: ...

    def run_filters(self, cycle: CycleState, rows: NDArray[np.intp], what_if: WhatIf | None = None) -> FilterResult:
        """All Filter plugins over `rows`, changed as `what_if` says (`what_if.rows` is `rows`), with nominated pods of
        equal or higher priority counted in a first pass, as RunFilterPluginsWithNominatedPods does."""
        ...

    def disruptions_allowed(self) -> Mapping[str, int]:
        """Key of each PodDisruptionBudget -> status.disruptionsAllowed now."""
        ...

    def waiting_pods(self) -> Sequence[WaitingPod]:
        """Pods that wait on Permit, of all profiles, in the order in which they began to wait."""
        ...

    def activate(self, pod: Pod, keys: Sequence[PodKey]) -> None:
        """Ask for pods to be moved to activeQ (framework.PodsToActivate), in the name of `pod`."""
        ...

    def write(self, item: KubernetesObject, action: Literal["create", "update"] = "update") -> None:
        """A write to the API server during PreBind: stored at once, its watch event delivered at once."""
        ...


def count(rows: Rows) -> int:
    """How many rows."""
    return rows.stop - rows.start if isinstance(rows, slice) else len(rows)
