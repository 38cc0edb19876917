"""What a run tells: its events. They fold into a keyframe (`keyframe.py`) and travel in chunks.

This is the one definition; `static/js/trace/trace.d.ts` is generated from it (`manage.py trace_types`). Events are
facts in the past tense, in kube-scheduler's words: ids and numbers, never prose (that is the browser's caption).
The number of an event in its run is its *step*, from 0; a link names a step.
"""

from __future__ import annotations

from typing import Literal

from scheduler_core.trace.columns import Column
from scheduler_core.trace.event import Event
from scheduler_core.trace.pod_group_events import (
    PlacementsScored,
    PlacementStarted,
    PodGroupConditionWritten,
    PodGroupCycleFinished,
    PodGroupCycleStarted,
    PodGroupDecided,
    PodGroupEvaluated,
    PodGroupMemberDecided,
    PodGroupPreemptionEvaluated,
)
from scheduler_core.trace.preemption_events import (
    NominationCleared,
    PodNominated,
    PreemptionEvaluated,
    PreemptionFinished,
    PreemptionStarted,
    VictimEvicted,
)
from scheduler_core.trace.records import (
    FieldChange,
    Hint,
    KeptWaiting,
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
    StatusCode,
    Storage,
    Verdict,
)

SCHEMA_VERSION = 5

Cause = Literal[
    "event", "termination", "backoff", "unschedulable-flush", "permit-timeout", "binding", "preemption", "end"
]


class RunStarted(Event, tag=True):
    """The first event: the cluster as it was loaded. Pending pods follow as PodEnqueued, PodGated or PodIgnored.

    Before schema 4 the pods are in `pods`, before schema 5 the nodes in `nodes`, each in full; `summaries.pods_of` and
    `nodes_of` read both.
    """

    title: str
    engine_version: str
    profiles: list[str]
    order: list[int]  # rows of the snapshot (node-tree order), as indexes into the nodes
    nodes: list[NodeSummary] = []
    pods: list[PodSummary] = []
    plugins: dict[str, dict[str, list[tuple[str, int]]]] = {}  # profile -> extension point -> [(plugin, weight)]
    seed: int | None = None
    schema: int = SCHEMA_VERSION
    feature_gates: dict[str, bool] = {}  # those that the scenario may set and that are on, there or by default
    kubernetes_version: str = "1.34"  # the release whose kube-scheduler decides
    storage: list[Storage] = []  # volumes and claims
    wakes: dict[str, list[str]] = {}  # plugin -> the cluster events that it registered: "Node/Add"
    pod_groups: list[PodGroupSummary] = []
    loaded: PodColumns | None = None  # running pods in order of arrival, then pending ones (without `node`)
    loaded_nodes: NodeColumns | None = None  # in the order of the documents


class ClockAdvanced(Event, tag=True):
    """Virtual time moved on, and why: what is due now."""

    time: float
    cause: Cause


class ObjectApplied(Event, tag=True):
    """An object was created or updated by the timeline (`at` is now). What is drawn carries its summary.

    An unassigned pod that is created is then enqueued by its own PodEnqueued or PodGated event.
    """

    action: Literal["create", "update"]
    kind: str
    name: str
    namespace: str = ""
    node: NodeSummary | None = None
    pod: PodSummary | None = None
    order: list[NodeName] | None = None  # the snapshot's order, when it changed
    changes: list[FieldChange] = []  # of an update: what is drawn of it
    storage: Storage | None = None
    pod_group: PodGroupSummary | None = None


class ObjectDeleted(Event, tag=True):
    """An object is gone. A pod leaves its node or queue."""

    kind: str
    name: str
    namespace: str = ""
    order: list[NodeName] | None = None
    cause: Literal["timeline", "preemption"] = "timeline"


class PodEnqueued(Event, tag=True):
    """A pod entered activeQ, backoffQ or unschedulablePods, or moved between them.

    `event` is the cluster event's label as in kube-scheduler's metrics ("UnschedulablePodAdd", "AssignedPodDelete",
    "NodeAdd", "BackoffComplete", "ScheduleAttemptFailure", "UnschedulableTimeout", "ForceActivate" ...). `timestamp`
    and `sequence` order activeQ after priority; `backoff_until` orders backoffQ, `error_backoff` marks its error part.
    """

    pod: PodKey
    queue: Literal["active", "backoff", "unschedulable"]
    event: str
    timestamp: float
    sequence: int
    hints: list[Hint] = []
    backoff_until: float | None = None
    error_backoff: bool = False


class PodsKeptWaiting(Event, tag=True):
    """A cluster event that plugins were asked about and that helps none of these pods: they stay where they are.

    Without an event of its own is one that no plugin which rejected a pod has registered.
    """

    event: str
    pods: list[KeptWaiting]  # the first 20
    count: int  # of all


class PodGated(Event, tag=True):
    """A PreEnqueue plugin keeps the pod out of activeQ."""

    pod: PodKey
    plugin: str
    message: str
    timestamp: float
    sequence: int
    event: str = "UnschedulablePodAdd"


class PodIgnored(Event, tag=True):
    """No profile is responsible for the pod's schedulerName: this scheduler leaves it alone."""

    pod: PodKey
    scheduler: str


class CycleStarted(Event, tag=True):
    """A pod was popped; its scheduling cycle begins. `source` names the queue that it was popped from.

    With `pod_group` it is a member that is tried within its group's cycle, with each placement once more.
    """

    attempt: int  # global, from 1
    pod: PodKey
    profile: str
    pod_attempts: int  # of this pod, this one included
    source: Literal["active", "backoff"] = "active"
    pod_group: PodGroupKey = ""


class PreFilterFinished(Event, tag=True):
    """PreFilter ran. `rejected_by` is None when the cycle goes on; `nodes` is the intersection of what was narrowed."""

    results: list[PreFilterResult]
    rejected_by: str | None = None
    code: StatusCode | None = None
    reasons: list[str] = []
    nodes: list[NodeName] | None = None


class NodesFiltered(Event, tag=True):
    """Filter ran over the nodes `rows`, in this order (indexes into the snapshot's order at this moment).

    `rows` None: `evaluated` nodes from `start` on, wrapping round. `verdict` holds per evaluated node 0 (feasible) or
    1 + index into `verdicts`. `nominated_first` names the nominated node that was tried before the others, with its
    own result in `nominated_verdict`; one that did not fit may come up again among them. `hinted`: it was not nominated
    but known to OpportunisticBatching as the next best. `plugins` are the Filter plugins that ran, in order.
    """

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
    extenders: list[tuple[str, NodeName, str]] = []  # extender, node that it rejected, message


class ScoresComputed(Event, tag=True):
    """Score ran over the feasible nodes `rows` (in the order found); `total` is the sum of the weighted scores.

    `skipped` are the Score plugins that PreScore skipped; `extenders` name an extender in place of a plugin.
    """

    rows: Column
    count: int
    plugins: list[PluginScores]
    total: Column
    skipped: list[str] = []
    extenders: list[PluginScores] = []


class HostSelected(Event, tag=True):
    """The node with the highest total. `tied` nodes share it; `ties` are the first of them, in the order found.

    Of several the first found is taken, or with a seed one is drawn; `by_heap`: the one on top of the heap of scores.
    """

    node: NodeName
    feasible: int
    evaluated: int
    score: int | None = None  # None: only one node was feasible, scoring was skipped
    ties: list[NodeName] = []
    tied: int = 1
    by_heap: bool = False


class PodAssumed(Event, tag=True):
    """The cache counts the pod on the node from here on, before it is bound."""

    pod: PodKey
    node: NodeName


class PodReserved(Event, tag=True):
    """Reserve ran."""

    pod: PodKey
    results: list[PointRun]


class PodUnreserved(Event, tag=True):
    """Unreserve ran in reverse order and the assumed pod was forgotten: the rollback."""

    pod: PodKey
    node: NodeName
    plugins: list[str]


class PermitEvaluated(Event, tag=True):
    """Permit ran. `code` Wait: the pod waits until `deadline`, or until a plugin allows or rejects it."""

    pod: PodKey
    node: NodeName
    code: StatusCode
    results: list[PointRun]
    deadline: float | None = None


class PermitDecided(Event, tag=True):
    """A waiting pod was allowed, rejected by a plugin, or timed out."""

    pod: PodKey
    decision: Literal["allowed", "rejected", "timeout"]
    plugin: str
    message: str = ""


class PodPreBound(Event, tag=True):
    """PreBind ran."""

    pod: PodKey
    node: NodeName
    results: list[PointRun]


class PodBound(Event, tag=True):
    """Bind and PostBind ran: the binding cycle ended, the pod runs on the node. `message` as the Scheduled event."""

    pod: PodKey
    node: NodeName
    results: list[PointRun] = []
    start_time: float | None = None
    message: str = ""


class BindingFailed(Event, tag=True):
    """Reserve, Permit, PreBind or Bind failed; PodUnreserved and SchedulingFailed follow."""

    pod: PodKey
    node: NodeName
    point: Literal["Reserve", "Permit", "PreBind", "Bind"]
    plugin: str
    code: StatusCode
    message: str


class SchedulingFailed(Event, tag=True):
    """The attempt failed. `message` is the text of the PodScheduled condition and the FailedScheduling event, whole."""

    pod: PodKey
    outcome: Outcome  # Nominated, Unschedulable or Error
    reason: Literal["Unschedulable", "SchedulerError"]
    message: str
    unschedulable_plugins: list[str]
    pending_plugins: list[str] = []
    nominated_node: NodeName = ""


class PodActivated(Event, tag=True):
    """A plugin asked for the pod to be moved to activeQ at once (Activate)."""

    pod: PodKey
    by: PodKey


class AttemptFinished(Event, tag=True):
    """All that an attempt caused has been delivered; the queues are as the next attempt finds them."""

    attempt: int
    pod: PodKey
    outcome: Outcome
    node: NodeName = ""


class RunFinished(Event, tag=True):
    """Nothing can happen any more (or untilSeconds was reached).

    `bound` leaves out the pods that stand where they stood when the run began; `stayed` counts them. Before schema 4 it
    has every bound pod; `summaries.bound_at_the_end` reads both.
    """

    time: float
    bound: dict[PodKey, NodeName]
    deleted: list[PodKey]
    pending: list[PodKey]
    pod_groups: dict[PodGroupKey, PodGroupState | None] | None = None  # of a scenario with PodGroups
    stayed: int = 0


AnyEvent = (
    RunStarted | ClockAdvanced | ObjectApplied | ObjectDeleted | PodEnqueued | PodsKeptWaiting | PodGated
    | PodIgnored | CycleStarted | PreFilterFinished | NodesFiltered | PreemptionEvaluated | VictimEvicted
    | PreemptionStarted | PreemptionFinished | PodNominated | NominationCleared | ScoresComputed | HostSelected
    | PodAssumed | PodReserved | PodUnreserved | PermitEvaluated | PermitDecided | PodPreBound | PodBound
    | BindingFailed | SchedulingFailed | PodActivated | AttemptFinished | RunFinished
    | PodGroupCycleStarted | PlacementStarted | PodGroupEvaluated | PlacementsScored | PodGroupPreemptionEvaluated
    | PodGroupDecided | PodGroupMemberDecided | PodGroupConditionWritten | PodGroupCycleFinished
)  # fmt: skip
