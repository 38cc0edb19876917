"""A run as Chrome trace JSON for ui.perfetto.dev: nodes with their pods, and the scheduler's cycles.

Virtual time does not pass during a scheduling cycle, so every event takes a microsecond: simultaneous attempts are
shown next to each other, in order. Processes are the scheduler and the nodes; threads are profiles and pods.
"""

from collections.abc import Iterator
from typing import Any

from scheduler_core.trace.events import (
    AnyEvent,
    AttemptFinished,
    ClockAdvanced,
    CycleStarted,
    ObjectDeleted,
    PodBound,
    RunStarted,
)
from scheduler_core.trace.summaries import pods_of

Row = dict[str, Any]

SCHEDULER = 1
SECOND = 1_000_000  # microseconds
STEP = 1


class Trace:
    """Converts events to rows of the trace format."""

    def __init__(self) -> None:
        self.now = 0
        self.processes: dict[str, int] = {}
        self.threads: dict[str, int] = {}
        self.cycle: tuple[int, CycleStarted] | None = None
        self.placed: dict[str, tuple[str, int]] = {}  # pod -> node, since

    def take(self, event: AnyEvent) -> Iterator[dict[str, Any]]:
        """Yield the rows that an event completes."""
        self.now += STEP
        match event:
            case RunStarted():
                yield name_row("process_name", SCHEDULER, 0, "kube-scheduler")
                for pod in pods_of(event):
                    if pod.node:
                        yield from self.place(pod.pod, pod.node)
            case ClockAdvanced():
                self.now = max(self.now, round(event.time * SECOND))
            case CycleStarted():
                self.cycle = (self.now, event)
            case AttemptFinished():
                yield from self.attempt(event)
            case PodBound():
                yield from self.place(event.pod, event.node)
            case ObjectDeleted() if event.kind == "Pod":
                yield from self.leave(f"{event.namespace}/{event.name}")

    def attempt(self, event: AttemptFinished) -> Iterator[dict[str, Any]]:
        """Yield a slice for a scheduling cycle."""
        if self.cycle:
            start, cycle = self.cycle
            args = {"attempt": event.attempt, "outcome": event.outcome, "node": event.node, "profile": cycle.profile}
            yield slice_row(event.pod, SCHEDULER, 0, start, self.now, args)
        self.cycle = None

    def place(self, pod: str, node: str) -> Iterator[dict[str, Any]]:
        """Begin the pod's time on a node. Yield the rows that name its thread and, if it is new, the node's process."""
        if node not in self.processes:
            self.processes[node] = SCHEDULER + 1 + len(self.processes)
            yield name_row("process_name", self.processes[node], 0, f"node {node}")
        if pod not in self.threads:
            self.threads[pod] = 1 + len(self.threads)
        yield name_row("thread_name", self.processes[node], self.threads[pod], pod)
        self.placed[pod] = (node, self.now)

    def leave(self, pod: str) -> Iterator[dict[str, Any]]:
        """Yield a slice for the pod's time on its node."""
        if pod in self.placed:
            node, since = self.placed.pop(pod)
            yield slice_row(pod, self.processes[node], self.threads[pod], since, self.now, {"node": node})

    def end(self) -> Iterator[dict[str, Any]]:
        """Yield the slices of all pods that are still on their nodes."""
        for pod in list(self.placed):
            yield from self.leave(pod)


def name_row(metadata: str, process: int, thread: int, name: str) -> dict[str, Any]:
    """Return the metadata row with the name of a process or thread."""
    return {"ph": "M", "name": metadata, "pid": process, "tid": thread, "args": {"name": name}}


def slice_row(name: str, process: int, thread: int, start: int, end: int, args: dict[str, Any]) -> dict[str, Any]:
    """Return the row of a complete event, from `start` to `end` in microseconds."""
    place = {"pid": process, "tid": thread, "ts": start, "dur": max(end - start, STEP)}
    return {"ph": "X", "cat": "scheduling", "name": name, **place, "args": args}
