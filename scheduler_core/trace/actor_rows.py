"""Rows for the actions of all actors, in the format of recordings of a real control plane.

A row has `t`, `what`, `kind`, `name`, `real` (the name in the API, if it differs), `owner` and `details`; the
last row is `final`, the state at the end. tests/conformance/README.md describes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from scheduler_core.trace import controller_events as live
from scheduler_core.trace import events as trace
from scheduler_core.trace.events import AnyEvent
from scheduler_core.trace.preemption_events import NominationCleared, PodNominated, VictimEvicted
from scheduler_core.trace.records import ConditionState, NodeSummary, PodSummary, WorkloadState
from scheduler_core.trace.summaries import nodes_of, pods_of

Row = dict[str, Any]

SCHEDULER = "default-scheduler"
WITH_REVISION = ("StatefulSet", "DaemonSet")
WORKLOAD_KINDS = (
    *("Deployment", "ReplicaSet", "ReplicationController", "StatefulSet", "DaemonSet", "Job", "CronJob"),
    "HorizontalPodAutoscaler",
)


def actor_rows(events: Iterable[AnyEvent], name: str = "") -> Iterator[Row]:
    """Yield the rows of a run's events, the last of them `final`. `name`: that of the scenario in `final`."""
    state = _State(name)
    for event in events:
        yield from state.rows(event)


class _State:
    """The state of the cluster according to the events so far, as the rows describe it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._time = 0.0
        self._pods: dict[str, Row] = {}
        self._workloads: dict[tuple[str, str], Row] = {}
        self._nodes: dict[str, Row] = {}
        self._claims: dict[str, Row] = {}
        self._event_counts: dict[tuple[str, str, str], int] = {}  # how often each Event was recorded

    def rows(self, event: AnyEvent) -> Iterator[Row]:
        """Yield the rows of an event."""
        match event:
            case trace.RunStarted():
                yield from self._start(event)
            case trace.ClockAdvanced():
                self._time = event.time
            case trace.ObjectApplied():
                yield from self._applied(event)
            case trace.ObjectDeleted():
                yield from self._deleted(event)
            case trace.PodBound():
                yield from self._bound(event)
            case PodNominated():
                yield self._pod_row("nominated", event.pod, node=event.node)
            case NominationCleared(cause="bound" | "attempt-failed" | "preempted-by-higher-priority"):
                yield self._pod_row("nominated", event.pod, node="")
            case trace.SchedulingFailed():
                yield from self._failed(event)
            case VictimEvicted():
                yield from self._preempted(event)
            case trace.RunFinished():
                yield self._final(event.time)
            case _:
                yield from self._rows_of_controllers(event)

    def _rows_of_controllers(self, event: AnyEvent) -> Iterator[Row]:
        match event:
            case live.PodDeletionRequested():
                yield from self._deletion(event)
            case live.PodStarted():
                self._pods[event.pod]["phase"] = "Running"
                yield self._pod_row("running", event.pod)
            case live.PodReadinessChanged():
                self._pods[event.pod]["ready"] = event.ready
                if event.ready:
                    yield self._pod_row("ready", event.pod)
                else:
                    yield self._condition(event.pod, ConditionState("Ready", "False"))
            case live.PodFinished():
                yield from self._finished(event)
            case live.PodConditionSet():
                yield self._condition(event.pod, event.condition)
            case live.WorkloadStatusWritten():
                yield from self._status(event)
            case live.NodeConditionChanged():
                self._nodes[event.name]["ready"] = event.status
                details = {"type": "Ready", "status": event.status, "reason": event.reason}
                yield self._row("condition", "Node", event.name, details)
            case live.EvictionAnswered():
                answer = {"code": event.code, "message": event.message or None, "causes": event.causes or None}
                yield self._row("evicted", "Pod", self._pods[event.pod]["name"], answer)
            case live.EventRecorded():
                pod = self._pods.get(f"{event.namespace}/{event.name}") if event.kind == "Pod" else None
                name = event.name if pod is None else pod["name"]
                yield self._event(event.kind, name, event.reason, event.level, event.source, event.message)
            case live.RequestMade():
                error = {"error": event.error} if event.error else {}
                yield self._row("action", "Driver", event.verb, {"about": event.about, **error})

    # Objects

    def _start(self, event: trace.RunStarted) -> Iterator[Row]:
        for node in nodes_of(event):
            self._nodes[node.name] = _node(node)
        for pod in pods_of(event):
            self._add_pod(pod, "", 0)
            if not pod.node:
                never = {"preemptionPolicy": "Never"} if pod.never_preempts else {}
                yield self._pod_row("created", pod.pod, priority=pod.priority, **never)
        for storage in event.storage:
            if storage.kind == "PersistentVolumeClaim":
                phase = "Bound" if storage.bound else "Pending"
                self._claims[storage.name] = {"name": storage.name, "phase": phase}

    def _applied(self, event: trace.ObjectApplied) -> Iterator[Row]:
        key = f"{event.namespace}/{event.name}"
        if event.kind == "Pod" and event.pod is not None and event.action == "create":
            yield from self._created_pod(event, event.pod)
        elif event.kind == "Node" and event.node is not None:
            yield from self._node_applied(event, event.node)
        elif event.workload is not None:
            yield from self._workload_applied(event, event.workload, key)
        elif event.kind == "PersistentVolumeClaim" and event.storage is not None:
            yield from self._claim_applied(event, bool(event.storage.bound))
        elif event.kind == "PodDisruptionBudget" and event.action == "create":
            yield self._row("created", event.kind, event.name)

    def _created_pod(self, event: trace.ObjectApplied, pod: PodSummary) -> Iterator[Row]:
        self._add_pod(pod, event.called, event.revision)
        stored = self._pods[pod.pod]
        details: Row = {"priority": pod.priority}
        if stored.get("owner", "").startswith("DaemonSet/"):
            details["pinned"] = stored["name"].partition("/")[2].partition("#")[0]
        if event.revision:
            details["revision"] = event.revision
        if pod.never_preempts:
            details["preemptionPolicy"] = "Never"
        yield self._pod_row("created", pod.pod, **details)
        if event.by:
            yield self._owner_event(
                "SuccessfulCreate", f"Created pod: {stored['name']}", stored.get("owner", ""), event.by
            )

    def _add_pod(self, pod: PodSummary, called: str, revision: int) -> None:
        real = pod.pod.partition("/")[2]
        row: Row = {"name": called or real, "real": real}
        if pod.owner:
            row["owner"] = self._owner(pod.pod.partition("/")[0], pod.owner)
        if pod.node:
            row["node"] = pod.node
        row |= {"phase": "Running" if pod.node else "Pending", "ready": bool(pod.node), "terminating": False}
        if revision:
            row["revision"] = revision
        self._pods[pod.pod] = {**row, "priority": pod.priority}

    def _owner(self, namespace: str, owner: str) -> str:
        """Return the kind and the recorded name of the owner: "ReplicaSet/web@1"."""
        kind, _, name = owner.partition("/")
        workload = self._workloads.get((kind, f"{namespace}/{name}"))
        return f"{kind}/{workload['name'] if workload else name}"

    def _node_applied(self, event: trace.ObjectApplied, node: NodeSummary) -> Iterator[Row]:
        old, new = self._nodes.get(node.name), _node(node)
        if old is None:
            self._nodes[node.name] = new
            yield self._row("created", "Node", node.name, {"taints": new["taints"]})
            yield self._event(
                "Node",
                node.name,
                "RegisteredNode",
                "Normal",
                "node-controller",
                f"Node {node.name} event: Registered Node {node.name} in Controller",
            )
            return
        new["ready"] = old["ready"]
        self._nodes[node.name] = new
        if bool(old.get("unschedulable")) != bool(new.get("unschedulable")):
            yield self._row("cordoned" if new.get("unschedulable") else "uncordoned", "Node", node.name)
        if old["shown"] != new["shown"]:
            added = [taint for taint in new["shown"] if taint not in old["shown"]]
            removed = [taint for taint in old["shown"] if taint not in new["shown"]]
            yield self._row("tainted", "Node", node.name, {"added": added, "removed": removed})

    def _workload_applied(self, event: trace.ObjectApplied, state: WorkloadState, key: str) -> Iterator[Row]:
        old = self._workloads.get((event.kind, key))
        row: Row = {"kind": event.kind, "name": state.called}
        if state.size is not None:
            row["spec"] = state.size
        row |= {"status": (old or {}).get("status", {}), "conditions": (old or {}).get("conditions", [])}
        if state.revision:
            row["revision"] = str(state.revision)
        row["owner"], row["real"] = state.owner, event.name
        row["suspend"], row["generation"] = bool(state.details.get("suspend")), state.details.get("template", 0)
        self._workloads[event.kind, key] = row
        if old is None:
            size = {"parallelism" if event.kind == "Job" else "replicas": state.size}
            yield self._row(
                "created", event.kind, state.called, size if state.size is not None else {}, event.name, state.owner
            )
        elif old.get("spec") != row.get("spec"):
            details = {"from": old.get("spec"), "to": row.get("spec")}
            yield self._row("scaled", event.kind, state.called, details, event.name, state.owner)
        if old is not None and old["suspend"] != row["suspend"]:
            yield self._row("suspended", event.kind, state.called, {"suspend": row["suspend"]})
        if old is not None and old["generation"] != row["generation"]:
            yield self._row("template-changed", event.kind, state.called, {"generation": row["generation"]})
        if event.kind == "Deployment" and row.get("revision") != (old or {}).get("revision"):
            yield self._row("revision", event.kind, state.called, {"revision": row.get("revision")})

    def _claim_applied(self, event: trace.ObjectApplied, bound: bool) -> Iterator[Row]:
        old = self._claims.get(event.name)
        phase = "Bound" if bound else "Pending"
        self._claims[event.name] = {"name": event.name, "phase": phase}
        if old is None:
            yield self._row("created", event.kind, event.name)
        if phase != (old or {"phase": "Pending"})["phase"]:
            yield self._row("phase", event.kind, event.name, {"phase": phase})

    def _deleted(self, event: trace.ObjectDeleted) -> Iterator[Row]:
        key = f"{event.namespace}/{event.name}"
        if event.kind == "Pod":
            if (pod := self._pods.get(key)) is None:
                return
            details = {"phase": pod["phase"], **({"node": pod["node"]} if pod.get("node") else {})}
            yield {**self._pod_row("deleted", key), "details": details}
            del self._pods[key]
            return
        if event.kind == "Node":
            self._nodes.pop(event.name, None)
            yield self._row("deleted", "Node", event.name)
            return
        if event.kind == "PersistentVolumeClaim":
            self._claims.pop(event.name, None)
            yield self._row("deletion-requested", event.kind, event.name)
        workload = self._workloads.pop((event.kind, key), None)
        called, owner = (workload["name"], workload["owner"]) if workload else (event.name, "")
        yield self._row("deleted", event.kind, called, None, event.name, owner)

    # Pods

    def _bound(self, event: trace.PodBound) -> Iterator[Row]:
        self._pods[event.pod]["node"] = event.node
        yield self._pod_row("bound", event.pod, node=event.node)
        name = self._pods[event.pod]["name"]
        namespace = event.pod.partition("/")[0]
        message = f"Successfully assigned {namespace}/{name} to {event.node}"
        yield self._event("Pod", name, "Scheduled", "Normal", SCHEDULER, message)

    def _failed(self, event: trace.SchedulingFailed) -> Iterator[Row]:
        if event.pod not in self._pods:
            return
        condition = ConditionState("PodScheduled", "False", event.reason, event.message)
        yield self._condition(event.pod, condition)
        name = self._pods[event.pod]["name"]
        yield self._event("Pod", name, "FailedScheduling", "Warning", SCHEDULER, event.message)

    def _preempted(self, event: VictimEvicted) -> Iterator[Row]:
        condition = ConditionState("DisruptionTarget", "True", "PreemptionByScheduler")
        yield self._condition(event.pod, condition)
        preemptor = self._pods[event.preemptor]["name"] if event.preemptor in self._pods else event.preemptor
        message = f"Preempted by pod {preemptor} on node {event.node}"
        yield self._event("Pod", self._pods[event.pod]["name"], "Preempted", "Normal", SCHEDULER, message)

    def _deletion(self, event: live.PodDeletionRequested) -> Iterator[Row]:
        pod = self._pods[event.pod]
        pod["terminating"] = True
        grace = int(event.grace) if event.grace == int(event.grace) else event.grace
        yield self._pod_row("deletion-requested", event.pod, grace=grace)
        owner = pod.get("owner", "")
        if owner and event.by.removesuffix("-controller") in owner.lower():
            yield self._owner_event("SuccessfulDelete", f"Deleted pod: {pod['name']}", owner, event.by)

    def _finished(self, event: live.PodFinished) -> Iterator[Row]:
        pod = self._pods[event.pod]
        was_ready, pod["phase"], pod["ready"] = pod["ready"], event.phase, False
        details: Row = {"phase": event.phase, **({"terminating": True} if event.terminating else {})}
        yield {**self._pod_row("phase", event.pod), "details": details}
        if was_ready:
            reason = "PodFailed" if event.phase == "Failed" else "PodCompleted"
            yield self._condition(event.pod, ConditionState("Ready", "False", reason))

    # Statuses

    def _status(self, event: live.WorkloadStatusWritten) -> Iterator[Row]:
        key = event.kind, f"{event.namespace}/{event.name}"
        row = self._workloads.setdefault(
            key, {"kind": event.kind, "name": event.name, "status": {}, "conditions": [], "owner": ""}
        )
        changed = {name: value for name, value in event.status.items() if row["status"].get(name, 0) != value}
        real = row.get("real", "")
        if changed:
            yield self._row("status", event.kind, row["name"], changed, real, row["owner"])
        old = {condition["type"]: condition for condition in row["conditions"]}
        row["status"], row["conditions"] = event.status, [_condition(condition) for condition in event.conditions]
        for condition in event.conditions:
            before = old.pop(condition.type, {})
            if (before.get("status"), before.get("reason")) != (condition.status, condition.reason or None):
                yield self._row("condition", event.kind, row["name"], _condition(condition), real, row["owner"])
        for name in old:
            yield self._row("condition", event.kind, row["name"], {"type": name, "status": "gone"}, real, row["owner"])

    def _final(self, time: float) -> Row:
        rows: Row = {"t": _rounded(time), "what": "final", "kind": "Scenario", "name": self._name}
        rows["pods"] = sorted(self._pods.values(), key=lambda pod: str(pod["name"]))
        workloads = [row for row in self._workloads.values() if row["kind"] in WORKLOAD_KINDS]
        rows["workloads"] = [_shown(row) for row in workloads]
        pdbs = [row for row in self._workloads.values() if row["kind"] == "PodDisruptionBudget"]
        if pdbs:
            rows["pdbs"] = [
                {"name": row["name"], "status": _budget_status(row), "condition": row["conditions"][0]["reason"]}
                if row["conditions"]
                else {"name": row["name"], "status": _budget_status(row)}
                for row in pdbs
            ]
        rows["nodes"] = [
            {
                "name": name,
                "ready": node["ready"],
                "taints": node["taints"],
                **({"unschedulable": True} if node.get("unschedulable") else {}),
            }
            for name, node in sorted(self._nodes.items())
        ]
        if self._claims:
            rows["claims"] = list(self._claims.values())
        quotas = [row for row in self._workloads.values() if row["kind"] == "ResourceQuota"]
        if quotas:
            rows["quotas"] = [{"name": row["name"], **_quota_amounts(row["status"])} for row in quotas]
        return rows

    # Rows

    def _row(
        self, what: str, kind: str, name: str, details: Mapping[str, Any] | None = None, real: str = "", owner: str = ""
    ) -> Row:
        row: Row = {"t": _rounded(self._time), "what": what, "kind": kind, "name": name}
        if real and real != name:
            row["real"] = real
        if owner:
            row["owner"] = owner
        if details:
            row["details"] = dict(details)
        return row

    def _pod_row(self, what: str, key: str, **details: Any) -> Row:
        pod = self._pods[key]
        return self._row(what, "Pod", pod["name"], details, pod["real"], pod.get("owner", ""))

    def _condition(self, key: str, condition: ConditionState) -> Row:
        pod = self._pods[key]
        return self._row("condition", "Pod", pod["name"], _condition(condition), pod["real"], pod.get("owner", ""))

    def _owner_event(self, reason: str, message: str, owner: str, by: str) -> Row:
        kind, _, name = owner.partition("/")
        return self._event(kind, name, reason, "Normal", by, message)

    def _event(self, kind: str, name: str, reason: str, level: str, source: str, message: str) -> Row:
        key = kind, name, f"{reason} {message}"
        self._event_counts[key] = times = self._event_counts.get(key, 0) + 1
        details: Row = {"reason": reason, "type": level, "source": source, "message": message}
        return self._row("event", kind, name, {**details, **({"count": times} if times > 1 else {})})


def _rounded(time: float) -> float:
    return round(time, 3)


def _node(node: NodeSummary) -> Row:
    row: Row = {
        "ready": "True",
        "taints": [f"{key}:{effect}" for key, _, effect in node.taints],
        "shown": [f"{key}{'=' + value if value else ''}:{effect}" for key, value, effect in node.taints],
    }
    return {**row, "unschedulable": True} if node.unschedulable else row


def _condition(condition: ConditionState) -> Row:
    row = {"type": condition.type, "status": condition.status}
    return {**row, **({"reason": condition.reason} if condition.reason else {}), "message": condition.message}


def _shown(row: Row) -> Row:
    shown: Row = {key: row[key] for key in ("kind", "name", "spec", "status", "conditions", "revision") if key in row}
    shown["status"] = {name: value for name, value in row["status"].items() if isinstance(value, int)}
    if not shown["conditions"]:
        del shown["conditions"]
    return shown


def _budget_status(row: Row) -> Row:
    names = ("currentHealthy", "desiredHealthy", "expectedPods", "disruptionsAllowed")
    return {name: row["status"].get(name, 0) for name in names}


def _quota_amounts(status: Mapping[str, Any]) -> Row:
    amounts: Row = {}
    for field in ("used", "hard"):
        amounts[field] = {
            name.removeprefix(f"{field}."): value for name, value in status.items() if name.startswith(f"{field}.")
        }
    return amounts
