"""A waiting pod in words: what blocks it, how near the nearest nodes are, why the dump said something else."""

from __future__ import annotations

from collections.abc import Iterator

from kschedui.waiting.analysis import Cause, Near, WaitingPod
from kschedui.waiting.message import FailedMessage, counts, decode, listed
from scheduler_core.apis.messages import Message
from scheduler_core.apis.quantity import format_bytes

BYTES = ("memory", "ephemeral-storage")

BLOCKERS = {
    "TaintToleration": Message("Taints that it does not tolerate"),
    "NodeUnschedulable": Message("Cordoned nodes"),
    "NodeAffinity": Message("No node has the labels that it asks for"),
    "NodeName": Message("It names another node"),
    "NodePorts": Message("Its host port is taken"),
    "PodTopologySpread": Message("It would spread too unevenly"),
    "InterPodAffinity": Message("Its affinity to other pods, or theirs to it"),
    "VolumeBinding": Message("Its volume claims"),
    "VolumeZone": Message("Its volume is in another zone"),
    "NodeVolumeLimits": Message("No room for another volume"),
    "VolumeRestrictions": Message("Its disk is in use"),
    "SchedulingGates": Message("Scheduling gates"),
    "DynamicResources": Message("Its resource claims"),
    "Coscheduling": Message("Its group is not complete"),
    "": Message("It was not tried"),
}


def blocker_words(waiting: WaitingPod) -> Message:
    """The blocker as a heading."""
    cause = waiting.blocker
    plugin = cause.plugin if cause else ""
    if cause and plugin == "NodeResourcesFit":
        said = {reason.removeprefix("Insufficient ") for reason in cause.reasons}
        resources = sorted("pods" if one == "Too many pods" else one for one in said)
        return Message("Too little {resources}", resources=", ".join(resources))
    return BLOCKERS.get(plugin) or Message("Rejected by {plugin}", plugin=plugin)


def cause_words(cause: Cause) -> Message:
    """So many nodes, by which plugin, with kube-scheduler's words."""
    reasons = ", ".join(cause.reasons)
    if not cause.nodes:
        return Message("{plugin}: {reasons}", plugin=cause.plugin, reasons=reasons or "-")
    if cause.nodes == 1:
        return Message("1 node, {plugin}: {reasons}", plugin=cause.plugin, reasons=reasons)
    return Message("{nodes:,} nodes, {plugin}: {reasons}", nodes=cause.nodes, plugin=cause.plugin, reasons=reasons)


def near_words(near: Near) -> Message:
    """As in: short by 3.5 cpu on n-17."""
    missing = ", ".join(amount(name, number) for name, number in near.short.items())
    return Message("short by {missing} on {node}", missing=missing, node=near.node)


def amount(resource: str, number: int) -> str:
    """A quantity as people read it."""
    if resource == "cpu":
        return f"{number / 1000:g} cpu"
    return f"{format_bytes(number)} {resource}" if resource in BYTES else f"{number} {resource}"


def differences(waiting: WaitingPod) -> Iterator[Message]:
    """Why the cluster's message is another than this one; nothing where they say the same, or where there is none."""
    if not waiting.dumped or waiting.dumped == waiting.message:
        return
    there, here = decode(waiting.dumped), decode(waiting.message)
    if not there.understood or not here.understood:
        yield Message("One of the two is no message about nodes.")
        return
    if there.total != here.total:
        yield Message(
            "The cluster had {there:,} nodes when it tried; the text has {here:,}.", there=there.total, here=here.total
        )
    yield from _parts(there, here)
    if there.preemption is None and here.preemption is not None:
        yield Message("That scheduler did not say what preemption found: it is older than 1.24, or preemption is off.")


def _parts(there: FailedMessage, here: FailedMessage) -> Iterator[Message]:
    """Reasons whose counts differ."""
    theirs, ours = counts(there), counts(here)
    same = theirs == ours
    for reason in sorted(theirs.keys() | ours.keys()):
        before, now = theirs[reason], ours[reason]
        if before != now:
            yield Message("{reason}: {before:,} nodes there, {now:,} here.", reason=reason, before=before, now=now)
    evicting = sorted(map(str, there.preemption or ())) != sorted(map(str, here.preemption or ()))
    if there.preemption is not None and here.preemption is not None and evicting:
        yield Message(
            "Of evicting pods it said: {before}; here: {now}.",
            before=listed(there.preemption),
            now=listed(here.preemption),
        )
    if not same:
        yield Message("The condition is as old as the last attempt: pods and nodes may have changed before the dump.")
    elif there.total == here.total and there.preemption is not None and not evicting:
        yield Message("The reasons and numbers are the same; the wording is that of another release.")
