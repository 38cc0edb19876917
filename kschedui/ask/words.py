"""Why two runs part, in words."""

from __future__ import annotations

from scheduler_core.apis.messages import Message
from scheduler_core.ask.compare import Cause


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
