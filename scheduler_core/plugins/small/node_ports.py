"""NodePorts: a host port can be used once per node (kube-scheduler: plugins/nodeports, framework.HostPortInfo)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.config import PluginArgs
from scheduler_core.apis.constraints import HostPort
from scheduler_core.apis.core import Pod
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.about import AboutFile
from scheduler_core.framework.facts import Fact, join_names
from scheduler_core.framework.interface import (
    SKIP,
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
    QueueingHint,
    RegisteredEvent,
    Rows,
    SignPlugin,
    Status,
    Verdicts,
)
from scheduler_core.plugins.helpers.signing import by_host_ports

NO_FREE_PORTS = Status(Code.UNSCHEDULABLE, ("node(s) didn't have free ports for the requested pod ports",))
NO_PORTS_WANTED = PreFilterResult(status=SKIP)
ANY_IP = "0.0.0.0"  # noqa: S104, an address in a manifest


class NodePorts(PreFilterPlugin, FilterPlugin, PreFilterExtensions, EnqueueExtensions, ExplainsFilter, SignPlugin):
    """Rejects nodes with port conflicts.

    Used ports are a set: a removed pod frees its ports even if other pods share them.
    """

    name = "NodePorts"
    about = AboutFile("node_ports.yaml")
    without_pre_filter = 'reading "PreFilterNodePorts" from cycleState: not found'
    sign_pod = staticmethod(by_host_ports)

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        self._pods = handle.cluster.pods

    def pre_filter(self, pod: Pod, cluster: Cluster) -> PreFilterResult:
        """Return bool[N] as the state: whether a host port of the pod is in use on each node. Skip pods without any."""
        if not pod.host_ports:
            return NO_PORTS_WANTED
        conflicts = np.zeros(len(cluster.nodes), np.bool_)
        for name, used in cluster.pods.used_ports.items():
            row = cluster.nodes.row_of.get(name)
            if row is not None and conflict(pod.host_ports, used):
                conflicts[row] = True
        return PreFilterResult(conflicts)

    def filter(
        self, pod: Pod, state: NDArray[np.bool_], nodes: NodeTable, rows: Rows, change: Change | None
    ) -> Verdicts:
        conflicts = state[rows]
        if change is not None:
            numbers = np.arange(len(nodes))[rows].tolist()
            rejected = [
                conflict(pod.host_ports, self._used_ports(nodes.names[r], i, change)) for i, r in enumerate(numbers)
            ]
            conflicts = np.array(rejected, np.bool_)
        return Verdicts.reject(conflicts, NO_FREE_PORTS)

    def _used_ports(self, node_name: str, position: int, change: Change) -> set[HostPort]:
        """Return the used ports after all pods in the change are removed, and those that stay or are new are added."""
        used = set(self._pods.used_ports.get(node_name, ()))
        mentioned = change.mentioned[position]
        for slot, _ in mentioned:
            if self._pods.node_name[slot] == node_name:
                used -= set(self._pods.pods[slot].host_ports)
        for slot, sign in mentioned:
            if sign >= 0:
                used |= set(self._pods.pods[slot].host_ports)
        return used

    def events_to_register(self) -> Sequence[RegisteredEvent]:
        return (
            RegisteredEvent(ClusterEvent("Pod", Action.DELETE), _after_pod_deleted),
            RegisteredEvent(ClusterEvent("Node", Action.ADD)),
        )

    def explain_filter(
        self, pod: Pod, state: NDArray[np.bool_], cluster: Cluster, row: int, change: Change | None = None
    ) -> list[Fact]:
        """Return one fact for each port that the pod requests."""
        name, pods = cluster.nodes.names[row], cluster.pods
        used = pods.used_ports.get(name, ()) if change is None else self._used_ports(name, 0, change)
        slots = [*pods.on_row(row), *(change.added[0] if change is not None else ())]
        return [_port_fact(port, used, [pods.pods[slot] for slot in slots], name) for port in pod.host_ports]


def conflict(requested: Iterable[HostPort], used: Iterable[HostPort]) -> bool:
    """Return whether any two ports conflict: same number and protocol, and the same address or one that is 0.0.0.0."""
    return any(
        want.port == have.port
        and want.protocol == have.protocol
        and (want.ip == have.ip or ANY_IP in (want.ip, have.ip))
        for want in requested
        for have in used
    )


def _after_pod_deleted(pod: Pod, old: Pod, new: None) -> QueueingHint:
    """Queue the pod if the deleted pod used one of its host ports."""
    frees_port = bool(old.node_name or old.nominated_node_name) and conflict(pod.host_ports, old.host_ports)
    return QueueingHint.QUEUE if frees_port else QueueingHint.SKIP


def _port_fact(port: HostPort, used: Iterable[HostPort], others: Sequence[Pod], node: str) -> Fact:
    name = f"{port.port}/{port.protocol}" if port.ip == ANY_IP else f"{port.ip}:{port.port}/{port.protocol}"
    free = not conflict((port,), used)
    users = [] if free else [other.key for other in others if conflict((port,), other.host_ports)]
    state = "free" if free else f"taken by {join_names(users)}"
    return Fact(
        "NodePorts.port",
        left=name,
        op="∉" if free else "∈",
        right=f"{node}'s taken host ports",
        holds=free,
        values={"port": port.port, "protocol": port.protocol, "ip": port.ip, "pods": ", ".join(users)},
        text=f"The pod wants the host port {name}; on {node} it is {state}.",
        field="spec.containers[*].ports[*].hostPort",
    )
