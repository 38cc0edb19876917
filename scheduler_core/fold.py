"""Folding events into a keyframe: what each event changes in the visible state. `static/js/fold.js` is its twin."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

from scheduler_core import trace
from scheduler_core.trace import AnyEvent, Keyframe, NodeName, NodeState, PodKey, PodState, PodSummary

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
    """A copy that further events do not change."""
    kept = copy(keyframe)
    kept.nodes = {name: _copy_node(node) for name, node in keyframe.nodes.items()}
    kept.pods = {key: copy(pod) for key, pod in keyframe.pods.items()}
    kept.order = list(keyframe.order)
    kept.deleted = list(keyframe.deleted)
    kept.cycle = {name: list(found) if isinstance(found, list) else found for name, found in keyframe.cycle.items()}
    return kept


def _copy_node(node: NodeState) -> NodeState:
    return NodeState(node.summary, dict(node.requested), list(node.pods))


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


def _put_on(keyframe: Keyframe, key: PodKey, node_name: NodeName) -> None:
    node, pod = keyframe.nodes.get(node_name), keyframe.pods.get(key)
    if node is None or pod is None or key in node.pods:
        return
    node.pods.append(key)
    for name, amount in pod.summary.requests.items():
        node.requested[name] = node.requested.get(name, 0) + amount


def _take_off(keyframe: Keyframe, key: PodKey) -> None:
    pod = keyframe.pods.get(key)
    node = pod and keyframe.nodes.get(pod.node)
    if not pod or not node or key not in node.pods:
        return
    node.pods.remove(key)
    for name, amount in pod.summary.requests.items():
        node.requested[name] = node.requested.get(name, 0) - amount


def _run_started(keyframe: Keyframe, event: trace.RunStarted) -> None:
    keyframe.title, keyframe.profiles, keyframe.plugins = event.title, event.profiles, event.plugins
    keyframe.feature_gates = event.feature_gates
    keyframe.nodes = {summary.name: NodeState(summary, {}, []) for summary in event.nodes}
    keyframe.order = [event.nodes[row].name for row in event.order]
    for summary in event.pods:
        keyframe.pods[summary.pod] = _new_pod(summary)
        _put_on(keyframe, summary.pod, summary.node)


def _clock_advanced(keyframe: Keyframe, event: trace.ClockAdvanced) -> None:
    keyframe.time = event.time


def _object_applied(keyframe: Keyframe, event: trace.ObjectApplied) -> None:
    if event.order is not None:
        keyframe.order = event.order
    if event.node is not None:
        node = keyframe.nodes.get(event.name)
        if node is None:
            keyframe.nodes[event.name] = NodeState(event.node, {}, [])
        else:
            node.summary = event.node
    if event.pod is None:
        return
    key = event.pod.pod
    pod = keyframe.pods.get(key)
    if pod is None:
        keyframe.pods[key] = _new_pod(event.pod)
        _put_on(keyframe, key, event.pod.node)
    else:
        _take_off(keyframe, key)
        pod.summary = event.pod
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
    pod = keyframe.pods.get(event.pod)
    if pod is not None:
        pod.place, pod.node = event.queue, ""
        pod.timestamp, pod.sequence = event.timestamp, event.sequence
        pod.moved_by, pod.hints = event.event, event.hints
        pod.backoff_until, pod.error_backoff = event.backoff_until, event.error_backoff
    _note(keyframe, event)


def _pod_gated(keyframe: Keyframe, event: trace.PodGated) -> None:
    pod = keyframe.pods.get(event.pod)
    if pod is not None:
        pod.place, pod.timestamp, pod.sequence = "gated", event.timestamp, event.sequence
        pod.moved_by, pod.message, pod.unschedulable_plugins = event.event, event.message, [event.plugin]


def _pod_ignored(keyframe: Keyframe, event: trace.PodIgnored) -> None:
    pod = keyframe.pods.get(event.pod)
    if pod is not None:
        pod.place = "outside"


def _cycle_started(keyframe: Keyframe, event: trace.CycleStarted) -> None:
    keyframe.attempt = event.attempt
    keyframe.cycle = {"CycleStarted": event}
    pod = keyframe.pods.get(event.pod)
    if pod is not None:
        pod.place, pod.attempts, pod.backoff_until = "scheduling", event.pod_attempts, None


def _victim_evicted(keyframe: Keyframe, event: trace.VictimEvicted) -> None:
    pod = keyframe.pods.get(event.pod)
    if pod is not None:
        pod.gone_at = event.gone_at
    _note(keyframe, event)


def _nomination(keyframe: Keyframe, event: trace.PodNominated | trace.NominationCleared) -> None:
    pod = keyframe.pods.get(event.pod)
    if pod is not None:
        pod.nominated_node = event.node if isinstance(event, trace.PodNominated) else ""
    _note(keyframe, event)


def _pod_assumed(keyframe: Keyframe, event: trace.PodAssumed) -> None:
    pod = keyframe.pods.get(event.pod)
    if pod is not None:
        pod.node, pod.place = event.node, "binding"
    _put_on(keyframe, event.pod, event.node)
    _note(keyframe, event)


def _pod_unreserved(keyframe: Keyframe, event: trace.PodUnreserved) -> None:
    _take_off(keyframe, event.pod)
    pod = keyframe.pods.get(event.pod)
    if pod is not None:
        pod.node, pod.deadline = "", None
    _note(keyframe, event)


def _permit_evaluated(keyframe: Keyframe, event: trace.PermitEvaluated) -> None:
    pod = keyframe.pods.get(event.pod)
    if pod is not None and event.code == "Wait":
        pod.place, pod.deadline = "waiting", event.deadline
    _note(keyframe, event)


def _permit_decided(keyframe: Keyframe, event: trace.PermitDecided) -> None:
    pod = keyframe.pods.get(event.pod)
    if pod is not None:
        pod.place, pod.deadline = "binding", None
    _note(keyframe, event)


def _pod_bound(keyframe: Keyframe, event: trace.PodBound) -> None:
    pod = keyframe.pods.get(event.pod)
    if pod is not None:
        pod.place, pod.node, pod.nominated_node = "bound", event.node, ""
        pod.start_time, pod.message, pod.deadline, pod.unschedulable_plugins = event.start_time, "", None, []
    _note(keyframe, event)


def _scheduling_failed(keyframe: Keyframe, event: trace.SchedulingFailed) -> None:
    pod = keyframe.pods.get(event.pod)
    if pod is not None:
        pod.message, pod.unschedulable_plugins = event.message, event.unschedulable_plugins
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
