"""Folding events into a keyframe: what each event changes in the visible state. `static/js/trace/fold.js` is its twin."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from typing import Any

from msgspec.structs import replace

from scheduler_core.trace import events as trace
from scheduler_core.trace.events import AnyEvent
from scheduler_core.trace.keyframe import Keyframe, NodeState, PodState
from scheduler_core.trace.records import NodeName, NodeSummary, PodKey, PodSummary

LISTED = (trace.VictimEvicted, trace.NominationCleared, trace.PodEnqueued)  # many of them belong to one cycle
NOTED = (
    trace.PreFilterFinished,
    trace.NodesFiltered,
    trace.PreemptionEvaluated,
    trace.ScoresComputed,
    trace.HostSelected,
    trace.PodReserved,
    trace.PodPreBound,
    trace.BindingFailed,
    trace.AttemptFinished,
)  # these change nothing but the record of the cycle


def empty_keyframe() -> Keyframe:
    """The state before the first event."""
    return Keyframe(step=0, time=0.0, attempt=0, nodes={}, order=[], pods={})


def apply(keyframe: Keyframe, event: AnyEvent) -> None:
    """Move the keyframe past one event, in place."""
    handler = _HANDLERS.get(type(event))
    if handler is not None:
        handler(keyframe, event)
    keyframe.step += 1


def snapshot(keyframe: Keyframe) -> Keyframe:
    """A copy that further events do not change. Nodes and pods never change, they are replaced."""
    kept = copy(keyframe)
    kept.nodes, kept.pods = dict(keyframe.nodes), dict(keyframe.pods)
    kept.deleted = list(keyframe.deleted)
    kept.cycle = {name: list(found) if isinstance(found, list) else found for name, found in keyframe.cycle.items()}
    return kept


def _note(keyframe: Keyframe, event: AnyEvent) -> None:
    """Keep what belongs to the scheduling cycle under way, by type."""
    if not keyframe.cycle:
        return
    name = type(event).__name__
    if isinstance(event, LISTED):
        keyframe.cycle.setdefault(name, []).append(event)
    else:
        keyframe.cycle[name] = event


def _new_pod(summary: PodSummary) -> PodState:
    return PodState(
        summary,
        "bound" if summary.node else "outside",
        node=summary.node,
        nominated_node=summary.nominated_node,
        start_time=summary.start_time,
    )


def _change(keyframe: Keyframe, key: PodKey, **fields: Any) -> None:
    """Other values for some fields of a pod, if it is there."""
    pod = keyframe.pods.get(key)
    if pod is not None:
        keyframe.pods[key] = replace(pod, **fields)


def _put_on(keyframe: Keyframe, key: PodKey, node_name: NodeName) -> None:
    node, pod = keyframe.nodes.get(node_name), keyframe.pods.get(key)
    if node is None or pod is None or key in node.pods:
        return
    requested = dict(node.requested)
    for name, amount in pod.summary.requests.items():
        requested[name] = requested.get(name, 0) + amount
    keyframe.nodes[node_name] = NodeState(node.summary, requested, [*node.pods, key])


def _take_off(keyframe: Keyframe, key: PodKey) -> None:
    pod = keyframe.pods.get(key)
    node = pod and keyframe.nodes.get(pod.node)
    if not pod or not node or key not in node.pods:
        return
    requested = dict(node.requested)
    for name, amount in pod.summary.requests.items():
        requested[name] = requested.get(name, 0) - amount
    keyframe.nodes[pod.node] = NodeState(node.summary, requested, [other for other in node.pods if other != key])


def _run_started(keyframe: Keyframe, event: trace.RunStarted) -> None:
    keyframe.title, keyframe.profiles, keyframe.plugins = event.title, event.profiles, event.plugins
    keyframe.feature_gates = event.feature_gates
    keyframe.kubernetes_version = event.kubernetes_version
    keyframe.pods = {summary.pod: _new_pod(summary) for summary in event.pods}
    on_node: dict[NodeName, dict[PodKey, PodSummary]] = {}
    for summary in event.pods:
        on_node.setdefault(summary.node, {})[summary.pod] = summary
    keyframe.nodes = {node.name: _new_node(node, on_node.get(node.name, {}).values()) for node in event.nodes}
    keyframe.order = [event.nodes[row].name for row in event.order]


def _new_node(node: NodeSummary, pods: Iterable[PodSummary]) -> NodeState:
    requested: dict[str, int] = {}
    for summary in pods:
        for name, amount in summary.requests.items():
            requested[name] = requested.get(name, 0) + amount
    return NodeState(node, requested, [summary.pod for summary in pods])


def _clock_advanced(keyframe: Keyframe, event: trace.ClockAdvanced) -> None:
    keyframe.time = event.time


def _object_applied(keyframe: Keyframe, event: trace.ObjectApplied) -> None:
    if event.order is not None:
        keyframe.order = event.order
    if event.node is not None:
        node = keyframe.nodes.get(event.name)
        keyframe.nodes[event.name] = NodeState(event.node) if node is None else replace(node, summary=event.node)
    if event.pod is None:
        return
    key = event.pod.pod
    pod = keyframe.pods.get(key)
    if pod is None:
        keyframe.pods[key] = _new_pod(event.pod)
        _put_on(keyframe, key, event.pod.node)
    else:
        _take_off(keyframe, key)
        keyframe.pods[key] = replace(pod, summary=event.pod)
        _put_on(keyframe, key, pod.node)


def _object_deleted(keyframe: Keyframe, event: trace.ObjectDeleted) -> None:
    if event.order is not None:
        keyframe.order = event.order
    if event.kind == "Node":
        keyframe.nodes.pop(event.name, None)
    if event.kind != "Pod":
        return
    key = f"{event.namespace}/{event.name}"
    _take_off(keyframe, key)
    keyframe.pods.pop(key, None)
    keyframe.deleted.append(key)


def _pod_enqueued(keyframe: Keyframe, event: trace.PodEnqueued) -> None:
    _change(
        keyframe,
        event.pod,
        place=event.queue,
        node="",
        timestamp=event.timestamp,
        sequence=event.sequence,
        moved_by=event.event,
        hints=event.hints,
        backoff_until=event.backoff_until,
        error_backoff=event.error_backoff,
    )
    _note(keyframe, event)


def _pod_gated(keyframe: Keyframe, event: trace.PodGated) -> None:
    _change(
        keyframe,
        event.pod,
        place="gated",
        timestamp=event.timestamp,
        sequence=event.sequence,
        moved_by=event.event,
        message=event.message,
        unschedulable_plugins=[event.plugin],
    )


def _pod_ignored(keyframe: Keyframe, event: trace.PodIgnored) -> None:
    _change(keyframe, event.pod, place="outside")


def _cycle_started(keyframe: Keyframe, event: trace.CycleStarted) -> None:
    keyframe.attempt = event.attempt
    keyframe.cycle = {"CycleStarted": event}
    _change(keyframe, event.pod, place="scheduling", attempts=event.pod_attempts, backoff_until=None)


def _victim_evicted(keyframe: Keyframe, event: trace.VictimEvicted) -> None:
    _change(keyframe, event.pod, gone_at=event.gone_at)
    _note(keyframe, event)


def _nomination(keyframe: Keyframe, event: trace.PodNominated | trace.NominationCleared) -> None:
    _change(keyframe, event.pod, nominated_node=event.node if isinstance(event, trace.PodNominated) else "")
    _note(keyframe, event)


def _pod_assumed(keyframe: Keyframe, event: trace.PodAssumed) -> None:
    _change(keyframe, event.pod, node=event.node, place="binding")
    _put_on(keyframe, event.pod, event.node)
    _note(keyframe, event)


def _pod_unreserved(keyframe: Keyframe, event: trace.PodUnreserved) -> None:
    _take_off(keyframe, event.pod)
    _change(keyframe, event.pod, node="", deadline=None)
    _note(keyframe, event)


def _permit_evaluated(keyframe: Keyframe, event: trace.PermitEvaluated) -> None:
    if event.code == "Wait":
        _change(keyframe, event.pod, place="waiting", deadline=event.deadline)
    _note(keyframe, event)


def _permit_decided(keyframe: Keyframe, event: trace.PermitDecided) -> None:
    _change(keyframe, event.pod, place="binding", deadline=None)
    _note(keyframe, event)


def _pod_bound(keyframe: Keyframe, event: trace.PodBound) -> None:
    _change(
        keyframe,
        event.pod,
        place="bound",
        node=event.node,
        nominated_node="",
        start_time=event.start_time,
        message="",
        deadline=None,
        unschedulable_plugins=[],
    )
    _note(keyframe, event)


def _scheduling_failed(keyframe: Keyframe, event: trace.SchedulingFailed) -> None:
    _change(keyframe, event.pod, message=event.message, unschedulable_plugins=event.unschedulable_plugins)
    _note(keyframe, event)


def _run_finished(keyframe: Keyframe, event: trace.RunFinished) -> None:
    keyframe.finished = True


_HANDLERS: dict[type[Any], Callable[[Keyframe, Any], None]] = {
    trace.RunStarted: _run_started,
    trace.ClockAdvanced: _clock_advanced,
    trace.ObjectApplied: _object_applied,
    trace.ObjectDeleted: _object_deleted,
    trace.PodEnqueued: _pod_enqueued,
    trace.PodGated: _pod_gated,
    trace.PodIgnored: _pod_ignored,
    trace.CycleStarted: _cycle_started,
    trace.VictimEvicted: _victim_evicted,
    trace.PodNominated: _nomination,
    trace.NominationCleared: _nomination,
    trace.PodAssumed: _pod_assumed,
    trace.PodUnreserved: _pod_unreserved,
    trace.PermitEvaluated: _permit_evaluated,
    trace.PermitDecided: _permit_decided,
    trace.PodBound: _pod_bound,
    trace.SchedulingFailed: _scheduling_failed,
    trace.RunFinished: _run_finished,
    **dict.fromkeys(NOTED, _note),
}
