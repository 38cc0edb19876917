"""VolumeBinding: filters nodes by the pod's volumes, and binds its unbound claims (plugins/volumebinding).

kube-scheduler: volumebinding/volume_binding.go and binder.go. Claims with immediate binding must already be bound;
bound claims limit the pod to the nodes that can reach their volumes; claims of a class that waits for its first
consumer get a free or newly provisioned volume. Reserve assumes the result of Filter; PreBind writes it, and also
simulates the PV controller and the provisioner.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.config import PluginArgs, VolumeBindingArgs
from scheduler_core.apis.core import Node, Pod
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import Interned, NodeTable
from scheduler_core.framework.about import AboutFile
from scheduler_core.framework.facts import Fact, ScoreExplanation
from scheduler_core.framework.interface import (
    SKIP,
    SUCCESS,
    Action,
    Change,
    ClusterEvent,
    Code,
    EnqueueExtensions,
    ExplainsFilter,
    ExplainsScore,
    FilterPlugin,
    Handle,
    PreBindPlugin,
    PreBindPreFlight,
    PreFilterPlugin,
    PreFilterResult,
    PreScorePlugin,
    PreScoreResult,
    RegisteredEvent,
    ReservePlugin,
    Rows,
    ScorePlugin,
    Scores,
    SignPlugin,
    Status,
    Verdicts,
)
from scheduler_core.plugins.helpers.signing import by_volumes
from scheduler_core.plugins.volumes.before_1_32 import local_node_names
from scheduler_core.plugins.volumes.binding import explain as volume_binding_facts
from scheduler_core.plugins.volumes.binding import reach as volume_reach
from scheduler_core.plugins.volumes.binding import scorer
from scheduler_core.plugins.volumes.binding.assume_cache import AssumeCache, PodVolumes, with_claim, with_selected_node
from scheduler_core.plugins.volumes.binding.binder import (
    NODE_AFFINITY_CONFLICT,
    NODE_CONFLICT,
    BinderError,
    VolumeSearch,
    claims_of,
)
from scheduler_core.plugins.volumes.binding.provisioning import bind_volumes
from scheduler_core.plugins.volumes.hints import (
    after_capacity_change,
    after_csi_driver_change,
    after_csi_node_change,
    after_own_claim,
    after_storage_class_change,
)
from scheduler_core.plugins.volumes.listers import Storage, ephemeral_claim_error, group_rows, not_found
from scheduler_core.plugins.volumes.matching import claim_key, fully_bound

NO_CLAIMS = PreFilterResult(status=SKIP)
UNBOUND_IMMEDIATE = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("pod has unbound immediate PersistentVolumeClaims",))


class State(msgspec.Struct):
    """The search of this cycle, its results by the properties of nodes, and the volumes that Reserve assumed."""

    search: VolumeSearch
    verdicts: tuple[int, Interned[Status]] | None = None  # for all rows, in one generation of the node table
    answers: dict[tuple[object, ...], Status] = {}
    reserved: PodVolumes | None = None  # None before Reserve, and if all claims are bound


class VolumeBinding(
    PreFilterPlugin,
    FilterPlugin,
    PreScorePlugin,
    ScorePlugin,
    ReservePlugin,
    PreBindPlugin,
    PreBindPreFlight,
    EnqueueExtensions,
    ExplainsFilter,
    ExplainsScore,
    SignPlugin,
):
    """Filters nodes by volumes, with one binder per profile and its own cache of assumed objects."""

    name = "VolumeBinding"
    about = AboutFile("about.yaml")
    without_pre_filter = "not found"
    sign_pod = staticmethod(by_volumes)

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        self.handle = handle
        self.storage = Storage(handle.cluster)
        self.assumed = AssumeCache()
        self._narrows = handle.release.rules.volume_binding_narrows_to_local_volumes
        names_volume = handle.release.rules.volume_binding_reason_names_the_volume
        scores = handle.feature_gates.get(scorer.GATE, False)
        shape = args.shape if isinstance(args, VolumeBindingArgs) else ()
        self._shape = (shape or scorer.DEFAULT_SHAPE) if scores else ()
        self._old_reasons = {} if names_volume else {NODE_CONFLICT: NODE_AFFINITY_CONFLICT}

    def pre_filter(self, pod: Pod, cluster: Cluster) -> PreFilterResult:
        if all(volume.claim is None for volume in pod.volumes):
            return NO_CLAIMS
        error = claim_error(pod, self.storage)
        if error:
            return PreFilterResult(status=Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, (error,)))
        claims = claims_of(pod, self.storage, self.assumed)
        if claims.immediate:
            return PreFilterResult(status=UNBOUND_IMMEDIATE)
        search = VolumeSearch.prepare(claims, self.storage, self.assumed)
        nodes = local_node_names([pv for _, pv in search.bound]) if self._narrows else None
        return PreFilterResult(State(search), node_names=nodes)

    def filter(self, pod: Pod, state: State, nodes: NodeTable, rows: Rows, change: Change | None) -> Verdicts:
        """Evaluate all nodes at once if possible, otherwise once per group of nodes that are equal for the claims."""
        if volume_reach.covers(state.search):
            if state.verdicts is None or state.verdicts[0] != nodes.generation:
                codes, reasons = volume_reach.reasons_by_row(state.search, nodes)
                state.verdicts = nodes.generation, Interned([self._status(reason) for reason in reasons], codes)
            verdicts = state.verdicts[1]
            return Verdicts.by_code(verdicts.codes[rows], verdicts.values)
        keys = state.search.label_keys()
        first, group = group_rows(nodes, rows, self._columns(state, nodes))
        return Verdicts.by_code(group, [self._judge(state, keys, nodes, row) for row in first])

    def _columns(self, state: State, nodes: NodeTable) -> list[NDArray[np.intp]]:
        """Return the columns on which the volumes of the pod's claims depend."""
        columns = [nodes.label(key).codes for key in state.search.label_keys()]
        if state.search.by_name:
            columns.append(np.arange(len(nodes), dtype=np.intp))
        if state.search.by_csi_node:
            columns.append(self._migrated(nodes))
        return columns

    def pre_score(self, pod: Pod, state: State | None, nodes: NodeTable, rows: NDArray[np.intp]) -> PreScoreResult:
        """Skip Score without the feature gate StorageCapacityScoring."""
        return PreScoreResult(state) if self._shape else PreScoreResult(None, SKIP)

    def score(self, pod: Pod, state: State | None, nodes: NodeTable, rows: NDArray[np.intp]) -> Scores:
        """Score once for each group of nodes that are equal for the claims; 0 for a pod without claims."""
        if state is None or not self._shape:
            return np.zeros(len(rows), np.int64)
        first, group = group_rows(nodes, rows, self._columns(state, nodes))
        return np.array([self._score(state, nodes, row) for row in first], np.int64)[group]

    def _score(self, state: State, nodes: NodeTable, row: int) -> int:
        return scorer.score(self._classes(state, nodes.nodes[row]), self._shape)

    def _classes(self, state: State, node: Node) -> dict[str, scorer.StorageResource]:
        volumes = state.search.find(node.labels, node.name, self.storage.csi_node(node.name))
        return scorer.class_resources(volumes, self.storage, node.labels)

    def explain_score(
        self, pod: Pod, state: State | None, cluster: Cluster, rows: NDArray[np.intp], raw: Scores, index: int
    ) -> ScoreExplanation:
        """Return the utilization and points of each storage class, and their mean."""
        if state is None:
            return ScoreExplanation(["no claims: 0"])
        node = cluster.nodes.nodes[int(rows[index])]
        return ScoreExplanation(scorer.arithmetic(self._classes(state, node), self._shape))

    def reserve(self, pod: Pod, state: State | None, node_name: str) -> Status:
        """Assume the volumes and claims for the node, unless all claims are bound (`AssumePodVolumes`)."""
        if state is None or self._all_bound(pod):
            return SUCCESS
        node = self.storage.cluster.node(node_name)
        assert node is not None
        volumes = state.search.find(node.labels, node_name, self.storage.csi_node(node_name))
        bindings = tuple((claim, with_claim(pv, claim)) for claim, pv in volumes.bindings)
        provisions = tuple(with_selected_node(claim, node_name) for claim in volumes.provisions)
        for _, pv in bindings:
            self.assumed.assume_volume(self.storage, pv)
        for claim in provisions:
            self.assumed.assume_claim(self.storage, claim)
        state.reserved = PodVolumes(bindings, provisions)
        return SUCCESS

    def unreserve(self, pod: Pod, state: State | None, node_name: str) -> None:
        if state is None or state.reserved is None:
            return
        for _, pv in state.reserved.bindings:
            self.assumed.volumes.pop(pv.name, None)
        for claim in state.reserved.provisions:
            self.assumed.claims.pop(claim_key(claim), None)

    def pre_bind(self, pod: Pod, state: State | None, node_name: str) -> Status:
        """Write the assumed objects; the simulated controllers bind them at once (`BindPodVolumes`)."""
        if state is None or state.reserved is None:
            return SUCCESS
        conflict = self.assumed.write_error(self.storage, state.reserved)
        if conflict:
            return Status(Code.ERROR, (conflict,))
        error = bind_volumes(state.reserved, node_name, self.storage, self.handle)
        return Status(Code.ERROR, (f"binding volumes: {error}",)) if error else SUCCESS

    def pre_bind_pre_flight(self, pod: Pod, state: State | None, node_name: str) -> bool:
        return state is not None and state.reserved is not None

    def without_reserve(self, pod: Pod, node_name: str) -> str:
        """Return the error of PreBind if Reserve has not run."""
        if any(volume.claim is not None for volume in pod.volumes):
            return f'failed to get cached bindings for pod "{pod.key}"'
        return f'no pod volume found for node "{node_name}"'

    def events_to_register(self) -> Sequence[RegisteredEvent]:
        add_or_update = Action.ADD | Action.UPDATE
        return (
            RegisteredEvent(ClusterEvent("storage.k8s.io/StorageClass", add_or_update), after_storage_class_change),
            RegisteredEvent(ClusterEvent("PersistentVolumeClaim", add_or_update), after_own_claim),
            RegisteredEvent(ClusterEvent("PersistentVolume", add_or_update)),
            RegisteredEvent(ClusterEvent("Node", Action.ADD | Action.UPDATE_NODE_LABEL)),
            RegisteredEvent(ClusterEvent("storage.k8s.io/CSINode", add_or_update), after_csi_node_change),
            RegisteredEvent(ClusterEvent("storage.k8s.io/CSIDriver", Action.UPDATE), after_csi_driver_change),
            RegisteredEvent(ClusterEvent("storage.k8s.io/CSIStorageCapacity", add_or_update), after_capacity_change),
        )

    def explain_filter(
        self, pod: Pod, state: State, cluster: Cluster, row: int, change: Change | None = None
    ) -> list[Fact]:
        node = cluster.nodes.nodes[row]
        return volume_binding_facts.facts(state.search, node, self.storage.csi_node(node.name))

    def _judge(self, state: State, keys: list[str], nodes: NodeTable, row: int) -> Status:
        node = nodes.nodes[row]
        csi_node = self.storage.csi_node(node.name)
        key = (
            tuple(node.labels.get(label) for label in keys),
            node.name if state.search.by_name else "",
            csi_node.migrated if csi_node is not None and state.search.by_csi_node else None,
        )
        if key not in state.answers:
            try:
                volumes = state.search.find(node.labels, node.name, csi_node)
            except BinderError as error:
                state.answers[key] = Status(Code.ERROR, (str(error),))
            else:
                state.answers[key] = self._status(volumes.reasons)
        return state.answers[key]

    def _status(self, reasons: tuple[str, ...]) -> Status:
        texts = tuple(self._old_reasons.get(reason, reason) for reason in reasons)
        return Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, texts) if texts else SUCCESS

    def _migrated(self, nodes: NodeTable) -> NDArray[np.intp]:
        """Return a column of codes for the migrated in-tree plugins in each node's CSINode."""
        number: dict[object, int] = {}
        csi_nodes = (self.storage.csi_node(name) for name in nodes.names)
        views = (None if csi_node is None else csi_node.migrated for csi_node in csi_nodes)
        return np.array([number.setdefault(view, len(number)) for view in views], np.intp)

    def _all_bound(self, pod: Pod) -> bool:
        keys = [f"{pod.namespace}/{volume.claim}" for volume in pod.volumes if volume.claim is not None]
        claims = [self.assumed.claim(self.storage, key) for key in keys]
        return all(claim is not None and fully_bound(claim) for claim in claims)


def claim_error(pod: Pod, storage: Storage) -> str:
    """Return the error of the pod's first claim that cannot be used, "" if there is none (`podHasPVCs`)."""
    for volume in pod.volumes:
        if volume.claim is None:
            continue
        claim = storage.persistent_volume_claim(f"{pod.namespace}/{volume.claim}")
        if claim is None and volume.ephemeral:
            waiting = "waiting for ephemeral volume controller to create the persistentvolumeclaim"
            return f'{waiting} "{volume.claim}"'
        if claim is None:
            return not_found("persistentvolumeclaim", volume.claim)
        if claim.phase == "Lost":
            return f'persistentvolumeclaim "{claim.name}" bound to non-existent persistentvolume "{claim.volume_name}"'
        if claim.terminating:
            return f'persistentvolumeclaim "{claim.name}" is being deleted'
        error = ephemeral_claim_error(pod, claim) if volume.ephemeral else ""
        if error:
            return error
    return ""
