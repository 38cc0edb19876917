"""The library: each lesson meets its expectations, has both languages, and its captions are at existing events."""

import itertools
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from kschedui import library
from kschedui.scenarios import engine, lessons
from kschedui.scenarios.lessons import track
from scheduler_core import ScenarioErrors, unmet_expectations
from scheduler_core.scenario.fields import lesson_fields
from scheduler_core.scenario.parse import Scenario
from scheduler_core.trace.events import AnyEvent, CycleStarted
from scheduler_core.trace.pod_group_events import (
    PodGroupCycleFinished,
    PodGroupCycleStarted,
    PodGroupEvaluated,
    PodGroupMemberDecided,
)

MAX_STEPS = 50_000  # so that a lesson that never ends does not block the tests
PATHS = library.files()


@cache
def events_of(path: Path) -> list[AnyEvent]:
    return list(itertools.islice(engine.simulate(read(path)), MAX_STEPS))


@cache
def read(path: Path) -> Scenario:
    try:
        return engine.read(path.read_text(encoding="utf-8"))
    except ScenarioErrors as errors:
        pytest.fail(f"{path.name}: {errors}", pytrace=False)


@pytest.fixture(params=PATHS, ids=lambda path: path.stem)
def path(request: pytest.FixtureRequest) -> Path:
    found: Path = request.param
    return found


def test_there_are_lessons_for_every_topic_and_level() -> None:
    found = [read(path).lesson for path in PATHS]
    assert len(found) >= 24
    assert {topic for lesson in found for topic in lesson.topics} == set(lessons.TOPICS) == set(lesson_fields.TOPICS)
    assert {lesson.level for lesson in found} == set(lessons.LEVELS) == set(lesson_fields.LEVELS)
    assert set(track.order()) <= {path.stem for path in PATHS}


def test_it_has_its_place_in_the_learning_path(path: Path) -> None:
    assert track.order().count(path.stem) == 1, f"name {path.stem} in one chapter of {track.__file__}"


def test_the_first_chapter_is_for_beginners() -> None:
    levels = {path.stem: read(path).lesson.level for path in PATHS}
    assert {levels[slug] for slug in track.CHAPTERS[0].lessons} == {"beginner"}


def test_it_is_read_without_a_warning_and_named_like_its_file(path: Path) -> None:
    assert not read(path).warnings
    assert read(path).name == path.stem, "metadata.name and the file have to have the same name"


def test_it_promises_an_outcome_and_keeps_it(path: Path) -> None:
    expect = read(path).expect
    assert expect is not None, "spec.expect has to say how the run ends"
    assert expect.pods, "spec.expect.pods has to say where each pod ends"
    assert expect.victims is not None, "spec.expect.victims has to name the evicted pods; [] if there are none"
    unmet = unmet_expectations(read(path), events_of(path))
    assert not unmet, f"spec.expect is not what happens: {'; '.join(unmet)}"


def test_it_says_everything_in_both_languages(path: Path) -> None:
    lesson = read(path).lesson
    for field in ("title", "description", "look_at"):
        english, chinese = lesson.text(field, "en"), lesson.text(field, "zh-hans")
        assert has_chinese(chinese), f"{field} needs a text in Chinese (zh)"
        assert not has_chinese(english), f"{field}: the English text (en) has Chinese characters"
    assert lesson.topics, "spec.lesson.topics has to name a topic"
    assert lesson.level, "spec.lesson.level has to name a level"


def test_its_teacher_speaks_two_to_five_times_at_events_that_happen(path: Path) -> None:
    captions = read(path).lesson.captions
    assert 2 <= len(captions) <= 5, f"a lesson has 2 to 5 captions, and this one has {len(captions)}"
    happened = set(attempts_and_events(path))
    for caption in captions:
        where = f"attempt {caption.attempt}, {caption.event}"
        assert (caption.attempt, caption.event) in happened, f"{where}: this event does not happen in this attempt"
        assert has_chinese(caption.zh), f"{where}: the caption needs a text in Chinese (zh)"
        assert not has_chinese(caption.en), f"{where}: the English text (en) has Chinese characters"
        assert caption.en.endswith((".", "?", "!")), f"{where}: the sentence needs an end; quote a text with a comma"
        assert caption.zh.endswith(("。", "？", "！")), f"{where}: the Chinese sentence needs an end"


def test_it_asks_two_or_three_questions_at_events_that_happen(path: Path) -> None:
    questions = read(path).lesson.questions
    assert 2 <= len(questions) <= 3, f"a lesson asks 2 or 3 questions, and this one asks {len(questions)}"
    happened = set(attempts_and_events(path))
    for question in questions:
        where = f"attempt {question.attempt}, {question.event}"
        assert (question.attempt, question.event) in happened, f"{where}: this event does not happen in this attempt"
        assert has_chinese(question.zh), f"{where}: the question needs a text in Chinese (zh)"


def attempts_and_events(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (attempt, type) of each event, with the attempt that the player shows.

    Events of a pod group's cycle have the first attempt of the cycle.
    """
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


ZONE = re.compile(r"topology\.kubernetes\.io/zone[\"']?: [\"']?([\w-]+)")
NAMED_ZONE = re.compile(r"(?:\b[Zz]one |可用区 )([a-z]{1,2})(?= (?!of\b)|[.,:;，。；：]|$)", re.MULTILINE)


@pytest.mark.parametrize(
    "path", [path for path in PATHS if ZONE.search(path.read_text(encoding="utf-8"))], ids=lambda path: path.stem
)
def test_a_lesson_names_zones_as_their_labels_do(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert set(NAMED_ZONE.findall(text)) - {"is", "on", "of"} <= set(ZONE.findall(text))
