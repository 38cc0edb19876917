"""Rows for the actions of autoscalers and the descheduler, in the format of recordings of the real ones.

A row has `t`, `what`, `kind`, `name` and `details`; `initial` is the cluster when the actor starts, `final` at the
end. Pods of a workload are <workload>#<n> in order of creation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from scheduler_core.trace import controller_events as live
from scheduler_core.trace import events as trace
from scheduler_core.trace.autoscaling_events import NodeGroupResized
from scheduler_core.trace.events import AnyEvent
from scheduler_core.trace.preemption_events import VictimEvicted
from scheduler_core.trace.records import NodeClaimState, NodeName, NodeSummary, PodKey, PodSummary, WorkloadState
from scheduler_core.trace.summaries import nodes_of, pods_of

Row = dict[str, Any]
ACTORS = ("cluster-autoscaler", "karpenter", "sigs.k8s.io.descheduler")
INSTANCE_TYPE, ZONE, CAPACITY_TYPE = (
    "node.kubernetes.io/instance-type",
    "topology.kubernetes.io/zone",
    "karpenter.sh/capacity-type",
)
NODE_POOL = "karpenter.sh/nodepool"


def autoscaling_rows(events: Iterable[AnyEvent], groups: Sequence[str], start: float) -> Iterator[Row]:
    """Yield the rows of a run's events. `groups`: the names of node groups; `start`: the actor's start time."""
    state = _State(groups)
    begun = False
    for event in events:
        if isinstance(event, trace.ClockAdvanced | trace.RunFinished) and event.time > start and not begun:
            begun = True
            yield state.cluster("initial", start)
        yield from state.rows(event)


class _State:
    """The state of the cluster according to the events so far."""

    def __init__(self, groups: Sequence[str]) -> None:
        self._groups = sorted(groups, key=len, reverse=True)
        self._time = 0.0
        self._nodes: dict[NodeName, NodeSummary] = {}
        self._ready: dict[NodeName, bool] = {}
        self._names: dict[PodKey, str] = {}
        self._places: dict[PodKey, NodeName] = {}  # "" while it is pending
        self._called: dict[str, str] = {}  # the recorded name of each pod, by its name in the API
        self._owners: dict[tuple[str, str], str] = {}  # of workloads, by kind and key
        self._pod_counts: dict[str, int] = {}
        self._targets: dict[str, int] = {}
        self._claims: dict[str, NodeClaimState] = {}

    def rows(self, event: AnyEvent) -> Iterator[Row]:
        """Take the next event of the run, and yield its rows."""
        match event:
            case trace.RunStarted():
                for node in nodes_of(event):
                    self._nodes[node.name], self._ready[node.name] = node, True
                for pod in pods_of(event):
                    self._add(pod)
            case trace.ClockAdvanced():
                self._time = event.time
            case trace.ObjectApplied():
                yield from self._applied(event)
            case trace.ObjectDeleted():
                yield from self._deleted(event)
            case trace.PodBound():
                self._places[event.pod] = event.node
                yield self._pod("pod-bound", event.pod, node=event.node)
            case VictimEvicted():
                yield self._pod("pod-evicted", event.pod, node=event.node, reason="PreemptionByScheduler")
                yield self._pod("event", event.pod, reason="Preempted", type="Normal", source="default-scheduler")
            case trace.RunFinished():
                self._time = event.time
                yield self.cluster("final", event.time)
            case _:
                yield from self._of_actors(event)

    def _of_actors(self, event: AnyEvent) -> Iterator[Row]:
        match event:
            case NodeGroupResized():
                yield self._resized(event)
            case live.PodDeletionRequested():
                if event.pod in self._names:
                    yield self._pod("pod-deleting", event.pod, node=self._places.get(event.pod), grace=event.grace)
            case live.PodConditionSet():
                if event.condition.type == "DisruptionTarget" and event.pod in self._names:
                    node, reason = self._places.get(event.pod), event.condition.reason
                    yield self._pod("pod-evicted", event.pod, node=node, reason=reason)
            case live.NodeConditionChanged():
                self._ready[event.name] = event.status == "True"
                yield self._row("node-ready" if event.status == "True" else "node-notready", "Node", event.name)
            case live.EventRecorded():
                if event.source in ACTORS:
                    name = self._called.get(event.name, event.name) if event.kind == "Pod" else event.name
                    details = {"reason": event.reason, "message": event.message, "type": event.level}
                    yield self._row("event", event.kind, name, {**details, "source": event.source})

    def _resized(self, event: NodeGroupResized) -> Row:
        self._targets[event.group] = event.target
        if event.nodes:
            return self._row("cloud-delete", "NodeGroup", event.group, {"nodes": event.nodes, "target": event.target})
        what = "cloud-increase" if event.delta > 0 else "cloud-decrease-target"
        error = {"error": event.error} if event.error else {}
        return self._row(what, "NodeGroup", event.group, {"delta": event.delta, "target": event.target, **error})

    # Objects

    def _applied(self, event: trace.ObjectApplied) -> Iterator[Row]:
        if event.workload is not None:
            self._note_owner(event, event.workload)
        elif event.pod is not None and event.action == "create":
            self._add(event.pod)
            yield self._pod("pod-created", event.pod.pod)
        elif event.node_claim is not None:
            yield from self._claimed(event.name, event.node_claim, event.action)
        elif event.node is not None:
            old, self._nodes[event.name] = self._nodes.get(event.name), event.node
            if old is None:
                self._ready[event.name] = False
                yield self._row("node-created", "Node", event.name, {"group": self._group(event.node)})
            else:
                yield from self._changed(old, event.node)

    def _note_owner(self, event: trace.ObjectApplied, workload: WorkloadState) -> None:
        if workload.owner.startswith("Deployment/"):
            self._owners[event.kind, f"{event.namespace}/{event.name}"] = workload.owner.partition("/")[2]

    def _claimed(self, name: str, claim: NodeClaimState, action: str) -> Iterator[Row]:
        """Yield the rows for the creation or change of a NodeClaim."""
        old, self._claims[name] = self._claims.get(name), claim
        if action == "create":
            details = {
                "nodePool": claim.pool,
                "instanceTypes": claim.types,
                "requirements": claim.requirements,
                "requests": claim.requests,
            }
            yield self._row("nodeclaim-created", "NodeClaim", f"claim/{name}", details)
        before = old.conditions if old is not None else {}
        for condition in dict.fromkeys((*claim.conditions, *before)):
            now = claim.conditions.get(condition)
            if now == before.get(condition) or (now is not None and now[0] == "Unknown"):
                continue
            details = {"condition": condition, "status": "removed" if now is None else now[0]}
            if now is not None and len(now) > 1:
                details["reason"] = now[1]
            if condition == "Launched":
                details |= {
                    "instanceType": claim.instance_type,
                    "zone": claim.zone,
                    "capacityType": claim.capacity_type,
                }
            yield self._row("nodeclaim-condition", "NodeClaim", f"claim/{name}", details)
        if claim.deleting and not (old is not None and old.deleting):
            yield self._row("nodeclaim-deleting", "NodeClaim", f"claim/{name}")

    def _changed(self, old: NodeSummary, new: NodeSummary) -> Iterator[Row]:
        for what, taints, others in (
            ("node-tainted", new.taints, old.taints),
            ("node-untainted", old.taints, new.taints),
        ):
            for key, value, effect in taints:
                if (key, value, effect) not in map(tuple, others) and not key.startswith("node.kubernetes.io/"):
                    yield self._row(what, "Node", new.name, {"taint": f"{key}={value}:{effect}"})
        if old.unschedulable != new.unschedulable:
            yield self._row("node-cordoned" if new.unschedulable else "node-uncordoned", "Node", new.name)

    def _deleted(self, event: trace.ObjectDeleted) -> Iterator[Row]:
        key = f"{event.namespace}/{event.name}"
        if event.kind == "Pod" and key in self._names:
            yield self._pod("pod-deleted", key)
            del self._names[key], self._places[key]
        elif event.kind == "NodeClaim":
            self._claims.pop(event.name, None)
            yield self._row("nodeclaim-deleted", "NodeClaim", f"claim/{event.name}")
        elif event.kind == "Node":
            self._nodes.pop(event.name, None)
            yield self._row("node-deleted", "Node", event.name)

    def _add(self, pod: PodSummary) -> None:
        namespace, _, name = pod.pod.partition("/")
        prefix = "" if namespace == "default" else f"{namespace}/"
        kind, _, owner = pod.owner.partition("/")
        workload = self._owners.get((kind, f"{namespace}/{owner}"), owner)
        if workload:
            base = f"{prefix}{workload}"
            self._pod_counts[base] = number = self._pod_counts.get(base, 0) + 1
            name = f"{workload}#{number}"
        self._names[pod.pod] = f"{prefix}{name}"
        self._called[pod.pod.partition("/")[2]] = self._names[pod.pod]
        self._places[pod.pod] = pod.node

    # Rows

    def cluster(self, what: str, time: float) -> Row:
        """Return a row with the whole cluster."""
        details = {
            "nodes": [self._node(node) for _, node in sorted(self._nodes.items())],
            "pending": sorted(self._names[pod] for pod, node in self._places.items() if not node),
            "groups": self._targets,
        }
        return {"t": round(time, 3), "what": what, "kind": "Cluster", "name": "cluster", "details": details}

    def _node(self, node: NodeSummary) -> Row:
        return {
            "name": node.name,
            "group": self._group(node),
            "instanceType": node.labels.get(INSTANCE_TYPE),
            "zone": node.labels.get(ZONE),
            "capacityType": node.labels.get(CAPACITY_TYPE),
            "ready": self._ready.get(node.name, True),
            "taints": [f"{key}={value}:{effect}" for key, value, effect in node.taints],
            "unschedulable": node.unschedulable,
            "pods": sorted(self._names[pod] for pod, place in self._places.items() if place == node.name),
        }

    def _group(self, node: NodeSummary) -> str | None:
        if NODE_POOL in node.labels:
            return node.labels[NODE_POOL]
        group, _, number = node.name.rpartition("-")
        return group if number.isdecimal() and group in self._groups else None

    def _row(self, what: str, kind: str, name: str, details: Row | None = None) -> Row:
        return {"t": round(self._time, 3), "what": what, "kind": kind, "name": name, "details": details or {}}

    def _pod(self, what: str, pod: PodKey, **details: Any) -> Row:
        return self._row(what, "Pod", self._names.get(pod, pod), details)
