"""Sentences that explain why an observed decision and the simulated one agree or differ."""

from __future__ import annotations

from scheduler_core.apis.messages import Message
from scheduler_core.trace.observed_events import DecisionObserved

# The notes that `kschedui record` writes on decisions whose moment it did not see (recording/decisions.py).
NOTES = {
    str(note): note
    for note in (
        Message("the decision was made before the recording began"),
        Message("the cluster could not be watched at that time"),
    )
}


def reason(event: DecisionObserved) -> Message:
    """Return the sentence for a compared decision."""
    observed = {"node": event.node or event.nominated_node, "simulated": event.simulated_node}
    match event.cause:
        case "score":
            return Message(
                "The cluster chose {node}, which scores {points} points less here than {simulated}: {plugin}.",
                points=event.points,
                plugin=event.plugin,
                **observed,
            )
        case "sampling":
            return Message(
                "The cluster chose {node}, which scores {points} points less here than {simulated}. Its scheduler "
                "scores only some of the nodes, and the API does not show which.",
                points=event.points,
                **observed,
            )
        case "rejected":
            return Message(
                "The cluster chose {node}, which {plugin} rejects here: {reasons}.",
                node=event.node,
                plugin=event.plugin,
                reasons=", ".join(event.reasons),
            )
        case "feasible":
            return Message("The cluster found no node. Here, {simulated} fits.", simulated=event.simulated_node)
        case "message":
            return Message(
                "The cluster gave another reason: {observed} Here: {simulated}",
                observed=event.message,
                simulated=event.simulated_message,
            )
        case "nomination":
            return Message(
                "Preemption chose {node} and evicted {victims}. Here it is {simulated} and {others}.",
                victims=", ".join(event.victims) or "-",
                others=", ".join(event.simulated_victims) or "-",
                node=event.nominated_node,
                simulated=event.simulated_node or "-",
            )
        case "moment":
            return Message(
                "The state of the cluster at the decision is not known: {note}.", note=NOTES.get(event.note, event.note)
            )
        case "scheduler":
            return Message("The pod belongs to another scheduler: {name}.", name=event.note)
        case "gone":
            return Message("The pod does not wait at this moment of the recording, or the node does not exist.")
    if event.verdict == "tie" and event.node:
        return Message("{node} has the same score.", node=event.simulated_node)
    if event.verdict == "tie":
        return Message("Other victims of the same priority and start time.")
    return Message("The same decision.")
