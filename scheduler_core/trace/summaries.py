"""Summaries of objects in the trace."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping

import msgspec
from msgspec.structs import replace

from scheduler_core.apis.constraints import Taint
from scheduler_core.apis.core import (
    SELECTED_NODE,
    KubernetesObject,
    Node,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    PodGroup,
)
from scheduler_core.apis.devices import (
    Allocation,
    CounterSet,
    Device,
    DeviceResult,
    DeviceTaint,
    ResourceClaim,
    ResourceSlice,
)
from scheduler_core.apis.karpenter import NodeClaim
from scheduler_core.apis.quantity import Quantity, show_amount
from scheduler_core.apis.requirements import CAPACITY_TYPE, INSTANCE_TYPE, ZONE
from scheduler_core.trace.events import RunFinished, RunStarted
from scheduler_core.trace.records import (
    DEFAULT_SCHEDULER,
    ChangedField,
    ClaimState,
    DeviceModel,
    DeviceRequirement,
    FieldChange,
    GivenDevice,
    NodeClaimState,
    NodeColumns,
    NodeName,
    NodeSummary,
    PodColumns,
    PodGroupSummary,
    PodKey,
    PodSummary,
    SliceState,
    Storage,
)
from scheduler_core.trace.wishes import wishes


def node_summary(node: Node) -> NodeSummary:
    """Return the summary of a node for the player."""
    return NodeSummary(
        name=node.name,
        allocatable=dict(node.allocatable),
        labels=dict(node.labels),
        taints=[(taint.key, taint.value, taint.effect) for taint in node.taints],
        unschedulable=node.unschedulable,
        images=dict(node.images),
    )


def pod_summary(pod: Pod) -> PodSummary:
    """Return the summary of a pod for the player."""
    return PodSummary(
        pod=pod.key,
        priority=pod.priority,
        requests=dict(pod.requests),
        labels=dict(pod.labels),
        node=pod.node_name,
        start_time=pod.start_time,
        gates=list(pod.scheduling_gates),
        nominated_node=pod.nominated_node_name,
        scheduler=_scheduler(pod),
        never_preempts=pod.preemption_policy == "Never",
        owner=f"{pod.owner.kind}/{pod.owner.name}" if pod.owner else "",
        pod_group=pod.pod_group_key,
        wishes=[] if pod.node_name else wishes(pod),
    )


def node_columns(nodes: Iterable[Node]) -> NodeColumns:
    """Return the summaries of nodes as columns; values shared by nodes are stored once."""
    kinds: dict[Hashable, int] = {}
    columns = NodeColumns([], [], [], [], [])
    for node in nodes:
        amounts, images = tuple(node.allocatable.items()), tuple(node.images.items())
        alike = amounts, tuple(node.labels), node.taints, node.unschedulable, images
        kind = kinds.setdefault(alike, len(kinds))
        if kind == len(columns.kinds):
            columns.kinds.append(replace(node_summary(node), name="", labels={}))
            columns.keys.append(list(node.labels))
        columns.nodes.append(node.name)
        columns.kind.append(kind)
        columns.labels.append(list(node.labels.values()))
    return columns


def nodes_of(started: RunStarted) -> list[NodeSummary]:
    """Return the summaries of the initial nodes, also of older runs without columns."""
    if started.loaded_nodes is None:
        return started.nodes
    loaded, kinds, keys = started.loaded_nodes, started.loaded_nodes.kinds, started.loaded_nodes.keys
    return [
        replace(kinds[kind], name=name, labels=dict(zip(keys[kind], values, strict=True)))
        for name, kind, values in zip(loaded.nodes, loaded.kind, loaded.labels, strict=True)
    ]


def node_names(started: RunStarted) -> list[NodeName]:
    """Return the names of the initial nodes."""
    return [node.name for node in started.nodes] if started.loaded_nodes is None else started.loaded_nodes.nodes


def pod_columns(pods: Iterable[Pod], nodes: Iterable[NodeName]) -> PodColumns:
    """Return the summaries of pods as columns; values shared by pods are stored once."""
    rows = {name: row for row, name in enumerate(nodes)}
    kinds: dict[bytes, int] = {}
    columns = PodColumns([], [], [], [], [])
    for pod in pods:
        summary, row = pod_summary(pod), rows.get(pod.node_name, -1)
        shared = replace(summary, pod="", start_time=None, node="" if row >= 0 else summary.node)
        kind = kinds.setdefault(msgspec.json.encode(shared), len(kinds))
        if kind == len(columns.kinds):
            columns.kinds.append(shared)
        columns.pods.append(summary.pod)
        columns.kind.append(kind)
        columns.node.append(row)
        columns.start_time.append(summary.start_time)
    return columns


def pods_of(started: RunStarted) -> list[PodSummary]:
    """Return the summaries of the initial pods, also of older runs without columns."""
    if started.loaded is None:
        return started.pods
    loaded, nodes, kinds = started.loaded, node_names(started), started.loaded.kinds
    columns = zip(loaded.pods, loaded.kind, loaded.node, loaded.start_time, strict=True)
    return [
        replace(kinds[kind], pod=key, node=nodes[row] if row >= 0 else kinds[kind].node, start_time=start_time)
        for key, kind, row, start_time in columns
    ]


def initial_nodes(pods: Iterable[PodSummary]) -> dict[PodKey, NodeName]:
    """Return the initial node of each pod that has one."""
    return {pod.pod: pod.node for pod in pods if pod.node}


def bound_at_the_end(initial: Mapping[PodKey, NodeName], finished: RunFinished) -> dict[PodKey, NodeName]:
    """Return the node of each bound pod, sorted by key. `initial`: as returned by `initial_nodes`."""
    deleted = set(finished.deleted)
    stayed = {key: node_name for key, node_name in initial.items() if key not in deleted}
    return dict(sorted((stayed | finished.bound).items()))


def _scheduler(pod: Pod) -> str:
    """Return the scheduler's name. The default name is always the same object: defaults are omitted by identity."""
    return DEFAULT_SCHEDULER if pod.scheduler_name == DEFAULT_SCHEDULER else pod.scheduler_name


def storage(item: KubernetesObject) -> Storage | None:
    """Return the summary of a volume or claim for the player; None for other objects."""
    if isinstance(item, PersistentVolume):
        reach = "" if item.node_affinity is None else str(item.node_affinity)
        return Storage("PersistentVolume", item.name, "", item.capacity, item.storage_class, item.claim_ref, reach)
    if isinstance(item, PersistentVolumeClaim):
        name, namespace, bound = item.name, item.namespace, item.volume_name
        return Storage("PersistentVolumeClaim", name, namespace, item.request, item.storage_class or "", bound)
    return None


def claim_state(claim: ResourceClaim) -> ClaimState:
    """Return the current state of a ResourceClaim."""
    allocation = claim.allocation
    users = [consumer.name for consumer in claim.reserved_for]
    if allocation is None:
        return ClaimState(claim.key, reserved_for=users, deleting=claim.terminating)
    return ClaimState(
        claim.key,
        True,
        [_device(result) for result in allocation.results],
        _terms(allocation),
        allocation.configs,
        users,
        claim.terminating,
    )


def node_claim_state(claim: NodeClaim, *, detailed: bool) -> NodeClaimState:
    """Return the current state of a NodeClaim; `detailed`: with types, requirements and requests."""
    labels = claim.labels
    shown = claim.requirements.items() if detailed else ()
    return NodeClaimState(
        claim.pool,
        list(claim.instance_types) if detailed else [],
        {key: entry.written for key, entry in shown if key != INSTANCE_TYPE},
        {name: show_amount(name, amount) for name, amount in claim.requests.items()} if detailed else {},
        labels.get(INSTANCE_TYPE, ""),
        labels.get(ZONE, ""),
        labels.get(CAPACITY_TYPE, ""),
        {name: [c.status, *([c.reason] if c.reason else [])] for name, c in claim.conditions.items()},
        claim.deleted is not None,
    )


def slice_state(item: ResourceSlice, *, detailed: bool = True) -> SliceState:
    """Return the current state of a ResourceSlice; `detailed`: including the models of its devices."""
    node = "" if item.reach is None else item.reach.node_name
    names = [device.name for device in item.devices]
    if not detailed:
        return SliceState(item.name, item.driver, item.pool, node, names)
    models = [_device_model(device) for device in item.devices]
    distinct = [model for at, model in enumerate(models) if model not in models[:at]]
    numbers = [distinct.index(model) for model in models]
    counters = _counters(item.shared_counters)
    return SliceState(item.name, item.driver, item.pool, node, names, distinct, numbers, counters)


def _device_model(device: Device) -> DeviceModel:
    return DeviceModel(
        {name: str(attribute) for name, attribute in device.attributes.items()},
        {name: str(capacity.value) for name, capacity in device.capacity.items()},
        [taint_text(taint) for taint in device.taints],
        _counters(device.consumes_counters),
        device.allow_multiple_allocations,
    )


def taint_text(taint: Taint | DeviceTaint) -> str:
    """Return the taint as kubectl prints it: "key=value:Effect"."""
    return f"{taint.key}{'=' + taint.value if taint.value else ''}:{taint.effect}"


def _counters(sets: Iterable[CounterSet]) -> dict[str, str]:
    return {
        f"{name}/{counter}": str(Quantity(amount, "BinarySI"))
        for name, counters in sets
        for counter, amount in counters
    }


def _device(result: DeviceResult) -> GivenDevice:
    return GivenDevice(
        result.request,
        result.driver,
        result.pool,
        result.device,
        result.admin_access,
        [
            (toleration.key, toleration.operator, toleration.value, toleration.effect, toleration.seconds)
            for toleration in result.tolerations
        ],
        list(result.binding_conditions),
        list(result.binding_failure_conditions),
        result.share_id,
        {name: str(amount) for name, amount in result.consumed_capacity},
    )


def _terms(allocation: Allocation) -> list[list[DeviceRequirement]] | None:
    if allocation.selector_manifest is None:
        return None
    return [
        [
            DeviceRequirement(entry["key"], entry["operator"], list(entry.get("values") or ()), field == "matchFields")
            for field in ("matchFields", "matchExpressions")
            for entry in term.get(field) or ()
        ]
        for term in allocation.selector_manifest.get("nodeSelectorTerms") or ()
    ]


def pod_group_summary(group: PodGroup) -> PodGroupSummary:
    """Return the summary of a PodGroup."""
    return PodGroupSummary(group.key, group.min_count, group.topology_key, group.priority, group.disruption_mode)


def changes(old: KubernetesObject | None, new: KubernetesObject) -> list[FieldChange]:
    """Return the differences between two states of a node, pod, volume or claim that the player shows.

    The list is empty for other objects, and if there is no old state.
    """
    if isinstance(old, Node) and isinstance(new, Node):
        return [
            *_differing("label", old.labels, new.labels),
            *_differing("taint", _taints(old), _taints(new)),
            *_differing("unschedulable", _cordon(old), _cordon(new)),
            *_differing("allocatable", old.allocatable, new.allocatable),
        ]
    if isinstance(old, Pod) and isinstance(new, Pod):
        return [
            *_differing("label", old.labels, new.labels),
            *_differing("request", old.requests, new.requests),
        ]
    before, after = storage(old) if old else None, storage(new)
    if before is not None and after is not None:
        return [
            *_differing("bound", _as_entry(before.bound), _as_entry(after.bound)),
            *_differing("storage", {"": before.size}, {"": after.size}),
            *_differing("class", _as_entry(before.storage_class), _as_entry(after.storage_class)),
            *_differing("node", _selected_node(old), _selected_node(new)),
        ]
    return []


def _differing(
    field: ChangedField,
    old: Mapping[str, str | int],
    new: Mapping[str, str | int],
) -> list[FieldChange]:
    names = dict.fromkeys([*old, *new])
    return [FieldChange(field, name, old.get(name), new.get(name)) for name in names if old.get(name) != new.get(name)]


def _as_entry(value: str) -> dict[str, str]:
    return {"": value} if value else {}


def _selected_node(item: KubernetesObject | None) -> dict[str, str]:
    """Return a field with the node that VolumeBinding selected for a claim to be provisioned; {} without one."""
    node = item.annotations.get(SELECTED_NODE) if isinstance(item, PersistentVolumeClaim) else None
    return {"": node} if node else {}


def _taints(node: Node) -> dict[str, str]:
    pairs = ((f"{taint.key}={taint.value}" if taint.value else taint.key, taint.effect) for taint in node.taints)
    return {f"{name}:{effect}": "" for name, effect in pairs}


def _cordon(node: Node) -> dict[str, str]:
    return {"": ""} if node.unschedulable else {}
