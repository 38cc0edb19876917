"""The library: each lesson keeps its promise, speaks both languages, and its teacher speaks where things happen."""

import itertools
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from kschedui import library
from kschedui.scenarios import engine, lessons
from kschedui.scenarios.lessons import track
from scheduler_core import unmet_expectations
from scheduler_core.scenario.parse import Scenario
from scheduler_core.trace.events import AnyEvent, CycleStarted
from scheduler_core.trace.pod_group_events import (
    PodGroupCycleFinished,
    PodGroupCycleStarted,
    PodGroupEvaluated,
    PodGroupMemberDecided,
)

MOST_STEPS = 50_000  # a lesson that goes on for ever must not hang the tests
PATHS = library.files()


@cache
def events_of(path: Path) -> list[AnyEvent]:
    return list(itertools.islice(engine.simulate(read(path)), MOST_STEPS))


@cache
def read(path: Path) -> Scenario:
    return engine.read(path.read_text(encoding="utf-8"))


@pytest.fixture(params=PATHS, ids=lambda path: path.stem)
def path(request: pytest.FixtureRequest) -> Path:
    found: Path = request.param
    return found


def test_there_are_lessons_for_every_topic_and_level() -> None:
    found = [lessons.read(read(path)) for path in PATHS]
    assert len(found) >= 24
    assert {topic for lesson in found for topic in lesson.topics} == set(lessons.TOPICS)
    assert {lesson.level for lesson in found} == set(lessons.LEVELS)
    assert sorted(track.order()) == sorted(path.stem for path in PATHS)


def test_it_is_read_without_a_warning_and_named_like_its_file(path: Path) -> None:
    assert not read(path).warnings
    assert read(path).name == path.stem


def test_it_promises_an_outcome_and_keeps_it(path: Path) -> None:
    expect = read(path).expect
    assert expect is not None
    assert expect.pods
    assert expect.victims is not None
    assert unmet_expectations(read(path), events_of(path)) == []


def test_it_says_everything_in_both_languages(path: Path) -> None:
    lesson = lessons.read(read(path))
    for field in ("title", "description", "look_at"):
        english, chinese = lesson.text(field, "en"), lesson.text(field, "zh-hans")
        assert english != chinese
        assert has_chinese(chinese)
        assert not has_chinese(english)
    assert lesson.topics
    assert lesson.level


def test_its_teacher_speaks_two_to_five_times_at_events_that_happen(path: Path) -> None:
    captions = lessons.read(read(path)).captions
    assert 2 <= len(captions) <= 5
    happened = set(attempts_and_events(path))
    for caption in captions:
        assert (caption.attempt, caption.event) in happened
        assert has_chinese(caption.zh)
        assert not has_chinese(caption.en)
        assert caption.en.endswith((".", "?", "!")), "a comma ends an unquoted text"
        assert caption.zh.endswith(("。", "？", "！"))


def attempts_and_events(path: Path) -> Iterator[tuple[int, str]]:
    """As the player counts: what happens to a pod group as a whole has the first attempt of its cycle."""
    attempt = first = 0
    for event in events_of(path):
        if isinstance(event, CycleStarted | PodGroupMemberDecided):
            attempt = event.attempt
        elif isinstance(event, PodGroupCycleStarted):
            attempt = first = event.first_attempt
        elif isinstance(event, PodGroupEvaluated | PodGroupCycleFinished):
            attempt = first
        yield attempt, type(event).__name__


def has_chinese(text: str) -> bool:
    return any("\u4e00" <= letter <= "\u9fff" for letter in text)
