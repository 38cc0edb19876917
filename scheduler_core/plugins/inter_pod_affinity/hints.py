"""Queueing hints of InterPodAffinity (interpodaffinity/plugin.go)."""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_core.apis.core import Node, Pod
from scheduler_core.framework.interface import Action, ClusterEvent, HintFunction, QueueingHint, RegisteredEvent
from scheduler_core.plugins.inter_pod_affinity.terms import hint_matches_all, hint_matches_any

POD_ACTIONS = Action.ADD | Action.UPDATE_POD_LABEL | Action.DELETE
NODE_ACTIONS = Action.ADD | Action.UPDATE_NODE_LABEL


def events_to_register(after_pod_change: HintFunction, after_node_change: HintFunction) -> Sequence[RegisteredEvent]:
    """Return events of pods (added, deleted, labels) and of nodes (added, labels)."""
    return (
        RegisteredEvent(ClusterEvent("Pod", POD_ACTIONS), after_pod_change),
        RegisteredEvent(ClusterEvent("Node", NODE_ACTIONS), after_node_change),
    )


def after_pod_change(pod: Pod, old: Pod | None, new: Pod | None) -> QueueingHint:
    """Queue the pod if its labels changed, or if the change of a pod with a node or a nomination may help it."""
    if old is not None and new is not None and new.uid == pod.uid:
        return QueueingHint.QUEUE
    if any(other is not None and not (other.node_name or other.nominated_node_name) for other in (new, old)):
        return QueueingHint.SKIP
    if new is None and old is not None and hint_matches_all(old.required_anti_affinity, pod):
        return QueueingHint.QUEUE  # the deleted pod excluded this one
    return QueueingHint.QUEUE if pod_change_may_help(pod, old, new) else QueueingHint.SKIP


def after_pod_change_by_any_term(pod: Pod, old: Pod | None, new: Pod | None) -> QueueingHint:
    """Return the hint since 1.37: of several anti-affinity terms, the deleted or changed pod need match only one."""
    hint = after_pod_change(pod, old, new)
    if hint is QueueingHint.QUEUE or old is None or not (old.node_name or old.nominated_node_name):
        return hint
    if new is None:
        freed = hint_matches_any(pod.required_anti_affinity, old) or hint_matches_any(old.required_anti_affinity, pod)
    else:
        terms = pod.required_anti_affinity
        freed = hint_matches_any(terms, old) and not hint_matches_any(terms, new)
    return QueueingHint.QUEUE if freed else QueueingHint.SKIP


def after_pod_change_before_1_36(pod: Pod, old: Pod | None, new: Pod | None) -> QueueingHint:
    """Return the hint of releases before 1.36, which consider only bound pods and the pod's own terms.

    A pod that was rejected by the anti-affinity of an existing pod is queued only if its own anti-affinity also matches
    that pod (plugin.go: isSchedulableAfterPodChange).
    """
    if any(other is not None and not other.node_name for other in (new, old)):
        return QueueingHint.SKIP
    return QueueingHint.QUEUE if pod_change_may_help(pod, old, new) else QueueingHint.SKIP


def pod_change_may_help(pod: Pod, old: Pod | None, new: Pod | None) -> bool:
    """Return whether a pod that matches all affinity terms was added (or began to match), or a pod that matches all
    anti-affinity terms was deleted (or stopped matching).
    """
    matched_affinity = old is not None and hint_matches_all(pod.required_affinity, old)
    matched_anti_affinity = old is not None and hint_matches_all(pod.required_anti_affinity, old)
    if new is None:
        return matched_anti_affinity
    if hint_matches_all(pod.required_affinity, new) and not matched_affinity:
        return True
    return matched_anti_affinity and not hint_matches_all(pod.required_anti_affinity, new)


def after_node_change(pod: Pod, old: Node | None, new: Node) -> QueueingHint:
    return QueueingHint.QUEUE if node_change_may_help(pod, old, new) else QueueingHint.SKIP


def after_node_change_before_1_33(pod: Pod, old: Node | None, new: Node) -> QueueingHint:
    """Queue the pod if the node has the topology key of a required term."""
    keys = {term.topology_key for term in (*pod.required_affinity, *pod.required_anti_affinity)}
    return QueueingHint.SKIP if keys.isdisjoint(new.labels) else QueueingHint.QUEUE


def node_change_may_help(pod: Pod, old: Node | None, new: Node) -> bool:
    """Return whether the node gained a topology key of an affinity term, or another value of one; or whether it lost a
    topology key of an anti-affinity term, or changed its value. For a pod with anti-affinity, any new node may help.
    """
    keys = [term.topology_key for term in pod.required_affinity]
    anti_keys = [term.topology_key for term in pod.required_anti_affinity]
    if old is None:
        return bool(anti_keys) or any(key in new.labels for key in keys)
    gained = any(key in new.labels and old.labels.get(key) != new.labels[key] for key in keys)
    lost = any(key in old.labels and new.labels.get(key) != old.labels[key] for key in anti_keys)
    return gained or lost
