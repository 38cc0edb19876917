"""Actions of controllers, kubelets and the API server: workloads, the life of pods, evictions, nodes (controllers/).

Objects that they create, change or delete are in ObjectApplied and ObjectDeleted, with the actor and the cause.
"""

from __future__ import annotations

from scheduler_core.trace.event import Event
from scheduler_core.trace.records import Because, ConditionState, NodeName, PodKey


class WorkloadStatusWritten(Event, frozen=True, tag=True):
    """The status of a workload, budget, quota or autoscaler was written, with all fields, not only the changed ones."""

    part_of = "run"
    updates = "object"

    kind: str
    name: str
    namespace: str
    status: dict[str, int | str]
    conditions: list[ConditionState] = []
    order: list[NodeName] | None = None  # never set


class PodDeletionRequested(Event, frozen=True, tag=True):
    """A pod got its deletionTimestamp and has `grace` seconds. It ends at `gone_at`, unless its node is lost."""

    part_of = "run"
    updates = "pod"

    pod: PodKey
    grace: float
    by: str
    because: Because
    gone_at: float | None = None


class PodStarted(Event, frozen=True, tag=True):
    """The kubelet reported the phase Running."""

    part_of = "run"
    updates = "pod"

    pod: PodKey


class PodReadinessChanged(Event, frozen=True, tag=True):
    """The condition Ready of a pod changed."""

    part_of = "run"
    updates = "pod"

    pod: PodKey
    ready: bool
    by: str = "kubelet"


class PodRestarted(Event, frozen=True, tag=True):
    """The containers of a pod ended and will start again at `at`, after the back-off of its kubelet."""

    part_of = "run"
    updates = "pod"

    pod: PodKey
    exit_code: int
    restarts: int
    at: float


class PodFinished(Event, frozen=True, tag=True):
    """A pod's phase became Succeeded or Failed: it no longer uses resources of its node, but still exists."""

    part_of = "run"
    updates = "pod"

    pod: PodKey
    phase: str
    by: str
    exit_code: int | None = None
    reason: str = ""
    terminating: bool = False


class PodConditionSet(Event, frozen=True, tag=True):
    """A controller or kubelet set a condition of a pod: DisruptionTarget, or one of a resize."""

    part_of = "run"
    updates = "pod"

    pod: PodKey
    condition: ConditionState
    by: str


class NodeConditionChanged(Event, frozen=True, tag=True):
    """The condition Ready of a node changed: True, False or Unknown."""

    part_of = "run"
    updates = "object"

    kind: str
    name: NodeName
    status: str
    reason: str
    namespace: str = ""
    order: list[NodeName] | None = None  # never set


class EvictionAnswered(Event, frozen=True, tag=True):
    """The API server answered a request to evict a pod: 201, or 429 or 500 with the reason."""

    part_of = "run"

    pod: PodKey
    code: int
    by: str
    message: str = ""
    causes: list[str] = []


class EventRecorded(Event, frozen=True, tag=True):
    """A controller recorded a Kubernetes Event that no other event of the trace implies."""

    part_of = "run"

    kind: str
    name: str
    namespace: str
    reason: str
    level: str
    source: str
    message: str


class RequestMade(Event, frozen=True, tag=True):
    """A request of the scenario's timeline was made: `verb` and the objects that it is about."""

    part_of = "run"

    verb: str
    about: list[str]
    error: str = ""
