"""A file that is generated from a stored trace holds one batch of frames at a time, and is sent in short pieces."""

from __future__ import annotations

import asyncio
import weakref
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest

from kschedui.web.api import streams
from kschedui.web.api.jobs import MAX_PART

LARGE = 2 * MAX_PART + 5


class Batch(list[bytes]):
    """A batch of frames that can be watched."""


def test_a_batch_is_released_before_the_next_one_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[weakref.ref[Batch]] = []

    async def load(run: Any, seq: int) -> Batch:
        assert all(batch() is None for batch in loaded)
        made = Batch([b"frame"])
        loaded.append(weakref.ref(made))
        return made

    async def work(function: Any, file: Any, batch: Batch, start: int, last: bool) -> tuple[Any, bytes, int]:
        return file, b"a" * (LARGE if start == 0 else 1), 0 if start else 1

    monkeypatch.setattr(streams, "whole_batch_of", load)
    monkeypatch.setattr(streams, "reserver_of", lambda request: lambda batch: nullcontext())
    monkeypatch.setattr("kschedui.web.api.streams.WorkOwner.of", lambda request: SimpleNamespace(work=work))

    async def read() -> list[int]:
        pieces: Any = streams.file_of(None, SimpleNamespace(chunks=3), None)  # type: ignore[arg-type]
        return [len(piece) async for piece in pieces]

    assert asyncio.run(read()) == 3 * [MAX_PART, MAX_PART, 5, 1]
    assert len(loaded) == 3
