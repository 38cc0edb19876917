"""GeneralPredicates in 1.15 and 1.16: resources, host name, host ports and node selector as one predicate.

kube-scheduler: algorithm/predicates/predicates.go (GeneralPredicates). All parts are checked and all their reasons are
reported; one unresolvable reason makes the node unresolvable.
"""

from __future__ import annotations

from functools import reduce

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from scheduler_core.apis.config import PluginArgs
from scheduler_core.apis.core import Pod
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.about import AboutFile
from scheduler_core.framework.facts import Fact
from scheduler_core.framework.interface import (
    PASS,
    Change,
    ExplainsFilter,
    FilterPlugin,
    Handle,
    PreFilterExtensions,
    PreFilterPlugin,
    PreFilterResult,
    Rows,
    Status,
    Verdicts,
)
from scheduler_core.framework.runtime.before_1_26 import merge
from scheduler_core.plugins.before_1_19.small import NodeAffinity, NodeName
from scheduler_core.plugins.node_resources.fit import NodeResourcesFit
from scheduler_core.plugins.small.node_ports import NodePorts

TOO_MANY_PODS, INSUFFICIENT_PODS = "Too many pods", "Insufficient pods"


class PodFitsResources(NodeResourcesFit):
    """The predicate PodFitsResources. A node with too many pods has the reason "Insufficient pods"."""

    name = "PodFitsResources"

    def filter(self, pod: Pod, state: object, nodes: NodeTable, rows: Rows, change: Change | None) -> Verdicts:
        verdicts = super().filter(pod, state, nodes, rows, change)  # type: ignore[arg-type]
        return replace(verdicts, statuses=[_with_old_reason(status) for status in verdicts.statuses])


class PodFitsHostPorts(NodePorts):
    name = "PodFitsHostPorts"


class HostName(NodeName):
    name = "HostName"


class MatchNodeSelector(NodeAffinity):
    name = "MatchNodeSelector"


class State(msgspec.Struct, frozen=True):
    """The states of the parts. `ports` None: the pod requests no host port."""

    resources: object
    ports: NDArray[np.bool_] | None


class GeneralPredicates(PreFilterPlugin, FilterPlugin, PreFilterExtensions, ExplainsFilter):
    """Four predicates in one. The counters (add_pod_delta) are those of the resources."""

    name = "GeneralPredicates"
    about = AboutFile("about/general_predicates.yaml")

    def __init__(self, args: PluginArgs | None, handle: Handle) -> None:
        self._resources, self._ports = PodFitsResources(args, handle), PodFitsHostPorts(None, handle)
        self._name, self._selector = HostName(None, handle), MatchNodeSelector(None, handle)

    def pre_filter(self, pod: Pod, cluster: Cluster) -> PreFilterResult:
        resources = self._resources.pre_filter(pod, cluster).state
        return PreFilterResult(State(resources, self._ports.pre_filter(pod, cluster).state))

    def filter(self, pod: Pod, state: State, nodes: NodeTable, rows: Rows, change: Change | None) -> Verdicts:
        results = [
            self._resources.filter(pod, state.resources, nodes, rows, change),
            self._name.filter(pod, None, nodes, rows, None),
            PASS if state.ports is None else self._ports.filter(pod, state.ports, nodes, rows, change),
            self._selector.filter(pod, None, nodes, rows, None),
        ]
        return reduce(
            merge, (result for result in results if len(result.numbers)), Verdicts.passing(len(nodes.all_rows[rows]))
        )

    def add_pod_delta(
        self, pod: Pod, state: State, cluster: Cluster, slots: NDArray[np.intp], rows: NDArray[np.intp]
    ) -> NDArray[np.int64]:
        return self._resources.add_pod_delta(pod, state.resources, cluster, slots, rows)  # type: ignore[arg-type]

    def explain_filter(
        self, pod: Pod, state: State, cluster: Cluster, row: int, change: Change | None = None
    ) -> list[Fact]:
        """Return the facts of the predicates that it combines."""
        facts = self._resources.explain_filter(pod, state.resources, cluster, row, change)  # type: ignore[arg-type]
        facts += self._name.explain_filter(pod, None, cluster, row)
        if state.ports is not None:
            facts += self._ports.explain_filter(pod, state.ports, cluster, row, change)
        return facts + self._selector.explain_filter(pod, None, cluster, row)


def _with_old_reason(status: Status) -> Status:
    if TOO_MANY_PODS not in status.reasons:
        return status
    return replace(
        status, reasons=tuple(INSUFFICIENT_PODS if reason == TOO_MANY_PODS else reason for reason in status.reasons)
    )
