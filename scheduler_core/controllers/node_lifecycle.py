"""node-lifecycle-controller (pkg/controller/nodelifecycle): nodes that stop reporting, and their taints.

Nodes are checked every `monitorPeriodSeconds`. The real passes have no fixed phase; here they are 0.8 of a period after
its multiples, as in the recorded runs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import msgspec
from msgspec.structs import replace

from scheduler_core.apis.constraints import Taint
from scheduler_core.apis.core import Node
from scheduler_core.controllers.api import Api
from scheduler_core.controllers.causes import because
from scheduler_core.trace.controller_events import PodReadinessChanged

PREFIX = "node.kubernetes.io/"
UNSCHEDULABLE, NOT_READY, UNREACHABLE = PREFIX + "unschedulable", PREFIX + "not-ready", PREFIX + "unreachable"
OUT_OF_SERVICE = PREFIX + "out-of-service"
OF_CONDITIONS = {"False": NOT_READY, "Unknown": UNREACHABLE}
PHASE = 0.8
NAME = "node-controller"
EVICTIONS = " evictions"  # not a valid name of a node
Zone = str
Disruption = Literal["Normal", "PartialDisruption", "FullDisruption"]


class Monitor(msgspec.Struct):
    """The monitor's memory: when each node last reported, and the nodes that wait for a NoExecute taint, by zone."""

    heard: dict[str, float] = {}
    queues: dict[Zone, list[str]] = {}
    tokens: dict[Zone, float] = {}  # when the next NoExecute taint may be written
    states: dict[Zone, Disruption] = {}
    all_lost: bool = False
    is_planned: bool = False


def monitor_of(api: Api) -> Monitor:
    """Return the monitor's memory."""
    known: Monitor = api.memory.setdefault("node-lifecycle", Monitor())
    return known


def reconcile(key: str, api: Api) -> None:
    """Set a node's NoSchedule taints, or for key "" make a pass over all nodes, or for EVICTIONS over the queues."""
    if key == EVICTIONS:
        _Pass(api).taint()
    elif key:
        node = api.cluster.node(key)
        if node is not None:
            set_no_schedule_taints(node, api)
            status = api.node_status(key)
            if status.lost or status.ready != "True" or is_evicting(node):
                _plan_pass(api)
    else:
        monitor_of(api).is_planned = False
        _Pass(api).run()


def set_no_schedule_taints(node: Node, api: Api) -> None:
    """Set the NoSchedule taints that a node's conditions and cordon require (doNoScheduleTaintingPass)."""
    wanted = [UNSCHEDULABLE] if node.unschedulable else []
    ready = api.node_status(node.name).ready
    if ready in OF_CONDITIONS:
        wanted.append(OF_CONDITIONS[ready])
    managed = (UNSCHEDULABLE, NOT_READY, UNREACHABLE)
    others = [t for t in node.taints if t.effect != "NoSchedule" or t.key not in managed]
    given = {t.key for t in node.taints if t.effect == "NoSchedule" and t.key in managed}
    if given != set(wanted):
        write_taints(node, (*others, *(Taint(key, "", "NoSchedule") for key in wanted)), api)


def write_taints(node: Node, taints: Iterable[Taint], api: Api) -> None:
    """Write the taints of a node if they differ from the stored ones."""
    wanted = tuple(taints)
    if wanted != node.taints:
        api.apply_object(with_taints(node, wanted), "update", because("node-condition", node=node.name))


def with_taints(node: Node, taints: Sequence[Taint]) -> Node:
    """Return the node with other taints."""
    entries = [{"key": t.key, **({"value": t.value} if t.value else {}), "effect": t.effect} for t in taints]
    spec = {**(node.manifest.get("spec") or {}), "taints": entries}
    return replace(node, taints=tuple(taints), manifest={**node.manifest, "spec": spec})


def new_node(node: Node) -> Node:
    """Return a node as it is admitted: no pod is scheduled to it until it is Ready (TaintNodesByCondition)."""
    return with_taints(node, (*node.taints, Taint(NOT_READY, "", "NoSchedule")))


def cordoned(node: Node) -> Node:
    """Return a cordoned node with its taint."""
    if any(taint.key == UNSCHEDULABLE for taint in node.taints):
        return node
    return with_taints(node, (*node.taints, Taint(UNSCHEDULABLE, "", "NoSchedule")))


def _plan_pass(api: Api) -> None:
    """Plan the next pass of the monitor."""
    monitor, period = monitor_of(api), api.settings.monitor_seconds
    if not monitor.is_planned:
        monitor.is_planned = True
        passes = math.floor(round(api.now / period - PHASE, 6)) + 1
        api.later(max((passes + PHASE) * period - api.now, 0.0), "")


class _Pass:
    """A pass over all nodes (monitorNodeHealth)."""

    def __init__(self, api: Api) -> None:
        self._api, self._monitor = api, monitor_of(api)
        self._settings = api.settings
        default = api.release.rules.node_monitor_grace_seconds
        given = self._settings.monitor_grace_seconds
        self._grace = float(default) if given is None else given

    def run(self) -> None:
        nodes = self._api.cluster.all_nodes()
        for node in nodes:
            self._check_node(node)
        self.taint()
        self._handle_disruption(nodes)
        waits = any(self._monitor.queues.values()) and not self._monitor.all_lost
        if waits or any(self._concerns(node) for node in nodes):
            _plan_pass(self._api)

    def _concerns(self, node: Node) -> bool:
        """Return whether a later pass may still change the node."""
        status = self._api.node_status(node.name)
        evicts = is_evicting(node)
        if status.lost:
            return status.ready == "True" or not evicts
        return status.ready != "True" or evicts

    def _check_node(self, node: Node) -> None:
        api, monitor = self._api, self._monitor
        status = api.node_status(node.name)
        if not status.lost:
            monitor.heard[node.name] = api.now
            if status.ready == "True":
                self._mark_reachable(node)
            else:
                self._queue(node)
            return
        heard = monitor.heard.setdefault(node.name, api.now)
        if api.now - heard >= self._grace - 1e-9 and status.ready != "Unknown":
            was_ready = status.ready == "True"
            api.set_node_status(node, replace(status, ready="Unknown", changed=api.second), "NodeStatusUnknown")
            self._queue(node)
            if was_ready:
                message = f"Node {node.name} status is now: NodeNotReady"
                api.record(node, "NodeNotReady", message, source=NAME)
                mark_pods_not_ready(node, api)
        elif status.ready != "True":
            self._queue(node)

    def _queue(self, node: Node) -> None:
        queue = self._monitor.queues.setdefault(zone_of(node), [])
        key = OF_CONDITIONS.get(self._api.node_status(node.name).ready)
        if key and node.name not in queue and not any(t.effect == "NoExecute" and t.key == key for t in node.taints):
            queue.append(node.name)

    def _mark_reachable(self, node: Node) -> None:
        """Remove the NoExecute taints of a node that reports (markNodeAsReachable)."""
        queue = self._monitor.queues.get(zone_of(node), [])
        if node.name in queue:
            queue.remove(node.name)
        kept = [t for t in node.taints if t.effect != "NoExecute" or t.key not in OF_CONDITIONS.values()]
        write_taints(node, kept, self._api)

    def taint(self) -> None:
        """Write the NoExecute taints that the rate of each zone allows (doNoExecuteTaintingPass)."""
        for zone, queue in self._monitor.queues.items():
            rate = self._rate(zone)
            while queue and rate > 0 and self._monitor.tokens.get(zone, 0.0) <= self._api.now + 1e-9:
                node = self._api.cluster.node(queue.pop(0))
                self._monitor.tokens[zone] = self._api.now + 1.0 / rate
                ready = self._api.node_status(node.name).ready if node is not None else "True"
                if node is None or ready not in OF_CONDITIONS:
                    continue
                taint = Taint(OF_CONDITIONS[ready], "", "NoExecute")
                write_taints(node, (*node.taints, taint), self._api)
            if queue and rate > 0:
                self._api.later(max(self._monitor.tokens[zone] - self._api.now, 0.0), EVICTIONS)

    def _rate(self, zone: Zone) -> float:
        """Return the number of nodes per second in a zone that may get a NoExecute taint."""
        if self._monitor.all_lost:
            return 0.0
        if self._monitor.states.get(zone) != "PartialDisruption":
            return self._settings.eviction_rate
        size = sum(zone_of(node) == zone for node in self._api.cluster.all_nodes())
        return self._settings.secondary_eviction_rate if size > self._settings.large_cluster_size else 0.0

    def _handle_disruption(self, nodes: list[Node]) -> None:
        """Adjust the rates to the states of the zones; stop evicting while all nodes are lost (handleDisruption)."""
        monitor, api = self._monitor, self._api
        rates = {zone: self._rate(zone) for zone in monitor.queues}
        states = {zone: self._state(group) for zone, group in _by_zone(nodes).items()}
        all_lost = bool(states) and all(state == "FullDisruption" for state in states.values())
        if all_lost and not monitor.all_lost:
            for queue in monitor.queues.values():
                queue.clear()
        elif monitor.all_lost and not all_lost:
            for node in nodes:
                monitor.heard[node.name] = api.now
        monitor.all_lost, monitor.states = all_lost, states
        for zone, before in rates.items():
            self._swap_limiter(zone, before)

    def _swap_limiter(self, zone: Zone, before: float) -> None:
        """Start a new rate; a zone that was waiting waits again from now (SwapLimiter)."""
        rate, now = self._rate(zone), self._api.now
        if rate == before or rate <= 0:
            return
        if before <= 0 or self._monitor.tokens.get(zone, 0.0) > now:
            self._monitor.tokens[zone] = now + 1.0 / rate
        if self._monitor.queues[zone]:
            self._api.later(max(self._monitor.tokens.get(zone, now) - now, 0.0), EVICTIONS)

    def _state(self, nodes: list[Node]) -> Disruption:
        """Return the state of a zone (ComputeZoneState)."""
        lost = sum(self._api.node_status(node.name).ready != "True" for node in nodes)
        if lost == len(nodes):
            return "FullDisruption"
        if lost > 2 and lost / len(nodes) >= self._settings.unhealthy_zone_threshold:
            return "PartialDisruption"
        return "Normal"


def is_evicting(node: Node) -> bool:
    """Return whether the node has a NoExecute taint because of its condition."""
    return any(taint.effect == "NoExecute" and taint.key in OF_CONDITIONS.values() for taint in node.taints)


def _by_zone(nodes: Iterable[Node]) -> Mapping[Zone, list[Node]]:
    zones: dict[Zone, list[Node]] = {}
    for node in nodes:
        zones.setdefault(zone_of(node), []).append(node)
    return zones


def zone_of(node: Node) -> Zone:
    """Return `region:zone` of a node, empty if it has neither label (GetZoneKey)."""
    labels = node.labels
    region, zone = labels.get("topology.kubernetes.io/region", ""), labels.get("topology.kubernetes.io/zone", "")
    return f"{region}:{zone}" if region or zone else ""


def mark_pods_not_ready(node: Node, api: Api) -> None:
    """Set Ready of the node's pods to False (MarkPodsNotReady)."""
    for pod, status in api.pods_on(node.name):
        if status.ready:
            api.set_status(pod, replace(status, ready=False, ready_since=api.second))
            api.emit(PodReadinessChanged(pod.key, False, NAME))
            api.record(pod, "NodeNotReady", "Node is not ready", "Warning", NAME)
