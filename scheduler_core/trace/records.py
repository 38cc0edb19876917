"""Parts of events: nodes and pods as the player draws them, verdicts, scores, candidates.

Per-node results are columns (`columns.py`) over the nodes of their event in order. `None` in a table of results means
"did not run".
"""

from __future__ import annotations

from typing import Literal

import msgspec

from scheduler_core.trace.columns import Column

PodKey = str  # "namespace/name"
PodGroupKey = str  # "namespace/name"
ClaimKey = str  # "namespace/name"
NodeName = str
Resources = dict[str, int]  # cpu in millicores, the rest in bytes or counts

DEFAULT_SCHEDULER = "default-scheduler"

Outcome = Literal["Scheduled", "Nominated", "Unschedulable", "Error"]
GroupOutcome = Literal["Scheduled", "WaitingOnPreemption", "Unschedulable", "Error"]
StatusCode = Literal["Success", "Error", "Unschedulable", "UnschedulableAndUnresolvable", "Wait", "Skip", "Pending"]


ChangedField = Literal["label", "taint", "unschedulable", "allocatable", "request", "bound", "storage", "class", "node"]


class Record(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A part of an event. (Records have no reference cycles, so the garbage collector can skip them.)"""


class Hint(Record):
    """A plugin's queueing hint for a cluster event: whether the pod is retried."""

    plugin: str
    hint: Literal["Queue", "QueueSkip"]


class NodeSummary(Record):
    """A node as the player draws it."""

    name: NodeName
    allocatable: Resources  # includes "pods"
    labels: dict[str, str] = {}
    taints: list[tuple[str, str, str]] = []  # key, value, effect
    unschedulable: bool = False
    images: dict[str, int] = {}  # name -> bytes


class Wish(Record):
    """A requirement of a pod besides resources, in `kubectl`'s notation.

    `key` is the topology key of pod (anti-)affinity and of spreading; `number` the weight of a preference, or maxSkew;
    `soft`: preferred, or ScheduleAnyway.
    """

    kind: Literal["node", "tolerates", "near", "apart", "spread", "claim", "port", "device"]
    value: str  # "disk=ssd", a selector of pods, a toleration, the name of a claim (or its template), a host port
    key: str = ""
    number: int = 0
    soft: bool = False


class Storage(Record):
    """A PersistentVolume or PersistentVolumeClaim as the player draws it. `bound` is its claim or volume."""

    kind: Literal["PersistentVolume", "PersistentVolumeClaim"]
    name: str
    namespace: str = ""
    size: int = 0  # bytes
    storage_class: str = ""
    bound: str = ""
    reach: str = ""  # the nodes that can access a volume, as a selector; "" for all


class DeviceRequirement(Record):
    """A requirement for the nodes on which an allocation can be used: a `field` of the node, or a label."""

    key: str
    operator: str
    values: list[str] = []
    field: bool = False


class DeviceModel(Record):
    """A device: its attributes and capacities as text, its taints, and its consumption of the pool's counters."""

    attributes: dict[str, str] = {}
    capacity: dict[str, str] = {}
    taints: list[str] = []  # "key=value:NoSchedule"
    consumes: dict[str, str] = {}  # "set/counter" -> amount
    shareable: bool = False  # it can be allocated several times


class SliceState(Record):
    """A ResourceSlice: devices of a pool that a driver provides on a node, or (without `node`) on several.

    `model` is the index into `models` for each device; both are empty if there are too many nodes to draw devices.
    """

    name: str
    driver: str
    pool: str
    node: NodeName = ""
    devices: list[str] = []
    models: list[DeviceModel] = []
    model: list[int] = []
    counters: dict[str, str] = {}  # "set/counter" -> amount, which the devices of the pool share


class GivenDevice(Record):
    """A device that is allocated to a claim, with the details of its result (DeviceRequestAllocationResult)."""

    request: str  # "request" or "request/subrequest"
    driver: str
    pool: str
    device: str
    admin_access: bool | None = None
    tolerations: list[tuple[str, str, str, str, int | None]] = []  # key, operator, value, effect, seconds
    binding_conditions: list[str] = []
    binding_failure_conditions: list[str] = []
    share_id: str = ""  # the id of the share, if several claims share the device
    consumed: dict[str, str] = {}  # the allocated part of its capacities


class ClaimState(Record):
    """A ResourceClaim: the devices that are allocated to it, the nodes where they can be used, and its consumers.

    `nodes`: terms of requirements, of which one must match; None: all nodes. `configs`: the number of configurations.
    """

    claim: ClaimKey
    allocated: bool = False
    devices: list[GivenDevice] = []
    nodes: list[list[DeviceRequirement]] | None = None
    configs: int = 0
    reserved_for: list[str] = []  # names of pods
    deleting: bool = False


class NodeClaimState(Record):
    """A NodeClaim of Karpenter. `types`, `requirements` and `requests` are in the event that creates it only.

    `requirements` maps each label to an operator and its values; `conditions` maps each type to status and reason.
    """

    pool: str  # the name of its NodePool
    types: list[str] = []
    requirements: dict[str, list[str]] = {}
    requests: dict[str, str] = {}
    instance_type: str = ""
    zone: str = ""
    capacity_type: str = ""
    conditions: dict[str, list[str]] = {}
    deleting: bool = False


class BudgetNow(Record):
    """A PodDisruptionBudget during preemption: `allowed` = `healthy` - `desired`, at least 0.

    A budget whose document fixes `allowed` has no other numbers, nor has one without minAvailable and maxUnavailable,
    which allows none.
    """

    name: str
    namespace: str
    allowed: int
    rule: str = ""  # "minAvailable 2", "maxUnavailable 50%"
    expected: int = 0  # the number of pods that it covers
    healthy: int = 0  # the number of them that are bound, ready and not terminating
    desired: int = 0  # the number of healthy pods that must remain


class PodSummary(Record):
    """A pod as the player draws it. Its requests are those of NodeResourcesFit."""

    pod: PodKey
    priority: int = 0
    requests: Resources = {}
    labels: dict[str, str] = {}
    node: NodeName = ""  # the node to which it is already bound, "" if none
    start_time: float | None = None
    gates: list[str] = []
    nominated_node: NodeName = ""
    scheduler: str = DEFAULT_SCHEDULER
    never_preempts: bool = False
    owner: str = ""  # "ReplicaSet/web"
    wishes: list[Wish] = []  # only of pods that are not yet bound
    pod_group: PodGroupKey = ""


class Because(Record):
    """The cause of a write: a name with the numbers and names that belong to it (controllers/causes.py)."""

    name: str
    values: dict[str, str | int | float] = {}


class ConditionState(Record):
    """A condition of an object."""

    type: str
    status: str
    reason: str = ""
    message: str = ""


class WorkloadState(Record):
    """A workload as the player draws it. `called`: its name by owner and number, "web@1"; `size` None: it has none."""

    called: str
    size: int | None = None
    owner: str = ""  # "Deployment/web"
    revision: int = 0
    paused: bool = False
    details: dict[str, str | int] = {}


class NodeColumns(Record):
    """Nodes as columns, one value per node. Values shared by nodes are stored once, in `kinds`.

    A kind's own `name` and `labels` are empty. `summaries.nodes_of` and `feed.js` convert them to NodeSummaries.
    """

    kinds: list[NodeSummary]
    keys: list[list[str]]  # the label keys of each kind
    nodes: list[NodeName]
    kind: list[int]  # index into `kinds` and `keys`
    labels: list[list[str]]  # the label values of each node, in the order of the keys


class PodColumns(Record):
    """Pods as columns, one value per pod. Values shared by pods are stored once, in `kinds`.

    `node` is an index into the nodes; -1 for a pod without a node, or whose kind names a node that does not exist. A
    kind's own `pod` is empty. `summaries.pods_of` and `feed.js` convert them to PodSummaries.
    """

    kinds: list[PodSummary]
    pods: list[PodKey]
    kind: list[int]  # index into `kinds`
    node: list[int]
    start_time: list[float | None]


class PodGroupSummary(Record):
    """A PodGroup as the player draws it. `min_count` None: the policy is basic."""

    pod_group: PodGroupKey
    min_count: int | None = None
    topology_key: str = ""
    priority: int = 0
    disruption_mode: Literal["Pod", "PodGroup"] = "Pod"


class PodGroupState(Record):
    """The condition PodGroupScheduled of a PodGroup."""

    status: Literal["True", "False"]
    reason: str
    message: str = ""


class GroupMember(Record):
    """The result of a member while its group was tried. `permit` "": no node fits; `message` is the reason.

    `requires_preemption`: preemption made room on the node.
    """

    pod: PodKey
    node: NodeName = ""
    permit: Literal["", "Wait", "Success"] = ""
    requires_preemption: bool = False
    message: str = ""


class PlacementScore(Record):
    """The scores of a placement that can hold the group: by plugin (normalized and weighted), and in total."""

    placement: str
    total: int
    scores: dict[str, int]


class VictimUnit(Record):
    """Pods that can only be evicted together: a single pod, or the members of a group with disruptionMode PodGroup."""

    pods: list[PodKey]
    priority: int
    reprieved: bool
    pod_group: PodGroupKey = ""
    violates_pdb: bool = False


class FieldChange(Record):
    """A field that an update changed. `before` and `after` are None where there is no value.

    `name`: the label's key, the taint ("gpu=true:NoSchedule") or the resource; "" for other fields.
    """

    field: ChangedField
    name: str
    before: str | int | None = None
    after: str | int | None = None


class Verdict(Record):
    """A distinct filter result: the plugin that rejected, its code and its reasons."""

    plugin: str
    code: StatusCode
    reasons: list[str]


class PluginScores(Record):
    """The scores of a plugin for the feasible nodes. Weighted: `normalized * weight`; `raw` None: `normalized`."""

    plugin: str
    weight: int
    normalized: Column
    raw: Column | None = None


class Reprieve(Record):
    """A step of restoring the pods of a candidate node: the pod either fits again (reprieved) or becomes a victim."""

    pod: PodKey
    reprieved: bool
    violates_pdb: bool = False


class Candidate(Record):
    """The dry run of preemption on a node. `rung` is the criterion (1 to 6) that dropped it, 0 for the selected one."""

    node: NodeName
    victims: list[PodKey]
    pdb_violations: int
    removed: list[PodKey]  # all lower-priority pods, in the order in which they were removed
    reprieve: list[Reprieve]  # in the order in which the pods were tried again
    rung: int = 0
    highest_priority: int = 0  # the highest priority of its victims
    priority_sum: int = 0  # sum of (priority + 2^31), as the scheduler compares it
    earliest_start: float | None = None  # earliest start time among its highest-priority victims


class DryRuns(Record):
    """Candidates as columns: one value per candidate, or one per pod, candidate after candidate.

    `tried`, `reprieved` and `violates_pdb` are in the order in which the pods were tried again; `tried` and `victims`
    are indexes into the candidate's own `removed`, from 0. `preemption_events.candidates_of` makes them Candidates.
    """

    nodes: list[NodeName]
    removed: list[PodKey]
    removed_counts: list[int]
    tried: list[int]
    reprieved: list[bool]
    violates_pdb: list[bool]
    victims: list[int]
    victim_counts: list[int]
    pdb_violations: list[int]
    rung: list[int]
    highest_priority: list[int]
    priority_sum: list[int]
    earliest_start: list[float]


class MoreCandidates(Record):
    """Further candidates of a preemption as columns: one value per candidate, in the candidates' order."""

    count: int
    row: Column  # the row of the node in the snapshot's order
    victims: Column  # the number of victims
    pdb_violations: Column
    rung: Column


class KeptWaiting(Record):
    """A pod that an event does not help, with the hint of each plugin that was called."""

    pod: PodKey
    hints: list[Hint]


class PreFilterResult(Record):
    """The result of a plugin at PreFilter; `nodes` if it limits the search to those names."""

    plugin: str
    code: StatusCode
    reasons: list[str] = []
    nodes: list[NodeName] | None = None


class PointRun(Record):
    """The result of a plugin at Reserve, Permit, PreBind, Bind or PostBind."""

    plugin: str
    code: StatusCode = "Success"
    reasons: list[str] = []
    timeout: float | None = None  # Permit: the time until which the pod waits
