"""The frames that this process sent last, for all runs: read from the database once for all followers."""

import asyncio
from collections import OrderedDict

from channels.db import database_sync_to_async

from kschedui.runs import store as runs
from kschedui.web.live.shared_task import start_shared

Key = tuple[str, int]  # run, number of the frame

CACHE_BYTES = 64 * 1024 * 1024

read_frame = database_sync_to_async(runs.frame)


class FrameCache:
    """A cache of at most `most` bytes of frames, of which the least recently used ones are dropped first. Frames never
    change.
    """

    def __init__(self, most: int = CACHE_BYTES) -> None:
        self.most = most
        self.bytes = 0
        self.frames: OrderedDict[Key, bytes] = OrderedDict()
        self.reads: dict[tuple[int, Key], asyncio.Task[bytes | None]] = {}  # (event loop, key)

    def peek(self, run: str, seq: int) -> bytes | None:
        """Return the frame, or None if it is not cached."""
        frame = self.frames.get((run, seq))
        if frame is not None:
            self.frames.move_to_end((run, seq))
        return frame

    async def get(self, run: str, seq: int) -> bytes | None:
        """Return the frame, read if necessary (once for concurrent requests); None if the run has no such frame."""
        cached = self.peek(run, seq)
        if cached is not None:
            return cached
        loop = asyncio.get_running_loop()
        key = (id(loop), (run, seq))
        read = self.reads.get(key)
        if read is None:
            read = self.reads[key] = start_shared(self.read(run, seq))
            read.add_done_callback(lambda _: self.reads.pop(key, None))
        return await asyncio.shield(read)

    async def read(self, run: str, seq: int) -> bytes | None:
        """Read a frame from the database, and cache it unless it is very large.

        Return None if the run has no such frame.
        """
        frame: bytes | None = await read_frame(run, seq)
        if frame is not None and len(frame) <= self.most // 4 and (run, seq) not in self.frames:
            self.frames[run, seq] = frame
            self.bytes += len(frame)
            while self.bytes > self.most:
                self.bytes -= len(self.frames.popitem(last=False)[1])
        return frame


cache = FrameCache()
