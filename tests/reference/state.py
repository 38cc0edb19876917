"""What the scheduler's cache, nominator and the played controllers know, as lists and dicts."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from scheduler_core.objects import HostPort, Namespace, Node, Pod, PodDisruptionBudget, Workload

REGION, BETA_REGION = "topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region"
ZONE, BETA_ZONE = "topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"


@dataclass
class ReferenceCluster:
    """`pods_on[node]` in order of arrival; `gone_at` is when a terminating victim disappears.

    `ports_on[node]` is a set, so a pod that leaves frees its host ports even if another pod on the node shares them.
    """

    nodes: list[Node] = field(default_factory=list)
    pods_on: dict[str, list[Pod]] = field(default_factory=dict)
    ports_on: dict[str, set[HostPort]] = field(default_factory=dict)
    pending: dict[str, Pod] = field(default_factory=dict)
    nominated: dict[str, str] = field(default_factory=dict)
    gone_at: dict[str, float] = field(default_factory=dict)
    budgets: list[PodDisruptionBudget] = field(default_factory=list)
    workloads: list[Workload] = field(default_factory=list)
    namespaces: dict[str, Mapping[str, str]] = field(default_factory=dict)
    next_start_node_index: int = 0

    def create(self, item: object) -> None:
        """Take over an object of a parsed scenario."""
        if isinstance(item, Node):
            self.nodes.append(item)
            self.pods_on[item.name], self.ports_on[item.name] = [], set()
        elif isinstance(item, PodDisruptionBudget):
            self.budgets.append(item)
        elif isinstance(item, Workload):
            self.workloads.append(item)
        elif isinstance(item, Namespace):
            self.namespaces[item.name] = item.labels
        elif isinstance(item, Pod) and item.node_name:
            self.pods_on[item.node_name].append(item)
            self.ports_on[item.node_name] |= set(item.host_ports)
        elif isinstance(item, Pod):
            self.pending[item.key] = item

    def delete_pod(self, key: str) -> None:
        """A pod is deleted by the timeline, at once."""
        self.pending.pop(key, None)
        self.nominated.pop(key, None)
        self.gone_at.pop(key, None)
        self._remove(key)

    def snapshot(self) -> list[tuple[Node, list[Pod]]]:
        """Every node with its pods, in node-tree order: one node of each zone in turn (`nodeTree.list`)."""
        zones: dict[str, list[Node]] = {}
        for node in self.nodes:
            zones.setdefault(zone_of(node), []).append(node)
        longest = max((len(nodes) for nodes in zones.values()), default=0)
        ordered = [nodes[turn] for turn in range(longest) for nodes in zones.values() if turn < len(nodes)]
        return [(node, list(self.pods_on[node.name])) for node in ordered]

    def finish_terminations(self, now: float) -> None:
        """Pods whose termination has ended by now are gone."""
        for key in [key for key, at in self.gone_at.items() if at <= now]:
            del self.gone_at[key]
            self._remove(key)

    def bind(self, pod: Pod, node: str, now: float) -> None:
        """The pod runs on the node from now on; its start time has whole seconds."""
        del self.pending[pod.key]
        self.nominated.pop(pod.key, None)
        bound = dataclasses.replace(pod, node_name=node, phase="Running", start_time=float(math.floor(now)))
        self.pods_on[node].append(bound)
        self.ports_on[node] |= set(pod.host_ports)

    def evict(self, victim: Pod, now: float) -> None:
        """Delete a victim: at once, or marked as terminating until its termination seconds are over.

        Its condition and its deletion are two updates; the cache takes an updated pod off the node and puts it back.
        """
        if not victim.disruption_target:
            victim = self._update(victim, disruption_target=True)
        if victim.terminating:
            return
        if victim.termination_seconds <= 0:
            self._remove(victim.key)
            return
        self._update(victim, terminating=True)
        self.gone_at[victim.key] = now + victim.termination_seconds

    def _update(self, pod: Pod, **fields: bool) -> Pod:
        updated = dataclasses.replace(pod, **fields)
        self._remove(pod.key)
        self.pods_on[pod.node_name].append(updated)
        self.ports_on[pod.node_name] |= set(pod.host_ports)
        return updated

    def disruptions_allowed(self, budget: PodDisruptionBudget) -> int:
        """What the disruption controller would have written into the budget's status."""
        if budget.disruptions_allowed is not None:
            return budget.disruptions_allowed
        running = [pod for pods in self.pods_on.values() for pod in pods]
        counted = [pod for pod in running if _controlled(budget, pod)]
        expected = len(counted) + sum(_controlled(budget, pod) for pod in self.pending.values())
        healthy = sum(not pod.terminating for pod in counted)
        if budget.max_unavailable is not None:
            desired = max(0, expected - _scaled(budget.max_unavailable, expected))
        elif budget.min_available is not None:
            desired = _scaled(budget.min_available, expected)
        else:
            desired = 1
        return max(0, healthy - desired) if expected else 0

    def _remove(self, key: str) -> None:
        for node, pods in self.pods_on.items():
            for index, pod in enumerate(pods):
                if pod.key == key:
                    self.ports_on[node] -= set(pod.host_ports)
                    pods[index] = pods[-1]  # NodeInfo.RemovePod moves the last pod into the hole
                    pods.pop()
                    return


def zone_of(node: Node) -> str:
    """`GetZoneKey`: region and zone, each by its beta label if that is there (even empty), else by its stable one."""
    region = node.labels.get(BETA_REGION, node.labels.get(REGION, ""))
    zone = node.labels.get(BETA_ZONE, node.labels.get(ZONE, ""))
    return f"{region}:\0:{zone}" if region or zone else ""


def _controlled(budget: PodDisruptionBudget, pod: Pod) -> bool:
    return pod.namespace == budget.namespace and budget.controller_selector.matches(pod.labels)


def _scaled(value: int | str, total: int) -> int:
    """An int as it is, a percentage of the total rounded up."""
    return value if isinstance(value, int) else -(-int(value.rstrip("%")) * total // 100)
