"""The layout of a run's picture: the queue on the left, then the nodes with their pods (data: `cluster_drawing.py`)."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from kschedui.runs.cluster_drawing import EVICTED, PLACED, SUBJECT

WIDTH, HEIGHT = 320, 84
QUEUE = 52  # width of the queue and the arrow after it
WIDEST_NODE = 42
SHARE = 0.77  # of the room that a node has, the rest is the gap
RAMP = ((2_000_000_000, "psys"), (1000, "p1000"), (500, "p500"), (100, "p100"))
CELLS = {"0": "running", "1": "placed", "2": "evicted", "3": "placed"}
STATES = {PLACED: " placed", SUBJECT: " subject"}
WAITS = ("", " pending", " subject")


class Shape(NamedTuple):
    """A rectangle, and the CSS classes that describe it, separated by spaces."""

    x: float
    y: float
    width: float
    height: float
    classes: str


def ramp(priority: int) -> str:
    """Return the CSS class for a priority: darker means higher."""
    return next((name for least, name in RAMP if priority >= least), "p10")


def shapes(drawing: dict[str, Any], width: float = WIDTH, height: float = HEIGHT) -> list[Shape]:
    """Return all shapes of the picture except the arrow and texts, in a field of this size."""
    queue = drawing["queue"]
    left = QUEUE if queue else 0.0
    cells = drawing["cells"]
    field = cell_shapes(cells, left, width, height) if cells else node_shapes(drawing["nodes"], left, width, height)
    return [*queue_shapes(queue, height), *field]


def queue_shapes(queue: list[list[int]], height: float) -> Iterator[Shape]:
    """Yield the pods that entered the queue, in order, as equal squares; pods pending at the end have a dashed edge."""
    columns = 2 if len(queue) <= 12 else 3
    pitch = min(30 / columns, height / -(-len(queue) // columns)) if queue else 0
    for i, (priority, waits) in enumerate(queue):
        x, y = i % columns * pitch, i // columns * pitch
        yield Shape(x, y, pitch - 2.5, pitch - 2.5, f"queued {ramp(priority)}{WAITS[waits]}")


def node_shapes(nodes: list[dict[str, Any]], left: float, width: float, height: float) -> Iterator[Shape]:
    """Yield nodes as columns, as tall as their cpu, with their pods stacked; evicted pods are at the top."""
    if not nodes:
        return
    pitch = node_pitch(len(nodes), left, width)
    wide = pitch * SHARE
    tallest = max(max(node["cpu"], sum(pod[0] for pod in node["pods"])) for node in nodes) or 1
    for i, node in enumerate(nodes):
        x, tall = left + i * pitch, max(height * node["cpu"] / tallest, 3)
        yield Shape(x, height - tall, wide, tall, "node joined" if node["joined"] else "node")
        yield from pod_shapes(node["pods"], x, height, wide, height / tallest)


def node_pitch(count: int, left: float, width: float) -> float:
    """Return the distance between the left edges of adjacent nodes."""
    return min((width - left) / count, WIDEST_NODE * 1.3)


def pod_shapes(pods: list[list[int]], x: float, bottom: float, width: float, scale: float) -> Iterator[Shape]:
    """Yield the pods of a node from the bottom up; one without a cpu request is a thin mark."""
    for cpu, priority, state in pods:
        tall = max(cpu * scale, 2.5)
        bottom -= tall
        if bottom < -3:
            return
        kind = "gone" if state == EVICTED else f"pod {ramp(priority)}{STATES.get(state, '')}"
        yield Shape(x + 1, bottom + 0.5, width - 2, max(tall - 1, 1.5), kind)


def cell_shapes(cells: str, left: float, width: float, height: float) -> Iterator[Shape]:
    """Yield the squares of a large cluster; each stands for one node or a few adjacent ones."""
    pitch = max((size for size in range(4, 15) if fits(size, len(cells), width - left, height)), default=4)
    columns = int((width - left) / pitch)
    for i, state in enumerate(cells):
        classes = f"cell {CELLS.get(state, '')}".strip()
        yield Shape(left + i % columns * pitch, i // columns * pitch, pitch - 1.2, pitch - 1.2, classes)


def fits(pitch: float, count: int, width: float, height: float) -> bool:
    """Return whether `count` squares of this pitch fit into the field."""
    return -(-count // int(width / pitch)) * pitch <= height
