"""Sentences about preempted pods, pods that cannot terminate, and running pods that break their own rules."""

from __future__ import annotations

from scheduler_core.apis.messages import Message
from scheduler_core.ask.afterwards import Broken, Evicted, Stuck
from scheduler_core.ask.histories import IncompleteRollout


def evicted_words(victim: Evicted) -> Message:
    """Return sentences about a preempted pod: its preemptor, and the workload and node of its replacement."""
    values = {"pod": victim.pod, "node": victim.node, "preemptor": victim.preemptor, "owner": victim.owner}
    if not victim.owner:
        return Message("{preemptor} preempts {pod} on {node}. No controller recreates it.", **values)
    if victim.new_node:
        return Message(
            "{preemptor} preempts {pod} on {node}. {owner} recreates it, and it goes to {again}.",
            **values,
            again=victim.new_node,
        )
    return Message(
        "{preemptor} preempts {pod} on {node}. {owner} recreates it, and it stays Pending: {message}",
        **values,
        message=victim.message,
    )


def stuck_words(pod: Stuck) -> Message:
    """Return sentences about a Terminating pod that cannot end: the cause, and a remedy or the replacement."""
    values = {"pod": pod.pod, "node": pod.node, "owner": pod.owner, "instead": pod.instead}
    if pod.waits:
        return Message(
            "{pod} is Terminating on {node}, whose kubelet does not answer, so it cannot end. {owner} makes no second "
            "one before it is gone; the scheduler is not asked. If the machine is really off, delete the Node, or "
            "give it the taint node.kubernetes.io/out-of-service=nodeshutdown:NoExecute.",
            **values,
        )
    if pod.instead:
        return Message(
            "{pod} is Terminating on {node}, whose kubelet does not answer, so it cannot end. {owner} has made "
            "another one already: {instead}.",
            **values,
        )
    return Message(
        "{pod} is Terminating on {node}, whose kubelet does not answer: it cannot end before the node is back or "
        "deleted.",
        **values,
    )


def standing_words(rollout: IncompleteRollout) -> list[Message]:
    """Return a sentence for each reason why a rollout is incomplete."""
    return [Message("{workload}: {reason}", workload=rollout.workload, reason=reason) for reason in rollout.reasons]


def broken_words(pod: Broken) -> Message:
    """Return sentences about the rule that a running pod breaks, and the number of other pods that break it too."""
    if pod.others:
        return Message(
            "{sentence} The same holds for {others:,} more of {owner}.",
            sentence=_broken_words(pod),
            others=pod.others,
            owner=pod.owner,
        )
    return _broken_words(pod)


def _broken_words(pod: Broken) -> Message:
    values = {"pod": pod.pod, "node": pod.node, "plugin": pod.plugin, "reason": pod.reason}
    if pod.revisions:
        return Message(
            "{pod} would not be scheduled to {node} now: {reason} ({plugin}). When it was scheduled, other pods with "
            "the same labels still counted, such as those of the previous revision during a rollout, and nothing "
            "moves a running pod later. matchLabelKeys: [pod-template-hash] in the constraint counts only its own "
            "revision.",
            **values,
        )
    return Message(
        "{pod} would not be scheduled to {node} now: {reason} ({plugin}). Rules hold when a pod is scheduled; nothing "
        "moves it when pods or nodes change later.",
        **values,
    )
