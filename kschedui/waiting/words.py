"""A pending pod in words: its blocker, the distance of the nearest nodes, and differences from the dump's message."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

from kschedui.waiting.analysis import Cause, PendingPod
from kschedui.waiting.message import FailedMessage, counts, decode, write_parts
from kschedui.waiting.reasons import declarations, reason_of
from scheduler_core.apis.messages import Message
from scheduler_core.framework.about import About

MAX_MEMBERS = 5  # names of pods in a sentence


def blocker_words(waiting: PendingPod) -> Message:
    """Return the heading: what stops the pod on the nearest node, and then what stops it on other nodes.

    Otherwise, it says that another scheduler is responsible, that the pod group is incomplete, that the last attempt
    failed without a verdict on any node, or that the pod was not tried.
    """
    if waiting.scheduler:
        return Message("For another scheduler: {name}", name=waiting.scheduler)
    if waiting.group and waiting.group.node:
        return Message("Its pod group {group} is not complete", group=waiting.group.name)
    phrases = list(dict.fromkeys(map(_phrase, waiting.blockers)))
    if not phrases and waiting.attempt:
        return Message("Its last attempt failed: {message}", message=waiting.message)
    if not phrases:
        return Message("It was not tried")
    first, others = phrases[0], phrases[1:]
    if not others:
        return first
    elsewhere = reduce(lambda before, after: Message("{before}; {after}", before=before, after=after), others)
    return Message("{first}. On other nodes: {others}", first=first, others=elsewhere)


def group_words(waiting: PendingPod) -> list[Message]:
    """Return sentences about the pod's group, and about this member if it found a node; [] without a group."""
    group = waiting.group
    if group is None:
        return []
    values = {"group": group.name, "placed": len(group.placed), "all": len(group.placed) + len(group.unplaced)}
    others = ", ".join(group.unplaced[:MAX_MEMBERS])
    sentences = [
        Message(
            "Pod group {group}: {placed} of {all} pods found a node, so all of them return to the queue. Without a "
            "node: {others}.",
            **values,
            others=others or "-",
        )
    ]
    if group.node:
        sentences.append(
            Message(
                "This pod found {node}. Members are tried one after the other; none is tried again on another node, or "
                "with another alternative of its claims, so that a later one fits.",
                node=group.node,
            )
        )
    return sentences


def _phrase(cause: Cause) -> Message:
    """Return the subject of a plugin's verdict."""
    blocker = declarations().get(cause.plugin, About()).blocker
    known = reason_of(cause.reasons[0]) if cause.reasons else None
    if blocker is None and known is not None:  # a predicate that has the rules of several plugins
        blocker = declarations().get(known.plugin, About()).blocker
    if blocker is None:
        return Message("Rejected by {plugin}", plugin=cause.plugin)
    return blocker.message(resources=", ".join(sorted(set(_resources(cause)))))


def _resources(cause: Cause) -> Iterator[str]:
    """Yield the resources that the reasons name."""
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


def differences(waiting: PendingPod) -> Iterator[Message]:
    """Yield the differences between the cluster's message and this one; none without a message in the dump."""
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
    yield from _differing_parts(there, here)
    if there.preemption is None and here.preemption is not None:
        yield Message(
            "That scheduler did not report the result of preemption: it is older than 1.24, or preemption is off."
        )


def _differing_parts(there: FailedMessage, here: FailedMessage) -> Iterator[Message]:
    """Yield the reasons and results of preemption that differ, and an explanation."""
    theirs, ours = counts(there), counts(here)
    same = theirs == ours
    for reason in sorted(theirs.keys() | ours.keys()):
        before, now = theirs[reason], ours[reason]
        if before != now:
            yield Message("{reason}: {before:,} nodes there, {now:,} here.", reason=reason, before=before, now=now)
    preemption_differs = sorted(map(str, there.preemption or ())) != sorted(map(str, here.preemption or ()))
    if there.preemption is not None and here.preemption is not None and preemption_differs:
        yield Message(
            "About preemption, it reported: {before}; here: {now}.",
            before=write_parts(there.preemption),
            now=write_parts(here.preemption),
        )
    if not same:
        yield Message("The condition is as old as the last attempt: pods and nodes may have changed before the dump.")
    elif there.total == here.total and there.preemption is not None and not preemption_differs:
        yield Message("The reasons and numbers are the same; the wording is that of another release.")
