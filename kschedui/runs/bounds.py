"""How far a run may go: steps, seconds of work, bytes of its trace. A preview may go less far."""

from typing import NamedTuple

from django.conf import settings

from kschedui.models import Chunk, Run
from kschedui.runs.room import MEGABYTE, NoRoom, require_disk
from scheduler_core.apis.messages import Message


class Stopped(Exception):
    """A limit was met; the sentence is for people."""

    def __init__(self, sentence: Message) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class Bounds(NamedTuple):
    """What a run may take."""

    steps: int
    seconds: int
    bytes: int

    def require_steps(self, steps: int) -> None:
        """Raises Stopped."""
        if steps > self.steps:
            raise Stopped(Message("The run was stopped after {most:,} steps, which is the limit.", most=self.steps))

    def require_seconds(self, seconds: float) -> None:
        """Raises Stopped."""
        if seconds > self.seconds:
            raise Stopped(
                Message("The run was stopped after {most:,} seconds of work, which is the limit.", most=self.seconds)
            )

    def require_room(self, chunk: Chunk, stored: int) -> None:
        """For one chunk more, beside what is stored; raises Stopped."""
        if len(chunk.frame) > (most := settings.LIMITS["frame_bytes"]):
            raise Stopped(
                Message(
                    "The run was stopped: its cluster takes more than {most:,} MB to write down once.",
                    most=most // MEGABYTE,
                )
            )
        if stored + len(chunk.frame) > self.bytes:
            raise Stopped(
                Message(
                    "The run was stopped when its trace had {most:,} MB, which is the limit.",
                    most=self.bytes // MEGABYTE,
                )
            )
        try:
            require_disk()
        except NoRoom as full:
            raise Stopped(full.sentence) from None


def bounds_of(run: Run) -> Bounds:
    """Of a preview, or of a run that is kept."""
    kind = "preview" if run.version.scenario.scratch else "run"
    return Bounds(*(settings.LIMITS[f"{kind}_{name}"] for name in Bounds._fields))
