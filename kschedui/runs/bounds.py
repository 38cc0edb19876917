"""Limits of a run: steps, seconds of work, bytes of its trace. Previews have smaller ones."""

from typing import NamedTuple

from django.conf import settings

from kschedui.models import Chunk, Run
from kschedui.runs.storage_limits import StorageFull, megabytes, require_disk_space
from kschedui.scenarios.engine import setting_of
from scheduler_core.apis.messages import Message, WithSentence


class Stopped(WithSentence):
    """A limit was reached; `sentence` says which."""


class Bounds(NamedTuple):
    """Limits of a run; `kind` is the prefix of their names in settings.LIMITS."""

    steps: int
    seconds: int
    bytes: int
    kind: str

    @classmethod
    def of(cls, kind: str) -> "Bounds":
        """Return the limits of a run, a preview or a cell."""
        limits = settings.LIMITS
        return cls(limits[f"{kind}_steps"], limits[f"{kind}_seconds"], limits.get(f"{kind}_bytes", 0), kind)

    def setting(self, limit: str) -> str:
        """Return the environment variable that sets one of the limits: "steps", "seconds" or "bytes"."""
        return setting_of(f"{self.kind}_{limit}")

    def require_steps(self, steps: int) -> None:
        """Require that this number of steps is allowed. Raises Stopped."""
        if steps > self.steps:
            raise Stopped(
                Message(
                    "The run was stopped after {most:,} steps, which is the limit ({setting}).",
                    most=self.steps,
                    setting=self.setting("steps"),
                )
            )

    def require_seconds(self, seconds: float) -> None:
        """Require that this number of seconds is allowed. Raises Stopped."""
        if seconds > self.seconds:
            raise Stopped(
                Message(
                    "The run was stopped after {most:,} seconds of computing, which is the limit ({setting}).",
                    most=self.seconds,
                    setting=self.setting("seconds"),
                )
            )

    def require_storage(self, chunk: Chunk, stored: int) -> None:
        """Require that one more chunk can be stored in addition to `stored` bytes. Raises Stopped."""
        if len(chunk.frame) > (most := settings.LIMITS["frame_bytes"]):
            raise Stopped(
                Message(
                    "The run was stopped: one snapshot of its cluster takes more than {most:,} MB, which is the limit "
                    "({setting}).",
                    most=megabytes(most),
                    setting=setting_of("frame_bytes"),
                )
            )
        if stored + len(chunk.frame) > self.bytes:
            raise Stopped(
                Message(
                    "The run was stopped when its trace reached {most:,} MB, which is the limit ({setting}).",
                    most=megabytes(self.bytes),
                    setting=self.setting("bytes"),
                )
            )
        try:
            require_disk_space()
        except StorageFull as full:
            raise Stopped(full.sentence) from None


def bounds_of(run: Run) -> Bounds:
    """Return the limits of a run, or those of a preview."""
    return Bounds.of("preview" if run.version.scenario.scratch else "run")


def too_much_memory() -> Message:
    """Return the sentence for a run that exceeds the memory limit of a worker's process."""
    return Message(
        "The run was stopped: it takes more than {most:,} MB of memory, which is the limit ({setting}).",
        most=megabytes(settings.LIMITS["run_memory_bytes"]),
        setting=setting_of("run_memory_bytes"),
    )
