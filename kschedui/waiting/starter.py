"""A small scenario whose pod gets the same FailedScheduling message: for each reason as many nodes as it counts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

from kschedui.scenarios import compact_yaml
from kschedui.waiting import outside_starters, volume_starters
from kschedui.waiting.maker import AMOUNTS, POD, Maker, Manifest, manifest
from kschedui.waiting.message import FailedMessage, Part, counts, decode, exact
from scheduler_core import RunEnded, ScenarioErrors, parse_scenario, simulate
from scheduler_core.releases import RELEASES
from scheduler_core.trace.events import PodGated, SchedulingFailed

MOST_NODES = 500
LONGEST = 300  # characters of a reason
TAINT = re.compile(r"taint \{(?P<key>[^:}]+): ?(?P<value>[^}]*)\}")


Make = Callable[[Maker, list[Manifest], Part], None]


class Starter(NamedTuple):
    """A scenario's text. `stand_ins`: reasons that an extender says in it, in place of what is not simulated."""

    text: str = ""
    stand_ins: list[str] = []


def insufficient(maker: Maker, nodes: list[Manifest], part: Part) -> None:
    resource = part.reason.removeprefix("Insufficient ")
    given, asked = AMOUNTS.get(resource, ("4", "3"))
    maker.request(resource, asked)
    if resource.startswith("hugepages-"):
        maker.spec["containers"][0]["resources"]["requests"].setdefault("memory", "64Mi")  # never alone
    for node in maker.nodes:
        node["status"]["allocatable"].setdefault(resource, given)
    for node in nodes:
        if resource in AMOUNTS:
            requests = {resource: {"cpu": "2", "memory": "4Gi"}.get(resource, "8Gi")}
            maker.neighbour(node, container={"resources": {"requests": requests}})
        else:
            node["status"]["allocatable"][resource] = "2"


def too_many_pods(maker: Maker, nodes: list[Manifest], part: Part) -> None:
    for node in nodes:
        node["status"]["allocatable"]["pods"] = "1"
        maker.neighbour(node)


def taint(maker: Maker, nodes: list[Manifest], part: Part) -> None:
    match = TAINT.search(part.reason)
    key, value = (match["key"], match["value"].strip()) if match else ("dedicated", "others")
    effect = "NoExecute" if key in ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable") else "NoSchedule"
    for node in nodes:
        node["spec"] = {"taints": [{"key": key, "effect": effect, **({"value": value} if value else {})}]}


def cordoned(maker: Maker, nodes: list[Manifest], part: Part) -> None:
    for node in nodes:
        node["spec"] = {"unschedulable": True}


def labels(maker: Maker, nodes: list[Manifest], part: Part) -> None:
    maker.spec["nodeSelector"] = {"disk": "ssd"}
    names = {node["metadata"]["name"] for node in nodes}
    for node in maker.nodes:
        node["metadata"]["labels"]["disk"] = "hdd" if node["metadata"]["name"] in names else "ssd"


def ports(maker: Maker, nodes: list[Manifest], part: Part) -> None:
    port = {"ports": [{"containerPort": 80, "hostPort": 8080}]}
    maker.spec["containers"][0] |= port
    for node in nodes:
        maker.neighbour(node, container=port)


def spread(maker: Maker, nodes: list[Manifest], part: Part, *, missing: bool = False) -> None:
    key = "example.com/rack"
    constraint: Manifest = {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule"}
    if all(any(word in one for word in ("spread", "unschedulable", "taint")) for one in maker.reasons):
        constraint["minDomains"] = maker.total + 1  # there is no emptier domain: one is missing
    maker.spec["topologySpreadConstraints"] = [{**constraint, "labelSelector": {"matchLabels": {"app": POD}}}]
    names = {node["metadata"]["name"] for node in nodes}
    maker.unlabelled |= names if missing else set()
    for node in maker.nodes:
        name = node["metadata"]["name"]
        if name in names and not missing:
            node["metadata"]["labels"][key] = "full"
        elif name not in maker.unlabelled:
            node["metadata"]["labels"].setdefault(key, name)
    if not missing:
        for _ in range(2):
            maker.neighbour(nodes[0], {"app": POD})


def spread_label(maker: Maker, nodes: list[Manifest], part: Part) -> None:
    spread(maker, nodes, part, missing=True)


def affinity(maker: Maker, nodes: list[Manifest], part: Part) -> None:
    key = "example.com/group"
    term = {"labelSelector": {"matchLabels": {"app": "cache"}}, "topologyKey": key}
    rules = maker.spec.setdefault("affinity", {})
    rules["podAffinity"] = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    names = {node["metadata"]["name"] for node in nodes}
    others = [node for node in maker.nodes if node["metadata"]["name"] not in names]
    for node in maker.nodes:
        node["metadata"]["labels"][key] = "far" if node["metadata"]["name"] in names else "near"
    if others:
        maker.neighbour(others[0], {"app": "cache"})


def anti_affinity(maker: Maker, nodes: list[Manifest], part: Part) -> None:
    term = {"labelSelector": {"matchLabels": {"app": "noisy"}}, "topologyKey": "kubernetes.io/hostname"}
    rules = maker.spec.setdefault("affinity", {})
    rules["podAntiAffinity"] = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    for node in nodes:
        maker.neighbour(node, {"app": "noisy"})


def existing_anti_affinity(maker: Maker, nodes: list[Manifest], part: Part) -> None:
    term = {"labelSelector": {"matchLabels": {"app": POD}}, "topologyKey": "kubernetes.io/hostname"}
    rules = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    for node in nodes:
        maker.neighbour(node, {"app": "shy"}, affinity=rules)


MAKERS: tuple[tuple[str, Make], ...] = (
    *outside_starters.STARTERS,
    ("Insufficient ", insufficient),
    ("Too many pods", too_many_pods),
    ("taint", taint),
    ("were unschedulable", cordoned),
    *volume_starters.STARTERS,
    ("node affinity", labels),
    ("node selector", labels),
    ("free ports", ports),
    ("spread constraints (missing required label)", spread_label),
    ("spread constraints", spread),
    ("existing pods anti-affinity", existing_anti_affinity),
    ("pod anti-affinity", anti_affinity),
    ("pod affinity", affinity),
    ("no nodes available", lambda maker, nodes, part: None),
)
OF_NODES = (insufficient, too_many_pods, taint, cordoned, labels, ports, spread, spread_label, affinity, anti_affinity)


def starter(message: FailedMessage) -> Starter:
    """A scenario that gets the message; without a text where there is none, or where there would be too many nodes."""
    message = replace(message, parts=exact(message))
    if not message.parts or message.total > MOST_NODES:
        return Starter()
    own = [next((make for text, make in MAKERS if text in part.reason), None) for part in message.parts]
    mixed = [make or standing_in(message, part) for make, part in zip(own, message.parts, strict=True)]
    others = [standing_in(message, part) for part in message.parts]
    return next(filter(None, (built(message, makers) for makers in (mixed, others))), Starter())


def standing_in(message: FailedMessage, part: Part) -> Make | None:
    """An extender can say anything of nodes; of a message that is cut off it is not known what to say."""
    return outside_starters.stand_in if part.count and message.end == "." and len(part.reason) < LONGEST else None


def built(message: FailedMessage, makers: list[Make | None]) -> Starter | None:
    """The scenario that these make; None when it does not get the message."""
    maker = Maker(message.total, [part.reason for part in message.parts])
    for _ in range(message.total):
        maker.node()
    shares = shared(message)
    if shares is None:
        return None
    for part, make, (start, end) in zip(message.parts, makers, shares, strict=True):
        if make is None or (part.count == 0 and make in OF_NODES):
            return None
        make(maker, maker.nodes[start:end], part)
    text = best((of_release(maker, version) for version in reversed(RELEASES)), message)
    return Starter(text, [rule["reject"] for rule in maker.rules]) if text else None


def of_release(maker: Maker, version: str) -> str:
    """The scenario's text."""
    objects = [*maker.nodes, *maker.objects, maker.pod, *outside_starters.configuration(maker)]
    title = {"title": "A pod that waits, as its message says", "kubernetesVersion": version}
    spec = {**title, **outside_starters.settings(maker)}
    return compact_yaml.write_all([*objects, manifest("kschedui.io/v1alpha1", "Scenario", "decoded", spec=spec)])


def best(texts: Iterator[str], message: FailedMessage) -> str:
    """The first that words it so, else the first that counts the same; "" when none does."""
    same = ""
    for text in texts:
        told = told_by(text)
        if sorted(map(str, decode(told).parts)) == sorted(map(str, message.parts)):
            return text
        same = same or (text if same_counts(told, message) else "")
    return same


def shared(message: FailedMessage) -> list[tuple[int, int]] | None:
    """Which nodes each part gets, from and up to: one after another, resources of one node together where need be."""
    amounts = [part for part in message.parts if part.reason.startswith(("Insufficient", "Too many"))]
    others = sum(part.count for part in message.parts if part not in amounts)
    room = message.total - others
    together = sum(part.count for part in amounts) > room
    if others > message.total or any(part.count > room for part in amounts):
        return None
    found, at, turn = [], 0, 0
    for part in message.parts:
        if part in amounts and together:
            turn += 1
            found.append((others, others + part.count) if turn % 2 else (message.total - part.count, message.total))
        elif part in amounts:
            before = sum(one.count for one in amounts[: amounts.index(part)])
            found.append((others + before, others + before + part.count))
        else:
            found.append((at, at + part.count))
            at += part.count
    return found


def told_by(text: str) -> str:
    """What the simulation says of the starter's pod; "" where that release cannot run it."""
    try:
        failed = [event for event in simulate(parse_scenario(text)) if isinstance(event, SchedulingFailed | PodGated)]
    except (RunEnded, ScenarioErrors):
        return ""
    return next((event.message for event in failed if event.pod == f"default/{POD}"), "")


def same_counts(text: str, message: FailedMessage) -> bool:
    """Does the simulation's message count the same nodes, whatever the wording of its release?"""
    found = decode(text)
    return found.total == message.total and counts(found) == counts(message)
