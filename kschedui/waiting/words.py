"""A pending pod in words: its blocker, the distance of the nearest nodes, and differences from the dump's message."""

from __future__ import annotations

from collections.abc import Iterator

from kschedui.waiting.analysis import Cause, WaitingPod
from kschedui.waiting.message import FailedMessage, counts, decode, write_parts
from kschedui.waiting.reasons import declarations, reason_of
from scheduler_core.apis.messages import Message
from scheduler_core.framework.about import About


def blocker_words(waiting: WaitingPod) -> Message:
    """Return the blocker as a heading."""
    cause = waiting.blocker
    if waiting.scheduler:
        return Message("For another scheduler: {name}", name=waiting.scheduler)
    if cause is None:
        return Message("It was not tried")
    blocker = declarations().get(cause.plugin, About()).blocker
    if blocker is None:
        return Message("Rejected by {plugin}", plugin=cause.plugin)
    return blocker.message(resources=", ".join(sorted(set(_resources(cause)))))


def _resources(cause: Cause) -> Iterator[str]:
    """Return the resources that the reasons name."""
    for text in cause.reasons:
        meaning = reason_of(text)
        match = meaning.match(text) if meaning else None
        if match and (resource := match.groupdict().get("resource")):
            yield resource


def cause_words(cause: Cause) -> Message:
    """Return the cause as a number of nodes, the plugin, and kube-scheduler's reason."""
    reasons = ", ".join(cause.reasons)
    if not cause.nodes:
        return Message("{plugin}: {reasons}", plugin=cause.plugin, reasons=reasons or "-")
    if cause.nodes == 1:
        return Message("1 node, {plugin}: {reasons}", plugin=cause.plugin, reasons=reasons)
    return Message("{nodes:,} nodes, {plugin}: {reasons}", nodes=cause.nodes, plugin=cause.plugin, reasons=reasons)


def differences(waiting: WaitingPod) -> Iterator[Message]:
    """Return the reasons that the cluster's message differs from this one; none without a message in the dump."""
    if not waiting.dumped or waiting.dumped == waiting.message:
        return
    there, here = decode(waiting.dumped), decode(waiting.message)
    if not there.understood or not here.understood:
        yield Message("One of the two is not a message about nodes.")
        return
    if there.total != here.total:
        yield Message(
            "The cluster had {there:,} nodes at the attempt; the text has {here:,}.", there=there.total, here=here.total
        )
    yield from _parts(there, here)
    if there.preemption is None and here.preemption is not None:
        yield Message(
            "That scheduler did not report the result of preemption: it is older than 1.24, or preemption is off."
        )


def _parts(there: FailedMessage, here: FailedMessage) -> Iterator[Message]:
    """Return the reasons whose counts differ."""
    theirs, ours = counts(there), counts(here)
    same = theirs == ours
    for reason in sorted(theirs.keys() | ours.keys()):
        before, now = theirs[reason], ours[reason]
        if before != now:
            yield Message("{reason}: {before:,} nodes there, {now:,} here.", reason=reason, before=before, now=now)
    evicting = sorted(map(str, there.preemption or ())) != sorted(map(str, here.preemption or ()))
    if there.preemption is not None and here.preemption is not None and evicting:
        yield Message(
            "About preemption, it reported: {before}; here: {now}.",
            before=write_parts(there.preemption),
            now=write_parts(here.preemption),
        )
    if not same:
        yield Message("The condition is as old as the last attempt: pods and nodes may have changed before the dump.")
    elif there.total == here.total and there.preemption is not None and not evicting:
        yield Message("The reasons and numbers are the same; the wording is that of another release.")
