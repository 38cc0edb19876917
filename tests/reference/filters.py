"""The Filter plugins of a profile on one node, one after the other, and the two passes for nominated pods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from scheduler_core.apis.config import (
    InterPodAffinityArgs,
    NodeAffinityArgs,
    NodeResourcesFitArgs,
    PodTopologySpreadArgs,
    Profile,
)
from scheduler_core.apis.core import Node, Pod
from tests.reference import inter_pod_affinity, node_plugins, pod_topology_spread, resources, volume_binding, volumes
from tests.reference.state import ReferenceCluster
from tests.reference.volumes import Storage

Snapshot = Sequence[tuple[Node, Sequence[Pod]]]


@dataclass(frozen=True)
class Rejection:
    """The first plugin that rejects a node; `plugin` "" stands for a status that no filter gave."""

    plugin: str
    code: str
    reasons: tuple[str, ...]


@dataclass
class Filters:
    """One cycle's filters: the pod, the profile, the snapshot that PreFilter looked at, and what it skipped."""

    pod: Pod
    profile: Profile
    cluster: ReferenceCluster
    snapshot: Snapshot
    skipped: set[str] = field(default_factory=set)
    storage: Storage = field(init=False)

    def __post_init__(self) -> None:
        self.storage = self.cluster.storage

    def fits_with_nominated(
        self, node: Node, removed: Sequence[Pod] = (), put_back: Sequence[Pod] = ()
    ) -> Rejection | None:
        """`RunFilterPluginsWithNominatedPods`: first with the nominated pods that matter added, then without.

        `removed` pods are imagined away; `put_back` ones were, and then were given back.
        """
        nominated = self._nominated_to(node)
        if nominated:
            rejection = self._run(node, nominated, removed, put_back)
            if rejection is not None:
                return rejection
        return self._run(node, (), removed, put_back)

    def _run(
        self, node: Node, added: Sequence[Pod], removed: Sequence[Pod], put_back: Sequence[Pod]
    ) -> Rejection | None:
        gone = {pod.key for pod in removed}
        standing = next(pods for other, pods in self.snapshot if other.name == node.name)
        pods = [pod for pod in standing if pod.key not in gone] + list(added)
        ports = self.cluster.ports_on.get(node.name, set()) - {
            port for pod in (*removed, *put_back) for port in pod.host_ports
        }
        ports |= {port for pod in (*put_back, *added) for port in pod.host_ports}
        for ref in self.profile.plugins["filter"]:
            if ref.name in self.skipped:
                continue
            if ref.name == "NodePorts":
                code, reasons = node_plugins.filter_ports(self.pod, ports)
            else:
                code, reasons = self._verdict(ref.name, node, pods, added, removed)
            if code != "Success":
                return Rejection(ref.name, code, reasons)
        return None

    def _nominated_to(self, node: Node) -> list[Pod]:
        """Pods of at least this priority that are nominated to the node, the pod itself left out."""
        names = [key for key, name in self.cluster.nominated.items() if name == node.name and key != self.pod.key]
        pods = [self.cluster.pending[key] for key in names]
        return [pod for pod in pods if pod.priority >= self.pod.priority]

    def _verdict(
        self, plugin: str, node: Node, pods: Sequence[Pod], added: Sequence[Pod], removed: Sequence[Pod]
    ) -> tuple[str, tuple[str, ...]]:
        args = self.profile.plugin_args.get(plugin)
        match plugin:
            case "NodeUnschedulable":
                return node_plugins.filter_unschedulable(self.pod, node)
            case "TaintToleration":
                return node_plugins.filter_taints(self.pod, node)
            case "NodeAffinity":
                assert isinstance(args, NodeAffinityArgs)
                return node_plugins.filter_node_affinity(self.pod, node, args)
            case "NodeResourcesFit":
                assert isinstance(args, NodeResourcesFitArgs)
                return resources.filter_fit(self.pod, node, pods, args)
            case "PodTopologySpread":
                assert isinstance(args, PodTopologySpreadArgs)
                workloads = self.cluster.workloads
                return pod_topology_spread.filter(self.pod, node, self.snapshot, args, workloads, added, removed)
            case "InterPodAffinity":
                assert isinstance(args, InterPodAffinityArgs)
                return inter_pod_affinity.filter(self.pod, node, self.snapshot, self.cluster.namespaces, added, removed)
            case "VolumeRestrictions":
                on = node, pods
                found = volumes.restrictions_filter(self.pod, on, self.snapshot, self.storage, added, removed)
                return found or node_plugins.FITS
            case "NodeVolumeLimits":
                return volumes.limits_filter(self.pod, (node, pods), self.storage) or node_plugins.FITS
            case "VolumeBinding":
                return volume_binding.binding_filter(self.pod, node, self.storage) or node_plugins.FITS
            case "VolumeZone":
                return volumes.zone_filter(self.pod, node, self.storage) or node_plugins.FITS
        return node_plugins.FITS  # NodeName, and DynamicResources for pods without claims
