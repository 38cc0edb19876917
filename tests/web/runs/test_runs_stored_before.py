"""Runs that were stored with every node and pod in full are read with the same results as current ones."""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from kschedui.models import Chunk, Run, Version
from kschedui.runs import frames, worker
from kschedui.runs import store as runs
from kschedui.runs.cluster_drawing import ClusterDrawing
from kschedui.runs.trace_files import PerfettoFile
from kschedui.waiting.analysis import Follower
from kschedui.web.pages.pictures.moment import moment_of
from scheduler_core import decisions
from scheduler_core.ask.measures import measure_run
from scheduler_core.trace.events import AnyEvent, RunFinished, RunStarted
from scheduler_core.trace.summaries import nodes_of, pods_of
from tests.builders import node, pod, scenario

OBJECTS = (
    node("n1", cpu=2),
    node("n2", cpu=1),
    node("n3", cpu=1),
    pod("stays", node="n3", cpu=1, priority=9),
    *(pod(f"old-{i}", node="n1", cpu=1, start_time=f"2025-01-0{i + 1}T00:00:00Z") for i in range(2)),
    pod("gone", node="lost"),
    pod("new", cpu=1),
    pod("urgent", cpu=2, priority=9),
    pod("large", cpu=8),
)


@pytest.fixture
def run(keep: Callable[..., Version]) -> Run:
    """Return a complete run with initial pods, a victim, and a pod that is pending at the end."""
    found = runs.start_run(keep(scenario(*OBJECTS)))
    worker.execute(found.public_id)
    found.refresh_from_db()
    assert found.state == Run.State.DONE, found.error
    return found


def results_of(run: Run) -> list[Any]:
    """Return the result of each reader for the stored run."""
    events = list(events_of(run))
    ending, follower = ClusterDrawing(), Follower()
    for step, event in enumerate(events):
        ending.take(event)
        follower.take(step, event)
    return [
        list(decisions(events)),
        measure_run(events),
        perfetto_file(events),
        ending.drawing(),
        dict(sorted(follower.bound.items())),
        follower.pods,
        [moment_of(run.public_id, step) for step in range(run.steps)],
    ]


def events_of(run: Run) -> Iterator[AnyEvent]:
    for frame in runs.all_frames(run):
        yield from frames.events_of(frame)


def perfetto_file(events: list[AnyEvent]) -> bytes:
    file = PerfettoFile()
    return b"".join(piece for event in events for piece in file.take(event)) + b"".join(file.end())


def as_before(body: bytes, bound: dict[str, str]) -> bytes:
    """Return a chunk as schema 3 had it."""
    chunk = msgspec.json.decode(body)
    for event in chunk["events"]:
        if event["type"] == "RunStarted":
            started = msgspec.convert(event, RunStarted)
            event["nodes"], event["pods"] = nodes_of(started), pods_of(started)
            del event["loaded"], event["loaded_nodes"]
        elif event["type"] == "RunFinished":
            event["bound"] = bound
            event.pop("stayed")
    return msgspec.json.encode(chunk)


def test_a_run_that_was_stored_before_is_read_as_one_of_today(run: Run) -> None:
    today = results_of(run)
    bound = today[0][-1]["final"]["bound"]
    assert bound == {
        "default/gone": "lost",
        "default/new": "n2",
        "default/stays": "n3",
        "default/urgent": "n1",
    }
    for chunk in Chunk.objects.filter(run=run):
        body = as_before(frames.body_of(bytes(chunk.frame)), bound)
        written = frames.header_of(bytes(chunk.frame))
        unchecked = written.flags & ~frames.CHECKED
        header = written._replace(schema=3, flags=unchecked, raw_length=len(body), checksum=0)
        chunk.frame = frames.HEADER.pack(*header) + frames.isal_zlib.compress(body, 1)
        chunk.save(update_fields=["frame"])
    first = next(events_of(run))
    assert isinstance(first, RunStarted)
    assert (first.loaded, first.loaded_nodes, len(first.pods), len(first.nodes)) == (None, None, 7, 3)
    *_, last = events_of(run)
    assert isinstance(last, RunFinished)
    assert (last.bound, last.stayed) == (bound, 0)
    assert results_of(run) == today
