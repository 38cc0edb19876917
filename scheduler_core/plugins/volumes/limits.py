"""NodeVolumeLimits: limits the volumes of a CSI driver on a node to the number in its CSINode
(nodevolumelimits/csi.go).

Volumes of the node's pods and VolumeAttachments count, each volume once however many pods use it. The rule is not
linear in the pods, so a what-if evaluates the added and removed pods themselves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.config import PluginArgs
from scheduler_core.apis.core import CSINode, Pod
from scheduler_core.apis.messages import Message, RunEnded
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.about import AboutFile
from scheduler_core.framework.facts import Fact, format_count
from scheduler_core.framework.interface import (
    PASS,
    SKIP,
    SUCCESS,
    Action,
    Change,
    ClusterEvent,
    Code,
    EnqueueExtensions,
    ExplainsFilter,
    FilterPlugin,
    Handle,
    PreFilterExtensions,
    PreFilterPlugin,
    PreFilterResult,
    RegisteredEvent,
    Rows,
    SignPlugin,
    Status,
    Verdicts,
)
from scheduler_core.plugins.helpers.signing import by_volumes
from scheduler_core.plugins.volumes import before_1_32
from scheduler_core.plugins.volumes.attachable import Attachable, is_attachable, is_migratable_inline
from scheduler_core.plugins.volumes.attached import AttachedVolumes, View, attachments_of, view_of, volumes_or_status
from scheduler_core.plugins.volumes.csi_migration import Migrations
from scheduler_core.plugins.volumes.hints import (
    after_attaching_pod_deleted,
    after_attachment_deleted,
    after_csi_node_limits,
    after_own_claim,
)
from scheduler_core.plugins.volumes.listers import Storage

NOTHING_ATTACHED = PreFilterResult(status=SKIP)
EVENTS_BEFORE_1_33 = (  # a CSINode with a higher limit requeues no pod
    RegisteredEvent(ClusterEvent("storage.k8s.io/CSINode", Action.ADD)),
    RegisteredEvent(ClusterEvent("Pod", Action.DELETE), after_attaching_pod_deleted),
    RegisteredEvent(ClusterEvent("PersistentVolumeClaim", Action.ADD), after_own_claim),
    RegisteredEvent(ClusterEvent("storage.k8s.io/VolumeAttachment", Action.DELETE)),
)
EXCEEDED = Status(Code.UNSCHEDULABLE, ("node(s) exceed max volume count",))


class State(msgspec.Struct):
    """Results of this cycle by the node's CSINode (or None): the pod's own volumes, or the status of an error."""

    own: dict[View, Attachable | Status] = {}


class DriverCount(msgspec.Struct, frozen=True):
    """The volumes of one driver on one node: existing ones, those that the pod would add, and the limit."""

    driver: str
    current: int
    new: int
    limit: int

    @property
    def fits(self) -> bool:
        return self.current + self.new <= self.limit


class NodeVolumeLimits(
    PreFilterPlugin, FilterPlugin, PreFilterExtensions, EnqueueExtensions, ExplainsFilter, SignPlugin
):
    """Rejects nodes on which the pod's volumes would exceed the limit of a driver.

    An in-tree volume counts on the nodes where a CSI driver serves it.
    """

    name = "NodeVolumeLimits"
    about = AboutFile("limits.yaml")
    runs_pre_filter = True
    sign_pod = staticmethod(by_volumes)

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        rules = handle.release.rules
        storage_type = Storage if rules.volume_limits_count_attachments else before_1_32.StorageWithoutAttachments
        self.storage = storage_type(
            handle.cluster,
            missing_claims_err=rules.missing_claims_fail_the_counting,
            migrations=Migrations.of(handle.release),
        )
        self.cluster = handle.cluster
        self._requires_drivers = handle.feature_gates.get("VolumeLimitScaling", False)
        self._follows_limits = handle.release.rules.volume_limits_follow_csi_nodes
        self._needs_csi_nodes = rules.inline_volumes_need_a_csi_node
        self._release = handle.release.version
        self._attached: AttachedVolumes | None = None  # None until the first pod with volumes

    def pre_filter(self, pod: Pod, cluster: Cluster) -> PreFilterResult:
        needs_csi_node = self._needs_csi_nodes and any(map(is_migratable_inline, pod.volumes))
        return PreFilterResult(State()) if needs_csi_node or any(map(is_attachable, pod.volumes)) else NOTHING_ATTACHED

    def filter(self, pod: Pod, state: State, nodes: NodeTable, rows: Rows, change: Change | None) -> Verdicts:
        """Filter by counts. Rows with assumed changes, unknown volumes or a missing driver are evaluated one by one.

        Raises RunEnded where kube-scheduler panics.
        """
        if self._attached is None:
            self._attached = AttachedVolumes(self.storage)
        attached = self._attached
        attached.refresh()
        row_numbers = np.arange(len(nodes), dtype=np.intp)[rows]
        if self._needs_csi_nodes and any(map(is_migratable_inline, pod.volumes)):
            self._check_csi_nodes(pod, [nodes.names[row] for row in row_numbers.tolist()])
        numbers = self._exceeding(pod, state, attached, row_numbers).astype(np.int16)
        statuses = [EXCEEDED]
        for code in np.unique(attached.views[row_numbers]).tolist():
            own = self._own(pod, state, attached.examples[code])
            if isinstance(own, Status):
                statuses.append(own)
                numbers[attached.views[row_numbers] == code] = len(statuses)
        for position, row in enumerate(row_numbers.tolist()):
            changed = change is not None and (change.removed[position] or change.added[position])
            if changed or row in attached.failing or self._missing_driver(pod, state, nodes.names[row]):
                status = self._judge(pod, state, row, change, position)
                statuses.append(status)
                numbers[position] = 0 if status.is_success else len(statuses)
        return Verdicts(numbers, statuses) if numbers.any() else PASS

    def _check_csi_nodes(self, pod: Pod, nodes: Iterable[str]) -> None:
        for name in nodes:
            if self.storage.csi_node(name) is None:
                message = Message(
                    "kube-scheduler {release} panics here (nil pointer dereference): {pod} has an in-tree inline "
                    "volume, and node {node} has no CSINode",
                    release=self._release,
                    pod=pod.key,
                    node=name,
                )
                raise RunEnded(message)

    def _exceeding(
        self, pod: Pod, state: State, attached: AttachedVolumes, rows: NDArray[np.intp]
    ) -> NDArray[np.bool_]:
        """Return bool[len(rows)]: where the pod's new volumes would exceed the limit of a driver."""
        over = np.zeros(len(rows), np.bool_)
        for code, csi_node in attached.examples.items():
            own = self._own(pod, state, csi_node)
            same_view = attached.views[rows] == code
            if isinstance(own, Status) or not same_view.any():
                continue
            for driver in set(own.values()) & attached.limits.keys():
                names = [name for name, name_driver in own.items() if name_driver == driver]
                new = np.full(len(attached.views), len(names), np.int64)
                for name in names:
                    new[attached.rows_with(name)] -= 1
                total = attached.count(driver)[rows] + new[rows]
                over |= same_view & (new[rows] > 0) & (total > attached.limits[driver][rows])
        return over

    def read_claims_on(self, nodes: NodeTable, rows: Rows) -> NDArray[np.bool_]:
        """Return bool[len(rows)]: where Filter reads the pod's claims if its PreFilter does not run."""
        return np.ones(len(nodes.all_rows[rows]), np.bool_)

    def events_to_register(self) -> Sequence[RegisteredEvent]:
        if not self._follows_limits:
            return EVENTS_BEFORE_1_33
        return (
            RegisteredEvent(ClusterEvent("storage.k8s.io/CSINode", Action.ADD)),
            RegisteredEvent(ClusterEvent("storage.k8s.io/CSINode", Action.UPDATE), after_csi_node_limits),
            RegisteredEvent(ClusterEvent("Pod", Action.DELETE), after_attaching_pod_deleted),
            RegisteredEvent(ClusterEvent("PersistentVolumeClaim", Action.ADD), after_own_claim),
            RegisteredEvent(ClusterEvent("storage.k8s.io/VolumeAttachment", Action.DELETE), after_attachment_deleted),
        )

    def explain_filter(
        self, pod: Pod, state: State, cluster: Cluster, row: int, change: Change | None = None
    ) -> list[Fact]:
        name = cluster.nodes.names[row]
        counts = self._counts(pod, state, name, self._slots(row, change, 0))
        if isinstance(counts, Status):
            return [_error_fact(counts)]
        return [_fact(name, count) for count in counts] or [_no_limit_fact(name)]

    def _judge(self, pod: Pod, state: State, row: int, change: Change | None, position: int) -> Status:
        """Return the verdict of one node, computed from its pods."""
        counts = self._counts(pod, state, self.cluster.nodes.names[row], self._slots(row, change, position))
        if isinstance(counts, Status):
            return counts
        return SUCCESS if all(count.fits for count in counts) else EXCEEDED

    def _counts(self, pod: Pod, state: State, node_name: str, slots: Iterable[int]) -> list[DriverCount] | Status:
        """Return an entry for every driver with a limit whose volumes the pod would add, or the error."""
        csi_node = self.storage.csi_node(node_name)
        new = self._own(pod, state, csi_node)
        if isinstance(new, Status):
            return new
        if driver := self._missing_driver(pod, state, node_name):
            return Status(Code.UNSCHEDULABLE, (f"{driver} CSI driver is not installed on the node",))
        limits = self.storage.volume_limits(node_name)
        if not new or not limits:
            return []
        attached: Attachable = {}
        for slot in slots:
            volumes = volumes_or_status(self.cluster.pods.pods[slot], csi_node, self.storage, new=False)
            if isinstance(volumes, Status):
                return volumes
            attached.update(volumes)
        current = Counter(attached.values())
        current.update(d for name, d in attachments_of(node_name, self.storage).items() if name not in attached)
        added = Counter(driver for name, driver in new.items() if name not in attached)
        return [DriverCount(d, current[d], n, limits[d]) for d, n in added.items() if d in limits]

    def _missing_driver(self, pod: Pod, state: State, node_name: str) -> str:
        """Return a driver that the pod needs and the node lacks, "" if there is none (checkCSIDriverOnNode).

        Without the feature gate VolumeLimitScaling, no driver is required.
        """
        if not self._requires_drivers:
            return ""
        csi_node = self.storage.csi_node(node_name)
        own = self._own(pod, state, csi_node)
        for name in () if isinstance(own, Status) else dict.fromkeys(own.values()):
            driver = self.storage.csi_driver(name)
            if driver is not None and driver.must_be_installed and (csi_node is None or name not in csi_node.limits):
                return name
        return ""

    def _own(self, pod: Pod, state: State, csi_node: CSINode | None) -> Attachable | Status:
        """Return the pod's own volumes on a node with this CSINode, or the status if they cannot be determined."""
        view = view_of(csi_node)
        if view not in state.own:
            state.own[view] = volumes_or_status(pod, csi_node, self.storage, new=True)
        return state.own[view]

    def _slots(self, row: int, change: Change | None, position: int) -> list[int]:
        """Return the slots of the pods on the node after the change."""
        slots = list(self.cluster.pods.on_row(row))
        if change is None:
            return slots
        removed = set(change.removed[position])
        return [slot for slot in slots if slot not in removed] + change.added[position]


def _fact(node: str, count: DriverCount) -> Fact:
    return Fact(
        "NodeVolumeLimits.driver",
        left=f"{count.current} + {count.new}",
        op="≤" if count.fits else ">",
        right=str(count.limit),
        holds=count.fits,
        values={"driver": count.driver, "attached": count.current, "new": count.new, "limit": count.limit},
        text=f"{node} has {format_count(count.current, 'volume')} of {count.driver} attached, the pod adds {count.new},"
        f" and its CSINode allows {count.limit}.",
        field="spec.volumes",
    )


def _no_limit_fact(node: str) -> Fact:
    return Fact(
        "NodeVolumeLimits.driver",
        left="new volumes of a driver with a limit",
        op="=",
        right="0",
        holds=True,
        text=f"The pod adds no volume of a driver that has a limit in {node}'s CSINode.",
        field="spec.volumes",
    )


def _error_fact(status: Status) -> Fact:
    return Fact("NodeVolumeLimits.volumes", "the pod's volumes", "=", "known", holds=False, text=f"{status.message}.")
