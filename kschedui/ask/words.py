"""Why two runs part, and what a smallest change is, in words."""

from __future__ import annotations

from functools import reduce

from scheduler_core.apis.messages import Message
from scheduler_core.ask.compare import Cause
from scheduler_core.ask.smallest.smallest_change import Change, Changed


def cause_words(cause: Cause) -> Message:
    """One sentence."""
    match cause.kind:
        case "filter" if cause.after:
            return Message("{node} is turned down in the second run: {reason}", node=cause.node, reason=cause.after)
        case "filter":
            return Message("{node} is turned down in the first run: {reason}", node=cause.node, reason=cause.before)
        case "score":
            return _score_words(cause)
        case "tie":
            return Message(
                "Several nodes have the same best score, and another of them is taken: {node}", node=cause.node
            )
        case "victims":
            return Message(
                "Other pods are evicted: {before} in the first run, {after} in the second",
                before=cause.before or "-",
                after=cause.after or "-",
            )
        case "message":
            return Message("It waits in both runs, for other reasons: {message}", message=cause.after or "-")
        case "only":
            return Message("Only one of the runs has this attempt")


def _score_words(cause: Cause) -> Message:
    return Message(
        "{node} gets {after} instead of {before}; most of it is {plugin}, {plugin_after} instead of {plugin_before}",
        node=cause.node,
        before="-" if cause.before is None else cause.before,
        after="-" if cause.after is None else cause.after,
        plugin=cause.plugin,
        plugin_before=cause.plugin_before,
        plugin_after=cause.plugin_after,
    )


def change_words(change: Change, others: int = 0) -> Message:
    """One sentence: all that changes, and where the pod then fits; `others`: on so many more nodes too."""
    node = change.node
    said = reduce(
        lambda before, after: Message("{before}, and {after}", before=before, after=after),
        [_changed_words(one, node) for one in change.changed],
    )
    if change.victims:
        return Message(
            "{change}: it then evicts {victims} on {node}", change=said, victims=", ".join(change.victims), node=node
        )
    if others:
        return Message("{change}: it then fits on {node} and {others} more", change=said, node=node, others=others)
    return Message("{change}: it then fits on {node}", change=said, node=node)


def _changed_words(one: Changed, node: str) -> Message:
    values = {"name": one.name, "before": one.before, "after": one.after}
    match one.kind:
        case "request":
            return Message("Ask for {after} {name} instead of {before}", **values)
        case "toleration":
            return Message("Tolerate the taint {name}", name=one.name)
        case "uncordon":
            return Message("Uncordon {name}", name=one.name)
        case "pods":
            return Message("Allow {after} pods on {name} instead of {before}", **values)
        case "port":
            return Message("Do without the host port {name}", name=one.name)
        case "priority" if one.name == "priority":
            return Message("Priority {after} instead of {before}", after=one.after, before=one.before)
        case "priority":
            return Message("Let it preempt: {name} {after}", name=one.name, after=one.after)
        case "nodes":
            return Message("One more node like {name}", name=one.name)
        case "label":
            return _label_words(one, node)
        case "spread" if isinstance(one.after, int):
            return Message("Let pods differ by {after} over {name} instead of {before}", **values)
        case "spread":
            return Message("Only prefer to spread over {name}", name=one.name)
        case "affinity" if one.name == "nodeAffinity":
            return Message("Require no node affinity")
        case "affinity":
            return Message("Require no {name} over {key}", name=one.name, key=one.before or "-")


def _label_words(one: Changed, node: str) -> Message:
    if one.after is None:
        return Message("Take the label {name}={before} off the pod", name=one.name, before=one.before)
    return Message("Label {node} {name}={after}", node=node, name=one.name, after=one.after)
