"""The events of a run. They fold into a keyframe (`keyframe.py`) and are sent in chunks.

This is their only definition, together with the `*_events.py` files: each class declares everything about it
(`event.py`), and `manage.py generate` generates the browser's files. Events are facts in the past tense with
kube-scheduler's names: ids and numbers, not prose; the browser has the captions. The number of an event in its run is
its *step*, from 0; links refer to steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Union

from scheduler_core.trace import (  # noqa: F401 (they declare events)
    autoscaling_events,
    controller_events,
    device_events,
    observed_events,
    pod_group_events,
    preemption_events,
)
from scheduler_core.trace.columns import Column
from scheduler_core.trace.event import Event, declared_events
from scheduler_core.trace.records import (
    Because,
    ClaimKey,
    ClaimState,
    FieldChange,
    Hint,
    KeptWaiting,
    NodeClaimState,
    NodeColumns,
    NodeName,
    NodeSummary,
    Outcome,
    PluginScores,
    PodColumns,
    PodGroupKey,
    PodGroupState,
    PodGroupSummary,
    PodKey,
    PodSummary,
    PointRun,
    PreFilterResult,
    SliceState,
    StatusCode,
    Storage,
    Verdict,
    WorkloadState,
)

SCHEMA_VERSION = 5

Cause = Literal[
    "event",
    "termination",
    "backoff",
    "unschedulable-flush",
    "permit-timeout",
    "binding",
    "preemption",
    "controller",
    "kubelet",
    "end",
]
DeletionCause = Literal["timeline", "preemption"]


class RunStarted(Event, tag=True):
    """The first event: the initial cluster. PodEnqueued, PodGated or PodIgnored follows for each pending pod.

    Before schema 4 the pods are in `pods`, before schema 5 the nodes in `nodes`, each in full; `summaries.pods_of` and
    `nodes_of` read both.
    """

    part_of = "run"

    title: str
    engine_version: str
    profiles: list[str]
    order: list[int]  # rows of the snapshot (node-tree order), as indexes into the nodes
    nodes: list[NodeSummary] = []
    pods: list[PodSummary] = []
    plugins: dict[str, dict[str, list[tuple[str, int]]]] = {}  # profile -> extension point -> [(plugin, weight)]
    seed: int | None = None
    schema: int = SCHEMA_VERSION
    feature_gates: dict[str, bool] = {}  # the gates that the scenario can set or that are on by default
    kubernetes_version: str = "1.34"  # the release whose kube-scheduler decides
    storage: list[Storage] = []  # PersistentVolumes and PersistentVolumeClaims
    wakes: dict[str, list[str]] = {}  # plugin -> the cluster events that it registered: "Node/Add"
    pod_groups: list[PodGroupSummary] = []
    claims: list[ClaimState] = []  # ResourceClaims
    slices: list[SliceState] = []  # ResourceSlices
    loaded: PodColumns | None = None  # running pods in order of arrival, then pending ones (without `node`)
    loaded_nodes: NodeColumns | None = None  # in the order of the documents
    controllers: list[str] = []  # those that run


class ClockAdvanced(Event, tag=True):
    """Virtual time advanced to `time`; `cause` is the kind of the first due action."""

    part_of = "run"

    time: float
    cause: Cause


class ObjectApplied(Event, tag=True):
    """An object was created or updated, by the timeline or a controller (`by`).

    Objects that the player draws include their summary.

    An unassigned pod that is created is then enqueued by its own PodEnqueued or PodGated event.
    """

    part_of = "run"
    updates = "object"

    action: Literal["create", "update"]
    kind: str
    name: str
    namespace: str = ""
    node: NodeSummary | None = None
    pod: PodSummary | None = None
    order: list[NodeName] | None = None  # the snapshot's order, if it changed
    changes: list[FieldChange] = []  # the changes by an update that the player draws
    storage: Storage | None = None
    pod_group: PodGroupSummary | None = None
    claim: ClaimState | None = None
    slice: SliceState | None = None
    workload: WorkloadState | None = None
    called: str = ""  # a pod by its owner and number: "web@1/0"
    revision: int = 0  # of the template, for pods of StatefulSets and DaemonSets
    by: str = ""  # the controller that wrote it
    because: Because | None = None
    node_claim: NodeClaimState | None = None


class ObjectDeleted(Event, tag=True):
    """An object was deleted. A pod leaves its node or queue."""

    part_of = "run"
    updates = "object"

    kind: str
    name: str
    namespace: str = ""
    order: list[NodeName] | None = None
    cause: DeletionCause = "timeline"
    by: str = ""  # the actor that deleted it, if it is not the timeline or the scheduler
    because: Because | None = None


class PodEnqueued(Event, tag=True):
    """A pod entered activeQ, backoffQ or unschedulablePods, or moved between them.

    `event` is the cluster event's label as in kube-scheduler's metrics ("UnschedulablePodAdd", "AssignedPodDelete",
    "NodeAdd", "BackoffComplete", "ScheduleAttemptFailure", "UnschedulableTimeout", "ForceActivate" ...). `timestamp`
    and `sequence` order activeQ after priority; `backoff_until` orders backoffQ, `error_backoff` marks its error part.
    """

    part_of = "cycle"
    updates = "pod"
    repeats = True

    pod: PodKey
    queue: Literal["active", "backoff", "unschedulable"]
    event: str
    timestamp: float
    sequence: int
    hints: list[Hint] = []
    backoff_until: float | None = None
    error_backoff: bool = False


class PodsKeptWaiting(Event, tag=True):
    """A cluster event does not help these pods, according to the plugins that rejected them.

    An event that none of these plugins registered has no event of its own.
    """

    part_of = "run"

    event: str
    pods: list[KeptWaiting]  # the first 20
    count: int  # the number of all of them


class PodGated(Event, tag=True):
    """A PreEnqueue plugin keeps the pod out of activeQ."""

    part_of = "run"
    updates = "pod"
    extension_point = "PreEnqueue"

    pod: PodKey
    plugin: str
    message: str
    timestamp: float
    sequence: int
    event: str = "UnschedulablePodAdd"


class PodIgnored(Event, tag=True):
    """The pod's schedulerName is not the name of any profile, so this scheduler ignores the pod."""

    part_of = "run"
    updates = "pod"

    pod: PodKey
    scheduler: str


class CycleStarted(Event, tag=True):
    """A pod was popped; its scheduling cycle begins. `source` names the queue that it was popped from.

    With `pod_group`, it is a member that is tried within its group's cycle, once per placement.
    """

    part_of = "cycle"
    updates = "pod"
    extension_point = "QueueSort"

    attempt: int  # the number of the attempt in the run, from 1
    pod: PodKey
    profile: str
    pod_attempts: int  # the number of attempts of this pod, including this one
    source: Literal["active", "backoff"] = "active"
    pod_group: PodGroupKey = ""


class PreFilterFinished(Event, tag=True):
    """PreFilter ran. `rejected_by` is None if the cycle continues; `nodes` is the intersection of the node names."""

    part_of = "cycle"
    extension_point = "PreFilter"

    results: list[PreFilterResult]
    rejected_by: str | None = None
    code: StatusCode | None = None
    reasons: list[str] = []
    nodes: list[NodeName] | None = None


class NodesFiltered(Event, tag=True):
    """Filter ran over the nodes `rows`, in this order (indexes into the snapshot's order at this moment).

    `rows` None: `evaluated` nodes from `start` on; the first node follows the last. `verdict` is 0 for each feasible
    node, otherwise 1 + the index into `verdicts`. `nominated_first` is the nominated node, which was tried first, and
    `nominated_verdict` its result; if it did not fit, it may occur again among the others. `hinted`: that node was not
    nominated, but is the next best node of OpportunisticBatching. `plugins` are the Filter plugins that ran, in order.
    """

    part_of = "cycle"
    extension_point = "Filter"

    plugins: list[str]
    start: int
    evaluated: int
    total: int
    nodes_to_find: int
    verdicts: list[Verdict]
    verdict: Column
    feasible: int
    rows: Column | None = None
    nominated_first: NodeName | None = None
    nominated_verdict: int = 0
    hinted: bool = False
    two_passes: list[NodeName] = []  # nodes filtered twice because of nominated pods
    extenders: list[tuple[str, NodeName, str]] = []  # extender, rejected node, message
    error: str = ""  # the error of a plugin on the next node, which ended the search


class ScoresComputed(Event, tag=True):
    """Score ran on the feasible nodes `rows` (in the order found); `total` is the sum of the weighted scores.

    `skipped` are the Score plugins that PreScore skipped; `extenders` are named like plugins.
    """

    part_of = "cycle"
    extension_point = "Score"

    rows: Column
    count: int
    plugins: list[PluginScores]
    total: Column
    skipped: list[str] = []
    extenders: list[PluginScores] = []


class HostSelected(Event, tag=True):
    """The node with the highest total. `tied` nodes share it; `ties` are the first of them, in the order found.

    Of several tied nodes, the first one is selected, or, with a seed, a random one. `by_heap`: the one on top of the
    heap of scores.
    """

    part_of = "cycle"
    extension_point = "Score"

    node: NodeName
    feasible: int
    evaluated: int
    score: int | None = None  # None: only one node was feasible, so scoring was skipped
    ties: list[NodeName] = []
    tied: int = 1
    by_heap: bool = False


class PodAssumed(Event, tag=True):
    """The cache counts the pod on the node before it is bound."""

    part_of = "cycle"
    updates = "pod"
    extension_point = "Reserve"

    pod: PodKey
    node: NodeName


class PodReserved(Event, tag=True):
    """Reserve ran."""

    part_of = "cycle"
    extension_point = "Reserve"

    pod: PodKey
    results: list[PointRun]


class PodUnreserved(Event, tag=True):
    """Unreserve ran in reverse order, and the assumed pod was forgotten."""

    part_of = "cycle"
    updates = "pod"

    pod: PodKey
    node: NodeName
    plugins: list[str]


class PermitEvaluated(Event, tag=True):
    """Permit ran. `code` Wait: the pod waits until `deadline`, or until a plugin allows or rejects it."""

    part_of = "cycle"
    updates = "pod"
    extension_point = "Permit"

    pod: PodKey
    node: NodeName
    code: StatusCode
    results: list[PointRun]
    deadline: float | None = None


class PermitDecided(Event, tag=True):
    """A waiting pod was allowed, rejected by a plugin, or timed out."""

    part_of = "cycle of its pod"
    updates = "pod"
    extension_point = "Permit"

    pod: PodKey
    decision: Literal["allowed", "rejected", "timeout"]
    plugin: str
    message: str = ""


class PodPreBound(Event, tag=True):
    """PreBind ran."""

    part_of = "cycle of its pod"
    extension_point = "PreBind"

    pod: PodKey
    node: NodeName
    results: list[PointRun]


class PodBound(Event, tag=True):
    """Bind and PostBind ran; the binding cycle ended. `message` is that of the Scheduled event."""

    part_of = "cycle of its pod"
    updates = "pod"
    extension_point = "Bind"

    pod: PodKey
    node: NodeName
    results: list[PointRun] = []
    start_time: float | None = None
    message: str = ""


class BindingFailed(Event, tag=True):
    """Reserve, Permit, PreBind or Bind failed; PodUnreserved and SchedulingFailed follow."""

    part_of = "cycle of its pod"

    pod: PodKey
    node: NodeName
    point: Literal["Reserve", "Permit", "PreBind", "Bind"]
    plugin: str
    code: StatusCode
    message: str


class SchedulingFailed(Event, tag=True):
    """The attempt failed. `message` is the full text of the PodScheduled condition and the FailedScheduling event."""

    part_of = "cycle"
    updates = "pod"

    pod: PodKey
    outcome: Outcome  # Nominated, Unschedulable or Error
    reason: Literal["Unschedulable", "SchedulerError"]
    message: str
    unschedulable_plugins: list[str]
    pending_plugins: list[str] = []
    nominated_node: NodeName = ""


class PodActivated(Event, tag=True):
    """A plugin requested the move of the pod to activeQ (Activate)."""

    part_of = "run"
    extension_point = "Permit"

    pod: PodKey
    by: PodKey


class AttemptFinished(Event, tag=True):
    """An attempt has ended; the queues are in the state that the next attempt finds."""

    part_of = "cycle"

    attempt: int
    pod: PodKey
    outcome: Outcome
    node: NodeName = ""
    claims: list[ClaimKey] = []  # the pod's claims, including claims that do not exist


class RunFinished(Event, tag=True):
    """The run has ended: no action is due, or untilSeconds was reached.

    `bound` leaves out pods that are still on their initial node; `stayed` counts them. Before schema 4 it contains
    every bound pod; `summaries.bound_at_the_end` reads both.
    """

    part_of = "run"

    time: float
    bound: dict[PodKey, NodeName]
    deleted: list[PodKey]
    pending: list[PodKey]
    pod_groups: dict[PodGroupKey, PodGroupState | None] | None = None  # None for a scenario without PodGroups
    stayed: int = 0


EVENTS = declared_events()
if TYPE_CHECKING:
    AnyEvent = Event
else:
    AnyEvent = Union[EVENTS]  # noqa: UP007 (msgspec decodes it by the tag)
