"""An attempt with a known outcome: the decision of the cluster's own scheduler is compared and carried out.

The scheduling cycle runs as usual, so that the trace has the results of each plugin. Its result is compared with the
observed decision; then the pod is bound to its observed node, or requeued with its observed nomination.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from scheduler_core.apis.core import Pod, PodKey
from scheduler_core.cluster.pods import PodTable
from scheduler_core.framework.interface import CycleState
from scheduler_core.framework.runtime.runtime import Framework
from scheduler_core.queue.queued_pod import QueuedPod
from scheduler_core.scenario.types import ObservedDecision
from scheduler_core.scheduler.attempt import Attempt
from scheduler_core.scheduler.decide import Decision, decide
from scheduler_core.scheduler.handle_failure import handle_scheduling_failure
from scheduler_core.scheduler.scheduler import Scheduler
from scheduler_core.scheduler.search.find_nodes import Search, num_feasible_nodes_to_find
from scheduler_core.scheduler.search.fit_error import SchedulingError
from scheduler_core.trace.decisions import Record
from scheduler_core.trace.events import CycleStarted, PodAssumed, PodBound
from scheduler_core.trace.observed_events import Cause, DecisionObserved

NOTE_LENGTH_LIMIT = 1024  # of an event's message (handle_failure: truncateMessage)
TRUNCATED = " ..."


def schedule_as_observed(scheduler: Scheduler, queued: QueuedPod, observed: ObservedDecision) -> Attempt:
    """Decide about the pod, compare the decisions, and carry out the observed one. Return the attempt."""
    pod, framework = queued.pod, scheduler.frameworks[queued.pod.scheduler_name]
    scheduler.attempts += 1
    attempt = scheduler.current = Attempt(scheduler.attempts, queued, framework)
    scheduler.emit(CycleStarted(attempt.number, pod.key, framework.profile_name, queued.attempts))
    cycle = attempt.cycle = CycleState(pod, scheduler.cluster.pods.slot_of[pod.key])
    scheduler.search.percentage_of_nodes_to_score = 100  # so that the observed node is scored
    decision = decide(scheduler, framework, cycle)
    for event in decision.events:
        scheduler.emit(event)
    result = compare(observed, decision, scheduler.cluster.pods, sampled=_samples(scheduler, framework))
    scheduler.emit(result)
    if observed.node in scheduler.cluster.nodes.row_of:
        _bind(scheduler, attempt, observed.node)
    else:
        attempt.nominated_node = observed.nominated_node or None
        attempt.nominated = bool(observed.nominated_node)
        handle_scheduling_failure(scheduler, attempt, decision.error or SchedulingError(observed.message))
    return attempt


def compare(observed: ObservedDecision, decision: Decision, pods: PodTable, *, sampled: bool) -> DecisionObserved:
    """Return the observed decision compared with the simulated one.

    `sampled`: the cluster's scheduler scores only some of the nodes, so a difference in scores proves nothing.
    """
    result = _compare_binding(observed, decision) if observed.node else _compare_failure(observed, decision, pods)
    if result.get("cause") == "score" and sampled:
        result |= {"verdict": "unknowable", "cause": "sampling"}
    if result["verdict"] == "different" and observed.note:
        result |= {"verdict": "unknowable", "cause": "moment", "note": observed.note}
    return DecisionObserved(
        observed.pod,
        node=observed.node,
        message=observed.message,
        nominated_node=observed.nominated_node,
        victims=list(observed.victims or ()),
        simulated_node=decision.node or decision.nominated,
        simulated_message=decision.message,
        simulated_victims=decision.victims,
        seen=observed.at if observed.seen is None else observed.seen,
        **result,
    )


def not_tried(observed: ObservedDecision, pod: Pod | None, profiles: Container[str]) -> DecisionObserved:
    """Return the comparison for a pod that cannot be popped at the time of the decision; it is "unknowable"."""
    cause: Cause = "moment" if observed.note else "gone"
    if pod is not None and pod.scheduler_name not in profiles:
        cause = "scheduler"
    return DecisionObserved(
        observed.pod,
        "unknowable",
        cause,
        node=observed.node,
        message=observed.message,
        nominated_node=observed.nominated_node,
        note=observed.note or observed.scheduler,
        seen=observed.at if observed.seen is None else observed.seen,
    )


def same_decision(observed: ObservedDecision, decision: Decision, pods: PodTable) -> bool:
    """Return whether both decisions are the same, or differ only between equally good nodes or victims."""
    return compare(observed, decision, pods, sampled=False).verdict in ("equal", "tie")


def _samples(scheduler: Scheduler, framework: Framework) -> bool:
    """Return whether the cluster's scheduler, with this configuration, scores only some of the nodes."""
    nodes = len(scheduler.cluster.nodes)
    return num_feasible_nodes_to_find(framework, Search(), nodes) < nodes


def _bind(scheduler: Scheduler, attempt: Attempt, node_name: str) -> None:
    """Assume and bind the pod. The writes of PreBind plugins are in the recording's timeline."""
    key = attempt.pod.key
    attempt.node_name = node_name
    scheduler.cluster.assume(key, node_name)
    scheduler.emit(PodAssumed(key, node_name))
    scheduler.queue.nominator.delete(key, "bound")
    scheduler.queue.done(key)
    start_time = scheduler.api.bind(key, node_name)
    message = f"Successfully assigned {key} to {node_name}"
    scheduler.emit(PodBound(key, node_name, start_time=start_time, message=message))


def _compare_binding(observed: ObservedDecision, decision: Decision) -> Record:
    record, node = decision.record, observed.node
    if decision.node == node:
        return {"verdict": "equal"}
    totals = record["totals"]
    if node in totals:
        points = max(totals.values()) - totals[node]
        if not points:
            return {"verdict": "tie"}
        plugin = _largest_difference(record["scores"], decision.node, node)
        return {"verdict": "different", "cause": "score", "points": points, "plugin": plugin}
    rejection = record["filter"].get(node)
    if rejection:
        reasons = {"plugin": rejection["plugin"], "reasons": list(rejection["reasons"])}
        return {"verdict": "different", "cause": "rejected", **reasons}
    pre_filter = record["preFilter"]
    if pre_filter["rejectedBy"] or pre_filter.get("nodes") is not None:
        reasons = {"plugin": pre_filter["rejectedBy"] or "", "reasons": list(pre_filter["reasons"])}
        return {"verdict": "different", "cause": "rejected", **reasons}
    return {"verdict": "unknowable", "cause": "gone"}


def _compare_failure(observed: ObservedDecision, decision: Decision, pods: PodTable) -> Record:
    if decision.node:
        return {"verdict": "different", "cause": "feasible"}
    if observed.message and observed.message != _as_noted(decision.message):
        return {"verdict": "different", "cause": "message"}
    if observed.nominated_node and observed.nominated_node != decision.nominated:
        return {"verdict": "different", "cause": "nomination"}
    only_observed = set(observed.victims or ()) - set(decision.victims)
    if not only_observed:  # events of some victims may be missing
        return {"verdict": "equal"}
    only_simulated = set(decision.victims) - set(observed.victims or ())
    if _importance(only_observed, pods) & _importance(only_simulated, pods):
        return {"verdict": "tie"}
    return {"verdict": "different", "cause": "nomination"}


def _importance(keys: Iterable[PodKey], pods: PodTable) -> set[tuple[int, float | None]]:
    """Return the priorities and start times of the pods that exist, by which preemption sorts them."""
    candidates = [pod for key in keys if (pod := pods.get(key)) is not None]
    return {(pod.priority, pod.start_time) for pod in candidates}


def _as_noted(message: str) -> str:
    """Return the message as an event stores it, at most NOTE_LENGTH_LIMIT bytes (schedule_one.go: truncateMessage)."""
    if len(message.encode()) <= NOTE_LENGTH_LIMIT:
        return message
    return message.encode()[: NOTE_LENGTH_LIMIT - len(TRUNCATED)].decode(errors="ignore") + TRUNCATED


def _largest_difference(scores: Record, winner: str, node: str) -> str:
    """Return the Score plugin in whose weighted score `node` is furthest behind the winner, "" if there is none.

    Scores are [raw, normalized, weighted] by plugin and node.
    """
    gaps = {plugin: by_node[winner][2] - by_node[node][2] for plugin, by_node in scores.items()}
    return max(gaps, key=lambda plugin: gaps[plugin], default="")
