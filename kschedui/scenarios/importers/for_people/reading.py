"""Converts a text for people to objects, and notes: what was read, and which command prints the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import msgspec

from kschedui.scenarios.importers.for_people import events, nodes, pods, tables
from kschedui.scenarios.importers.for_people.events import SeenEvent
from kschedui.scenarios.importers.for_people.sections import Described, Table, parts_of
from scheduler_core.apis.messages import Message
from scheduler_core.apis.quantity import QuantityError
from scheduler_core.ask.smallest.proposals.resources import amount, written

Manifest = dict[str, Any]

MAX_NODES = 5  # whose free resources are noted
MAX_EVENTS = 5  # sentences about events
ASSIGNED = re.compile(r"Successfully assigned \S+ to (\S+)")
OBJECTS = re.compile(r"""^["']?(?:apiVersion|kind)["']?\s*:|^\{\s*["']?(?:apiVersion|kind|items)""", re.M)
NODE_KEYS = ("Capacity", "Allocatable", "Non-terminated Pods", "System Info")
POD_KEYS = ("Containers", "QoS Class", "Node-Selectors", "IPs")


class Reading(msgspec.Struct):
    """The objects and events that were read, and notes for people.

    `rest`: the other lines of the text, if they contain objects.
    """

    objects: list[Manifest] = []
    events: list[SeenEvent] = []
    notes: list[Message] = []
    rest: str = ""


def key_of(manifest: Manifest) -> tuple[str, str, str]:
    metadata = manifest["metadata"]
    return manifest["kind"], metadata.get("namespace", ""), metadata["name"]


def read(text: str) -> Reading:
    """Read the described objects and tables; a description replaces a row of a table about the same object."""
    reading = Reading()
    objects: dict[tuple[str, str, str], tuple[int, Manifest]] = {}
    counts = dict.fromkeys(("node", "pod", "of nodes", "of pods", "of events", "other", "nowhere"), 0)
    placed: set[tuple[str, str, str]] = set()

    def take(manifest: Manifest, rank: int) -> None:
        key = key_of(manifest)
        if key not in objects or objects[key][0] <= rank:
            node = objects[key][1]["spec"].get("nodeName") if key in objects else None
            if node and "nodeName" not in manifest["spec"]:
                manifest["spec"]["nodeName"] = node
            objects[key] = rank, manifest

    seen_events: list[SeenEvent] = []  # of tables
    lines = text.split("\n")
    for part in parts_of(text):
        lines[part.first : part.last] = [""] * (part.last - part.first)
        match part:
            case Described() if part.has(*NODE_KEYS):
                counts["node"] += 1
                for number, manifest in enumerate(nodes.read_node(part)):
                    take(manifest, 3 if number == 0 else 2)
            case Described() if part.has(*POD_KEYS):
                counts["pod"] += 1
                namespace, name = part.value("Namespace") or "default", part.value("Name")
                seen = list(events.read_section(part.section("Events"), "pod", namespace, name))
                reading.events += seen
                take(pods.read_pod(part, seen), 3)
            case Table() if tables.is_of_pods(part):
                counts["of pods"] += 1
                for manifest, may_wait in tables.read_pods(part):
                    take(manifest, 1)
                    if not may_wait:
                        placed.add(key_of(manifest))
            case Table() if tables.is_of_nodes(part):
                counts["of nodes"] += 1
                for manifest in tables.read_nodes(part):
                    take(manifest, 1)
            case Table() if events.is_of_events(part):
                counts["of events"] += 1
                seen_events += events.read_table(part)
            case _:
                counts["other"] += 1
    reading.events += seen_events
    _apply(seen_events, objects, alone=not counts["pod"] and not counts["of pods"])
    for key in placed:
        if "nodeName" not in objects[key][1]["spec"]:
            del objects[key]
            counts["nowhere"] += 1
    reading.objects = [manifest for _, manifest in objects.values()]
    rest = "\n".join(lines)
    reading.rest = rest if OBJECTS.search(rest) else ""
    reading.notes = list(
        _notes(counts, [rank for rank, manifest in objects.values() if manifest["kind"] == "Node"], reading)
    )
    return reading


def remove_volumes(objects: list[Manifest]) -> list[str]:
    """Remove the volumes of all pods, and return the names of their claims; each volume that was read has one."""
    names: dict[str, None] = {}
    for pod in (item for item in objects if item["kind"] == "Pod" and "volumes" in item["spec"]):
        for volume in pod["spec"].pop("volumes"):
            names[volume["persistentVolumeClaim"]["claimName"]] = None
    return list(names)


def _apply(seen: list[SeenEvent], objects: dict[tuple[str, str, str], tuple[int, Manifest]], *, alone: bool) -> None:
    """Add information from the events of pods: the node of a pod, and why it is pending. `alone`: there are no other
    pods.
    """
    by_pod: dict[tuple[str, str, str], list[SeenEvent]] = {}
    for event in seen:
        if event.kind == "pod":
            by_pod.setdefault(("Pod", event.namespace, event.name), []).append(event)
    for key, its_events in by_pod.items():
        last = events.last_of_scheduler(its_events)
        if last is None:
            continue
        if key not in objects:
            if not alone or last.reason != events.NOT_SCHEDULED:
                continue
            objects[key] = 1, nodes.make_pod(key[1], key[2], "", {})
        pod = objects[key][1]
        if "nodeName" in pod["spec"]:
            continue
        if last.reason == events.NOT_SCHEDULED:
            status = pod.setdefault("status", {})
            if not any(condition["type"] == "PodScheduled" for condition in status.get("conditions", ())):
                pods.add_message(status, its_events)
        elif match := ASSIGNED.search(last.message):
            pod["spec"]["nodeName"] = match[1]


def _free(objects: list[Manifest]) -> Iterator[Message]:
    """Yield the unrequested cpu, memory and extended resources of the first described nodes, as sentences."""
    requested: dict[str, dict[str, int]] = {}
    for pod in (item for item in objects if item["kind"] == "Pod"):
        sums = requested.setdefault(pod["spec"].get("nodeName", ""), {})
        for container in pod["spec"]["containers"]:
            for name, value in container.get("resources", {}).get("requests", {}).items():
                sums[name] = sums.get(name, 0) + amount(name, value)
    described = [item for item in objects if item["kind"] == "Node" and item["status"].get("capacity")]
    for node in described[:MAX_NODES]:
        name = node["metadata"]["name"]
        there = node["status"].get("allocatable") or node["status"]["capacity"]
        free = {
            resource: written(resource, amount(resource, value) - requested.get(name, {}).get(resource, 0))
            for resource, value in there.items()
        }
        others = [f"{value} {resource}" for resource, value in free.items() if "/" in resource]
        yield Message(
            "{node}: {cpu} cpu and {memory} memory are free for requests; extended resources: {others}.",
            node=name, cpu=free.get("cpu", "-"), memory=free.get("memory", "-"), others=", ".join(others) or "-",
        )  # fmt: skip


def _of_events(seen: list[SeenEvent]) -> Iterator[Message]:
    """Yield the newest message of the scheduler about each pending pod, and the pods that were preempted, as
    sentences.
    """
    by_pod: dict[str, list[SeenEvent]] = {}
    for event in seen:
        if event.kind == "pod":
            by_pod.setdefault(f"{event.namespace}/{event.name}", []).append(event)
    sentences = []
    for pod, its_events in by_pod.items():
        last = events.last_of_scheduler(its_events)
        if last is not None and last.reason == events.NOT_SCHEDULED:
            sentences.append(
                Message(
                    "{pod}: FailedScheduling, {count:,} times in {first}, last {last} ago: {text}",
                    pod=pod, count=last.count, first=events.age_of(last.first), last=events.age_of(last.last),
                    text=last.message,
                )
                if last.count > 1
                else Message(
                    "{pod}: FailedScheduling, {last} ago: {text}",
                    pod=pod, last=events.age_of(last.last), text=last.message,
                )
            )  # fmt: skip
        sentences += [
            Message(
                "{pod} was preempted {age} ago: {message}",
                pod=pod,
                age=events.age_of(event.last),
                message=event.message,
            )
            for event in its_events
            if event.reason == "Preempted"
        ]
    yield from sentences[:MAX_EVENTS]
    if len(sentences) > MAX_EVENTS:
        yield Message("And {number:,} more pods.", number=len(sentences) - MAX_EVENTS)


def _unexplained(objects: list[Manifest]) -> int:
    """Return the number of pending pods for which the text contains neither containers nor a message."""
    pods_that_wait = (
        item for item in objects if item["kind"] == "Pod" and not {"nodeName", "schedulingGates"} & set(item["spec"])
    )
    return sum(
        item["spec"]["containers"] == tables.UNKNOWN and not item.get("status", {}).get("conditions")
        for item in pods_that_wait
    )


def _notes(counts: dict[str, int], node_ranks: list[int], reading: Reading) -> list[Message]:
    notes = [
        Message(
            "Read what kubectl prints for people: nodes described: {node:,}, pods described: {pod:,}, tables: "
            "{tables:,}, events: {events:,}.",
            node=counts["node"], pod=counts["pod"],
            tables=counts["of pods"] + counts["of nodes"] + counts["of events"], events=len(reading.events),
        )
    ]  # fmt: skip
    if counts["pod"]:
        notes.append(
            Message(
                "kubectl describe prints neither the affinity of a pod nor its scheduling gates, and not which init "
                "containers are sidecars. If it has some, kubectl get pod NAME -o yaml settles it."
            )
        )
    if counts["node"]:
        notes.append(
            Message(
                "kubectl describe node prints the requests of its pods, but not their labels and rules. kubectl get "
                "nodes,pods -A -o yaml has everything."
            )
        )
    notes += _of_events(reading.events)
    with suppress(QuantityError):  # the parser reports it
        notes += [*_free(reading.objects)]
    if counts["of events"] and not counts["pod"] and not counts["of pods"]:
        notes.append(
            Message(
                "Events do not say what a pod asks for: its message is explained, but no node is checked for it. "
                "kubectl describe pod, or kubectl get pod NAME -o yaml, settles it."
            )
        )
    if 1 in node_ranks:
        notes.append(
            Message(
                "A table of nodes has no amounts and no labels: room is not checked there. kubectl describe nodes "
                "settles it."
            )
        )
    if unexplained := _unexplained(reading.objects):
        notes.append(
            Message(
                "Pods that wait according to a table, which prints neither requests nor rules, so that a run may place "
                "them: {number:,}. kubectl describe pod says why they wait.",
                number=unexplained,
            )
        )
    if not node_ranks:
        notes.append(Message("The text has no nodes: paste kubectl describe nodes too to see why they reject the pod."))
    if counts["nowhere"]:
        notes.append(
            Message(
                "Pods that are on some node, but the text does not say on which, were left out: {number:,}. kubectl "
                "get pods -A -o wide prints the nodes.",
                number=counts["nowhere"],
            )
        )
    if counts["other"]:
        notes.append(Message("Parts that are neither nodes nor pods were skipped: {number:,}.", number=counts["other"]))
    return notes
