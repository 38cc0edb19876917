"""A small picture of the cluster at the end of a run, or at one of its steps, as data.

A drawing is {queue: [[priority, waiting]], nodes: [{name, cpu, joined, pods: [[cpu, priority, state]]}], cells, total}.
Cpu is in millicores. A state is RUNNING (since the start), PLACED (in this run), EVICTED, or SUBJECT (the pod of the
drawn step). `waiting` is 1 for a pod that is pending at the end, 2 for the subject. For a large cluster, `nodes` is
empty and `cells` has a digit for each node (or for a few neighbours): EMPTY or the highest state there.
"""

from itertools import pairwise
from typing import Any

from scheduler_core.trace.controller_events import PodFinished
from scheduler_core.trace.events import AnyEvent, ObjectApplied, ObjectDeleted, PodBound, RunFinished, RunStarted
from scheduler_core.trace.preemption_events import VictimEvicted
from scheduler_core.trace.records import NodeSummary, PodSummary
from scheduler_core.trace.summaries import nodes_of, pods_of

RUNNING, PLACED, EVICTED, SUBJECT = range(4)
EMPTY = "-"
DRAWN_NODES = 32
DRAWN_PODS = 40  # of one node
DRAWN_QUEUE = 24
CELLS = 480


class ClusterDrawing:
    """The picture of a run's cluster: `take` each event, then call `drawing`."""

    def __init__(self) -> None:
        self.nodes: dict[str, NodeSummary] = {}
        self.joined: set[str] = set()
        self.pods: dict[str, PodSummary] = {}
        self.queue: list[str] = []  # every pod that ever waited, in order of arrival
        self.places: dict[str, tuple[str, int]] = {}  # pod -> node, state
        self.pending: set[str] = set()
        self.gone: set[str] = set()

    def take(self, event: AnyEvent) -> None:
        """Apply one event."""
        match event:
            case RunStarted():
                self.nodes = {node.name: node for node in nodes_of(event)}
                for pod in pods_of(event):
                    self.put_pod(pod)
            case ObjectApplied(node=NodeSummary() as node):
                self.joined |= {node.name} - self.nodes.keys()
                self.nodes[node.name] = node
            case ObjectApplied(pod=PodSummary() as pod):
                self.put_pod(pod)
            case ObjectDeleted():
                self.remove_object(event)
            case PodFinished():
                self.remove_pod(event.pod)
            case PodBound():
                self.places[event.pod] = (event.node, PLACED)
            case VictimEvicted():
                self.places[event.pod] = (event.node, EVICTED)
            case RunFinished():
                self.pending = set(event.pending)

    def put_pod(self, pod: PodSummary) -> None:
        """Add or update a pod."""
        self.gone.discard(pod.pod)
        is_update = pod.pod in self.pods
        self.pods[pod.pod] = pod
        if is_update:
            return
        if pod.node:
            self.places[pod.pod] = (pod.node, RUNNING)
        else:
            self.queue.append(pod.pod)

    def remove_object(self, event: ObjectDeleted) -> None:
        """Remove a deleted node or pod."""
        if event.kind == "Node":
            self.nodes.pop(event.name, None)
        if event.kind == "Pod":
            self.remove_pod(f"{event.namespace}/{event.name}")

    def remove_pod(self, key: str) -> None:
        """Remove a pod that was deleted or has finished; an evicted one stays in the picture."""
        if self.places.get(key, ("", RUNNING))[1] != EVICTED:
            self.places.pop(key, None)
            self.gone.add(key)

    def drawing(self, subject: str | None = None) -> dict[str, Any]:
        """Return the drawing, small enough for a column of the run's row.

        `subject` is the key of the pod that a step is about, or "". The queue then contains the pods that are pending
        at the step; with None, every pod that was ever pending.
        """
        on_node: dict[str, list[list[int]]] = {name: [] for name in self.nodes}
        for key, (name, state) in self.places.items():
            if name in on_node:
                pod = self.pods[key]
                on_node[name].append([pod.requests.get("cpu", 0), pod.priority, SUBJECT if key == subject else state])
        large = len(on_node) > DRAWN_NODES
        left = self.places.keys() | self.gone
        queued = self.queue if subject is None else [key for key in self.queue if key not in left]
        queue = [[self.pods[key].priority, self.waiting(key, subject)] for key in queued[:DRAWN_QUEUE]]
        shown = [] if large else [self.node(name, pods) for name, pods in on_node.items()]
        cells = cells_of([max((str(pod[2]) for pod in pods), default=EMPTY) for pods in on_node.values()])
        return {"queue": queue, "nodes": shown, "cells": cells if large else "", "total": len(on_node)}

    def waiting(self, key: str, subject: str | None) -> int:
        """Return the number for a queued pod: 2 for the subject, 1 if it is pending at the end, otherwise 0."""
        return 2 if key == subject else int(key in self.pending)

    def node(self, name: str, pods: list[list[int]]) -> dict[str, Any]:
        """Return one node of the drawing with at most DRAWN_PODS pods; evicted pods come last."""
        pods.sort(key=lambda pod: pod[2] == EVICTED)
        cpu = self.nodes[name].allocatable.get("cpu", 0)
        return {"name": name, "cpu": cpu, "joined": name in self.joined, "pods": pods[:DRAWN_PODS]}


def cells_of(states: list[str]) -> str:
    """Return at most CELLS digits; neighbours that share a digit show their highest state."""
    count = min(len(states), CELLS)
    ends = [len(states) * i // count for i in range(count + 1)] if count else []
    return "".join(max(states[start:end]) for start, end in pairwise(ends))


def before_running(summary: dict[str, Any]) -> dict[str, Any]:
    """Return the drawing of a scenario that has not run yet, from its version's summary (engine.summary)."""
    start = summary.get("drawing", {})
    nodes = [
        {
            "name": node.get("name", ""),
            "cpu": node["cpu"],
            "joined": False,
            "pods": [[*pod[:2], RUNNING] for pod in node["pods"]],
        }
        for node in start.get("nodes", [])[:DRAWN_NODES]
    ]
    queue = [[priority, 0] for _, priority in start.get("waiting", [])[:DRAWN_QUEUE]]
    return {"queue": queue, "nodes": nodes, "cells": "", "total": summary.get("nodes", len(nodes))}
