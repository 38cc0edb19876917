"""Sentences about the first difference between two runs, and about the smallest change."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from scheduler_core.apis.messages import Message
from scheduler_core.ask.compare import Cause
from scheduler_core.ask.smallest.coverage import Coverage
from scheduler_core.ask.smallest.missing import Missing
from scheduler_core.ask.smallest.nearest import Near
from scheduler_core.ask.smallest.proposals.resources import OVERCOMMITTED, amount
from scheduler_core.ask.smallest.smallest_change import Change, Changed


def cause_words(cause: Cause) -> Message:
    """Return the cause of a difference as one sentence."""
    match cause.kind:
        case "filter" if cause.after:
            return Message("The second run rejects {node}: {reason}", node=cause.node, reason=cause.after)
        case "filter":
            return Message("The first run rejects {node}: {reason}", node=cause.node, reason=cause.before)
        case "score":
            return _score_words(cause)
        case "tie":
            return Message(
                "Several nodes share the highest score, and a different one is selected: {node}", node=cause.node
            )
        case "devices":
            return Message(
                "The pod gets other devices on {node}: {before} in the first run, {after} in the second",
                node=cause.node,
                before=cause.before or "-",
                after=cause.after or "-",
            )
        case "victims":
            return Message(
                "Other pods are evicted: {before} in the first run, {after} in the second",
                before=cause.before or "-",
                after=cause.after or "-",
            )
        case "message":
            return Message(
                "The pod is pending in both runs, for different reasons: {message}", message=cause.after or "-"
            )
        case "only":
            return Message("Only one of the runs has this attempt")


def _score_words(cause: Cause) -> Message:
    return Message(
        "{node} scores {after} instead of {before}; the largest difference is {plugin}, "
        "{plugin_after} instead of {plugin_before}",
        node=cause.node,
        before=_or_dash(cause.before),
        after=_or_dash(cause.after),
        plugin=cause.plugin,
        plugin_before=_or_dash(cause.plugin_before),
        plugin_after=_or_dash(cause.plugin_after),
    )


def _or_dash(value: int | str | None) -> int | str:
    return "-" if value is None else value


def change_words(change: Change) -> Message:
    """Return a change as one sentence: every edit, and the node on which the pod then fits or preempts pods."""
    node = change.node
    sentence = changed_words(change.changed, node)
    if change.victims:
        return Message(
            "{change}: the pod then preempts {victims} on {node}",
            change=sentence,
            victims=", ".join(change.victims),
            node=node,
        )
    if change.others:
        others = len(change.others)
        return Message(
            "{change}: the pod then fits on {node} and {others} more", change=sentence, node=node, others=others
        )
    return Message("{change}: the pod then fits on {node}", change=sentence, node=node)


def changed_words(changed: Sequence[Changed], node: str) -> Message:
    """Return the changes for a node as one phrase."""
    return reduce(
        lambda before, after: Message("{before}, and {after:continued}", before=before, after=after),
        [_changed_words(change, node) for change in changed],
    )


def no_profile_words(scheduler: str) -> Message:
    """Return the reason why a pod is not scheduled whose schedulerName is that of no profile."""
    return Message("no profile of the configuration is named {name}", name=scheduler)


def near_words(near: Near) -> Message:
    """Return the changes with which the pod fits on a node, and their effect on its workload; or why none makes it fit.

    Such as: n-17: Request 1500m cpu instead of 2, and tolerate the taint gpu:NoSchedule.
    """
    if near.coverage is not None:
        return Message("{change}. {coverage}", change=_near_words(near), coverage=coverage_words(near.coverage))
    return _near_words(near)


def _near_words(near: Near) -> Message:
    if not near.changed:
        return Message("{node}: no change makes the pod fit ({reasons})", node=near.node, reasons="; ".join(near.left))
    sentence = changed_words(near.changed, near.node)
    if near.others:
        return Message("{node} and {others:,} more: {changes}", node=near.node, others=near.others, changes=sentence)
    return Message("{node}: {changes}", node=near.node, changes=sentence)


def coverage_words(coverage: Coverage) -> Message:
    """Return the effect of a change on all pods of a workload."""
    values = {"kind": coverage.kind, "name": coverage.name, "placed": coverage.placed, "pods": coverage.pods}
    if coverage.placed == coverage.pods:
        return Message("In the template of {kind} {name}, this is enough for all {pods:,} pods.", **values)
    return Message("In the template of {kind} {name}, this is enough for {placed:,} of {pods:,} pods.", **values)


FALSE = {
    "cloud": Message("The kubelet or the cloud provider sets this label; changing it does not move the node."),
    "machine": Message("A node's capacity is that of its machine."),
    "condition": Message("A controller adds this taint again as long as the node has the condition."),
    "health": Message(
        "The taint says that the node cannot run pods well now, and a controller removes it when it can. A pod that "
        "tolerates it is bound there all the same."
    ),
}


def contradiction_messages(changed: Sequence[Changed]) -> list[Message]:
    """Return the distinct reasons why changes would contradict facts."""
    return [FALSE[kind] for kind in dict.fromkeys(change.false for change in changed if change.false)]


OBSTACLES = {
    "not-ready": Message(
        "No retry helps as long as its pods are not Ready, unless its unhealthyPodEvictionPolicy is AlwaysAllow."
    ),
    "all-healthy": Message("It never allows an eviction, because it requires all of its pods to be healthy."),
}


def missing_words(missing: Missing) -> Message:
    """Return a sentence about an object or resource that the pod requires and that is missing or unusable."""
    values = {"name": missing.name, "of": missing.of, "where": missing.where}
    match missing.kind:
        case "claim":
            return Message("PersistentVolumeClaim {name} does not exist.", **values)
        case "class" if not missing.name:
            return Message("PersistentVolumeClaim {of} names no StorageClass, and there is no default class.", **values)
        case "class":
            return Message("StorageClass {name} of PersistentVolumeClaim {of} does not exist.", **values)
        case "volume":
            return Message(
                "PersistentVolume {name}, to which PersistentVolumeClaim {of} is bound, does not exist.", **values
            )
        case "resource" if "/" in missing.name:
            return Message("No node offers {name}: is its device plugin running, and its driver installed?", **values)
        case "resource":
            return Message("No node has the resource {name}.", **values)
        case "binding":
            return Message(
                "PersistentVolumeClaim {name} is not bound, although StorageClass {of} binds immediately: "
                "see its events.",
                **values,
            )
        case "place":
            return Message(
                "No node is where PersistentVolume {name} of PersistentVolumeClaim {of} is: {where}.", **values
            )
        case "in-use":
            return Message("PersistentVolumeClaim {name} is ReadWriteOncePod, and {of} uses it.", **values)


def _changed_words(change: Changed, node: str) -> Message:
    values = {"name": change.name, "before": change.before, "after": change.after, "node": node}
    match change.kind:
        case "request" if change.after == "0":
            return Message("Request no {name} instead of {before}", **values)
        case "request" if change.where:
            return Message(
                "Request {after} {name} instead of {before} in {where}", **_in_one_unit(values), where=change.where
            )
        case "request":
            return Message("Request {after} {name} instead of {before}", **_in_one_unit(values))
        case "toleration":
            return Message("Tolerate the taint {name}", name=change.name)
        case "taint":
            return Message("Remove the taint {name} from {node}", **values)
        case "uncordon":
            return Message("Uncordon {name}", name=change.name)
        case "room" if change.name == "pods":
            return Message("Allow {after} pods on {node} instead of {before}", **values)
        case "room":
            return Message("Give {node} {after} {name} instead of {before}", **_in_one_unit(values))
        case "port":
            return Message("Remove the host port {name}", name=change.name)
        case "priority" if change.name == "priority":
            return Message("Set the priority to {after} instead of {before}", **values)
        case "priority":
            return Message("Allow preemption: set {name} to {after}", **values)
        case "nodes" if isinstance(change.after, str):
            return Message("Add a node like {name} in zone {zone}", name=change.name, zone=change.after)
        case "nodes":
            return Message("Add a node like {name}", name=change.name)
        case "selector" if change.after is None:
            return Message("Remove {name} from the node selector", **values)
        case "selector":
            return Message("Select nodes with {name}={after} instead of {before}", **values)
        case "label" if change.after is None:
            return Message("Remove the label {name}={before} from {node}", **values)
        case "label":
            return Message("Add the label {name}={after} to {node}", **values)
        case "pod-label":
            return Message("Remove the label {name}={before} from the pod", **values)
        case "spread" if isinstance(change.after, int) and change.name.endswith(" minDomains"):
            return Message(
                "Set minDomains over {key} to {after} instead of {before}", **values, key=change.name.split()[0]
            )
        case "spread" if change.name.endswith((" nodeTaintsPolicy", " matchLabelKeys")):
            key, _, field = change.name.partition(" ")
            return Message("Set {field} over {key} to {after}", key=key, field=field, after=change.after)
        case "spread" if isinstance(change.after, int):
            return Message("Set maxSkew over {name} to {after} instead of {before}", **values)
        case "spread":
            return Message("Make spreading over {name} a preference", name=change.name)
        case "claim":
            named = {
                **values,
                "before": change.before or "-",
                "claim": change.name.split()[0],
                "field": change.name.split()[-1],
            }
            return Message("Set {field} of PersistentVolumeClaim {claim} to {after} instead of {before}", **named)
        case "device-count" | "device-class" | "device-selector" | "device-toleration" | "device-constraint":
            return _claim_words(change)
        case "device-holder" if change.before is None:
            return Message("Release the devices of claim {name}, which no pod uses", **values)
        case "device-holder":
            return Message("Delete {before}, which has the devices of claim {name}", **values)
        case "gate":
            return Message("Remove the scheduling gates {name}", name=change.name)
        case "scheduler":
            return Message("Set schedulerName to {after} instead of {before}", **values)
        case "affinity":
            return _affinity_words(change)


def _claim_words(change: Changed) -> Message:
    """Return a change of a ResourceClaim as a phrase; its `name` is the claim with a request or a field."""
    claim, _, part = change.name.partition(" ")
    values = {"claim": claim, "request": part, "field": part, "before": change.before, "after": change.after}
    match change.kind:
        case "device-count" if change.before == "All":
            return Message("Request {after} device instead of all in {request} of claim {claim}", **values)
        case "device-count":
            return Message("Request {after} instead of {before} devices in {request} of claim {claim}", **values)
        case "device-class":
            return Message(
                "Request devices of class {after} instead of {before} in {request} of claim {claim}", **values
            )
        case "device-selector":
            return Message("Remove the selector {before} from {request} of claim {claim}", **values)
        case "device-toleration":
            return Message("Tolerate the device taint {after} in {request} of claim {claim}", **values)
    return Message("Remove the constraint {field}: {before} from claim {claim}", **values)


def _in_one_unit(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values with both amounts in one unit: "2.5 cpu instead of 3", not "2500m".

    They are unchanged if one of the amounts is missing.
    """
    resource, sides = values["name"], [values["after"], values["before"]]
    if any(side is None for side in sides):
        return values
    after, before = one_unit(resource, *(amount(resource, side) for side in sides))
    return {**values, "after": after, "before": before}


def one_unit(resource: str, *amounts: int) -> list[str]:
    """Return amounts in one unit: 1.5Gi and 3Gi.

    It is the largest unit in which one amount is at least 1 and all are exact to two decimals, or else bytes. Cpu is in
    cores with up to three decimals. Resources that are not in bytes are plain numbers.
    """
    if resource == "cpu":
        return [_decimal(value, 1000) for value in amounts]
    if resource not in OVERCOMMITTED and not resource.startswith("hugepages-"):
        return [str(value) for value in amounts]
    for suffix, bits in (("Gi", 30), ("Mi", 20), ("Ki", 10)):
        if max(amounts) >= 1 << bits and not any(value * 100 % (1 << bits) for value in amounts):
            return [_decimal(value, 1 << bits) + suffix for value in amounts]
    return [str(value) for value in amounts]


def _decimal(value: int, of: int) -> str:
    return f"{value / of:.3f}".rstrip("0").rstrip(".")


def _affinity_words(change: Changed) -> Message:
    if change.name == "nodeAffinity":
        return Message("Remove the required node affinity")
    if change.name in ("podAffinity", "podAntiAffinity"):
        return Message("Remove the required {name} over {key}", name=change.name, key=change.before or "-")
    if change.after is None:
        return Message("Remove the requirement {name}", name=change.name)
    return Message("Require {after} instead of {before}", after=change.after, before=change.before)
