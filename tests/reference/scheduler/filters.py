"""A profile's Filter plugins on one node, one after another, in two passes if pods are nominated to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from scheduler_core.apis.config import Profile
from scheduler_core.apis.core import Node, Pod
from tests.reference.framework.interface import Cycle, NodeInfo, NodeWithPods, Rejection
from tests.reference.plugins import PLUGINS
from tests.reference.scheduler.cluster import ReferenceCluster


@dataclass
class Filters:
    """The filters of one cycle.

    `snapshot`: the nodes that PreFilter reads. `skipped`: the plugins that PreFilter skipped.
    """

    pod: Pod
    profile: Profile
    cluster: ReferenceCluster
    snapshot: Sequence[NodeWithPods]
    skipped: set[str] = field(default_factory=set)
    cycle: Cycle = field(init=False)

    def __post_init__(self) -> None:
        known = self.cluster
        self.cycle = Cycle(
            self.pod,
            self.snapshot,
            self.profile.plugin_args,
            known.namespaces,
            known.workloads,
            known.storage,
            known.images_of,
        )

    def rejection(self, node: Node, removed: Sequence[Pod] = (), put_back: Sequence[Pod] = ()) -> Rejection | None:
        """Run the filters with the pods nominated to the node, then without (`RunFilterPluginsWithNominatedPods`).

        Return the first rejection, or None if the node fits. `removed` pods are left out; `put_back` pods were removed
        and added again.
        """
        nominated = self._nominated_to(node)
        if nominated:
            rejection = self._run(self._node_info(node, nominated, removed, put_back))
            if rejection is not None:
                return rejection
        return self._run(self._node_info(node, (), removed, put_back))

    def _run(self, on: NodeInfo) -> Rejection | None:
        for ref in self.profile.plugins["filter"]:
            if ref.name not in self.skipped:
                code, reasons = PLUGINS[ref.name].filter(self.cycle, on)
                if code != "Success":
                    return Rejection(ref.name, code, reasons)
        return None

    def _node_info(self, node: Node, added: Sequence[Pod], removed: Sequence[Pod], put_back: Sequence[Pod]) -> NodeInfo:
        gone = {pod.key for pod in removed}
        standing = next(pods for other, pods in self.snapshot if other.name == node.name)
        pods = [pod for pod in standing if pod.key not in gone] + list(added)
        ports = self.cluster.ports_on.get(node.name, set()) - {
            port for pod in (*removed, *put_back) for port in pod.host_ports
        }
        ports |= {port for pod in (*put_back, *added) for port in pod.host_ports}
        return NodeInfo(node, pods, ports, added, removed)

    def _nominated_to(self, node: Node) -> list[Pod]:
        """Return the other pods of at least the pod's priority that are nominated to the node."""
        names = [key for key, name in self.cluster.nominated.items() if name == node.name and key != self.pod.key]
        pods = [self.cluster.pending[key] for key in names]
        return [pod for pod in pods if pod.priority >= self.pod.priority]
