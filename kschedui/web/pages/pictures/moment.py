"""A step of a stored run for a picture: the state of the cluster, and a sentence about the event."""

from typing import Any, NamedTuple

from django.utils.translation import gettext

from kschedui.runs import frames
from kschedui.runs import store as runs
from kschedui.runs.cluster_drawing import ClusterDrawing
from kschedui.web.pages.pictures.step_words import pod_of, sentence_of
from scheduler_core import decode_chunk

COMPACTED = 2  # the first schema whose keyframes are events


class Moment(NamedTuple):
    """The drawing of a step (`cluster_drawing.py`), with its pod highlighted, and its sentence ("" for none)."""

    drawing: dict[str, Any]
    sentence: str


def moment_of(rid: str, step: int) -> Moment | None:
    """Return the moment of a step; None if it is not stored, or its keyframe has schema 1. Raises DamagedChunk."""
    run = runs.by_id(rid)
    stored = runs.frame_at(run, step)
    if stored is None or frames.header_of(stored).schema < COMPACTED:
        return None
    read = decode_chunk(frames.body_of(stored))
    shown = read.events[: step - read.first_step + 1]
    before = [*frames.events_of(runs.frame_of(run, 0))[:1], *read.keyframe.since] if read.seq else []
    ending = ClusterDrawing()
    for event in [*before, *shown]:
        ending.take(event)
    pod = pod_of([*read.keyframe.cycle, *shown])
    return Moment(ending.drawing(subject=pod), sentence_of(shown[-1], pod.rpartition("/")[2], gettext))
