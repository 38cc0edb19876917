"""NodePorts. Rule: kube-scheduler's nodeports, and the framework's HostPortInfo."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from scheduler_core.apis.constraints import HostPort
from scheduler_core.apis.core import Pod, Workload
from tests.reference.framework.cluster_event import Event
from tests.reference.framework.interface import FITS, UNSCHEDULABLE, Cycle, NodeInfo, Plugin, Verdict


class NodePorts(Plugin):
    events = {"Node": ("Add",), "Pod": ("Delete",)}

    def filter(self, cycle: Cycle, on: NodeInfo) -> Verdict:
        """Reject a node on which a requested host port is in use."""
        if conflict(cycle.pod.host_ports, on.ports):
            return UNSCHEDULABLE, ("node(s) didn't have free ports for the requested pod ports",)
        return FITS

    def hint(self, event: Event, pod: Pod, args: Any, workloads: Sequence[Workload]) -> bool:
        """Return whether a node is new, or an assigned or nominated pod with conflicting ports was deleted."""
        if event.kind == "Node":
            return True
        had_a_place = bool(event.old.node_name or event.old.nominated_node_name)
        return had_a_place and conflict(pod.host_ports, event.old.host_ports)


def conflict(wanted: Iterable[HostPort], used: Iterable[HostPort]) -> bool:
    return any(
        (one.protocol, one.port) == (two.protocol, two.port) and (one.ip == two.ip or "0.0.0.0" in (one.ip, two.ip))
        for one in wanted
        for two in used
    )
