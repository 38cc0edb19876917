"""Cached moments of runs for further questions, limited in each process.

A moment is identified by the text's digest, the release and the attempt, so the text itself is sent only if the moment
is not cached.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import NamedTuple

import msgspec

from kschedui.scenarios import engine
from kschedui.scenarios.outside_plugins import known_plugins, outside_plugins, registry
from scheduler_core.ask.editing.objects import KnownPlugins
from scheduler_core.ask.moments.moment import Moment, at_end, before_attempt
from scheduler_core.ask.smallest.smallest_change import ChangeSearch

MAX_ROWS = 60_000  # nodes and pods of all moments of a process
AT_END = 0  # instead of an attempt


class Name(NamedTuple):
    """The identity of a moment; `kubernetes` is "" for the text's own release."""

    sha256: str
    kubernetes: str
    attempt: int

    @property
    def run(self) -> tuple[str, str]:
        """Return the digest and the release, which all moments of a run share."""
        return self.sha256, self.kubernetes


class NotHere(Exception):
    """The moment is not cached in this process, and its text, from which it could be computed, is not given."""


class CachedMoment(msgspec.Struct):
    """A cached moment. Questions that evaluate it take `turn`; `search` continues where the previous one stopped."""

    moment: Moment
    turn: threading.Lock = msgspec.field(default_factory=threading.Lock)
    search: ChangeSearch | None = None

    @property
    def rows(self) -> int:
        scenario = self.moment.scenario
        return len(scenario.objects) + len(scenario.events)


_kept: OrderedDict[Name, CachedMoment] = OrderedDict()
_guard = threading.Lock()


def find_moment(name: Name, text: str | None) -> CachedMoment:
    """Return the cached moment, or compute it from the text.

    Raises NotHere if it is not cached and the text is None. Computing it raises NotAnswerable, ScenarioErrors and
    RunEnded.
    """
    with _guard:
        kept = _kept.get(name)
        if kept is not None:
            _kept.move_to_end(name)
            return kept
    if text is None:
        raise NotHere
    cached = CachedMoment(_build_moment(name, text))
    with _guard:
        _kept[name] = cached
        while len(_kept) > 1 and sum(moment.rows for moment in _kept.values()) > MAX_ROWS:
            _kept.popitem(last=False)
    return cached


def forget() -> None:
    """Drop all cached moments and scenarios, when memory is short or a test begins."""
    with _guard:
        _kept.clear()
    engine.forget()


def list_plugins() -> KnownPlugins:
    """Return the plugins that a configuration can enable."""
    return known_plugins(outside_plugins())


def _build_moment(name: Name, text: str) -> Moment:
    scenario = engine.read_again(text, name.kubernetes)
    if name.attempt == AT_END:
        return at_end(scenario, registry())
    return before_attempt(scenario, name.attempt, registry())
