"""The texts of a scenario: `spec.title`, `spec.description`, `spec.lesson`, and the annotations of older files."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from scheduler_core.scenario.fields.lesson_fields import (
    LONGEST_TEXT,
    LONGEST_TEXTS,
    MAX_CAPTIONS,
    MAX_QUESTIONS,
    QUESTIONS,
)
from scheduler_core.scenario.lesson import Caption, Lesson, Question
from scheduler_core.scenario.parse import Scenario, ScenarioErrors, parse_scenario
from scheduler_core.trace.events import AnyEvent

DOCUMENT = """
apiVersion: kschedui.io/v1alpha1
kind: Scenario
"""
WORDS = Lesson(
    title="Two pods",
    title_zh="两个 Pod",
    description="One **waits**.",
    description_zh="其中一个**等待**。",
    look_at="The queue.",
    look_at_zh="看队列。",
    topics=("queue", "filtering"),
    level="beginner",
    captions=(Caption(1, "PodBound", "It runs.", "它在运行。", "web@1"),),
    questions=(
        Question(1, "NodesFiltered", "choice", "Which plugin?", "哪个插件？", None, "n1"),
        Question(1, "AttemptFinished", "choice", "Does it fit?", "放得下吗？", yes_or_no=True),
    ),
)
FIELDS = """
spec:
  title: {en: Two pods, zh: 两个 Pod}
  description:
    en: One **waits**.
    zh: 其中一个**等待**。
  lesson:
    level: beginner
    topics: [queue, filtering]
    lookAt: {en: The queue., zh: 看队列。}
    captions:
    - {attempt: 1, event: PodBound, about: web@1, en: It runs., zh: 它在运行。}
    questions:
    - {attempt: 1, event: NodesFiltered, kind: choice, about: n1, en: Which plugin?, zh: 哪个插件？}
    - {attempt: 1, event: AttemptFinished, kind: choice, yesOrNo: true, en: "Does it fit?", zh: 放得下吗？}
"""
ANNOTATIONS = """
metadata:
  annotations:
    kschedui.io/topics: queue, filtering, cooking
    kschedui.io/level: beginner
    kschedui.io/title-zh: 两个 Pod
    kschedui.io/description-zh: 其中一个**等待**。
    kschedui.io/look-at: The queue.
    kschedui.io/look-at-zh: 看队列。
    kschedui.io/captions: |
      - {attempt: 1, event: PodBound, about: web@1, en: It runs., zh: 它在运行。}
    kschedui.io/questions: |
      - {attempt: 1, event: NodesFiltered, kind: choice, about: n1, en: Which plugin?, zh: 哪个插件？}
      - {attempt: 1, event: AttemptFinished, kind: choice, yesOrNo: true, en: "Does it fit?", zh: 放得下吗？}
spec:
  title: Two pods
  description: One **waits**.
"""


def parse(text: str) -> Scenario:
    return parse_scenario(DOCUMENT + text)


def annotated(name: str, value: str) -> Scenario:
    return parse(f"metadata:\n  annotations:\n    kschedui.io/{name}: {value!r}\n")


def lesson_errors(lesson: str) -> list[tuple[str, int, str]]:
    with pytest.raises(ScenarioErrors) as caught:
        parse(f"spec:\n  lesson:\n{lesson}")
    return [(error.path.removeprefix("spec.lesson."), error.line, error.message) for error in caught.value.errors]


@pytest.mark.parametrize("text", [FIELDS, ANNOTATIONS], ids=["fields", "annotations"])
def test_a_lesson_is_read_from_its_fields_and_from_the_annotations_of_older_texts(text: str) -> None:
    scenario = parse(text)
    assert scenario.lesson == WORDS
    assert not scenario.warnings


def test_a_field_wins_over_the_annotation_of_an_older_text() -> None:
    text = ANNOTATIONS + "  lesson: {level: advanced}\n"
    assert parse(text).lesson.level == "advanced"
    assert parse(text).lesson.captions == WORDS.captions


def test_a_text_in_one_language_is_shown_in_both() -> None:
    lesson = parse("spec: {title: Plain, description: {zh: 只有中文}}").lesson
    assert [lesson.text("title", language) for language in ("en", "zh-hans")] == ["Plain", "Plain"]
    assert [lesson.text("description", language) for language in ("en", "zh-hans")] == ["只有中文", "只有中文"]


@pytest.mark.parametrize(
    ("entry", "problems"),
    [
        ("captions: [{event: PodBound, en: a}]", [("captions[0].attempt", "Required value: ")]),
        ("captions: [{attempt: -1, event: PodBound, en: a}]", [("captions[0].attempt", "Invalid value: -1: ")]),
        ("captions: [{attempt: 1, en: a}]", [("captions[0].event", "Required value: ")]),
        ("captions: [{attempt: 1, event: PodBond, en: a}]", [("captions[0].event", 'Unsupported value: "PodBond"')]),
        ("captions: [{attempt: 1, event: PodBound}]", [("captions[0].en", "Required value: ")]),
        ("captions: [{attempt: x, event: PodBound, en: a}]", [("captions[0].attempt", '"x" is a string; expected ')]),
        (
            "captions: [{attempt: 1, event: PodBound, en: a, ne: b}]",
            [("captions[0].ne", 'unknown field "ne"')],
        ),
        ("captions: {attempt: 1}", [("captions", '{"attempt": 1} is a mapping; expected a list')]),
        ("topics: [cooking]", [("topics[0]", 'Unsupported value: "cooking"')]),
        ("level: easy", [("level", 'Unsupported value: "easy"')]),
        ("lookAt: {fr: a}", [("lookAt.fr", 'unknown field "fr"')]),
        ("questions: [{attempt: 1, event: CycleStarted, en: a}]", [("questions[0].kind", "Required value: ")]),
        (
            "questions: [{attempt: 1, event: CycleStarted, kind: number, en: a}]",
            [("questions[0].kind", 'Unsupported value: "number": supported values: "pod"')],
        ),
        (
            "questions: [{attempt: 1, event: PodBound, kind: node, en: a}]",
            [("questions[0].event", 'Unsupported value: "PodBound"')],
        ),
        (
            "questions: [{attempt: 1, event: CycleStarted, kind: pod, frame: -1, en: a}]",
            [("questions[0].frame", "Invalid value: -1: ")],
        ),
        (
            "questions: [{attempt: 1, event: PodEnqueued, kind: choice, yesOrNo: true, en: a}]",
            [("questions[0].event", 'Unsupported value: "PodEnqueued": supported values: "PreemptionEvaluated"')],
        ),
    ],
)
def test_a_misfit_is_an_error_with_its_line(entry: str, problems: list[tuple[str, str]]) -> None:
    errors = lesson_errors(f"    # a comment\n    {entry}\n")
    assert [(path, line) for path, line, _ in errors] == [(path, 7) for path, _ in problems]
    for (_, _, message), (_, sentence) in zip(errors, problems, strict=True):
        assert message.startswith(sentence)


def test_too_much_is_an_error() -> None:
    caption = "    - {attempt: 1, event: PodBound, en: a}\n"
    question = "    - {attempt: 1, event: CycleStarted, kind: pod, en: a}\n"
    captions, questions = caption * (MAX_CAPTIONS + 1), question * (MAX_QUESTIONS + 1)
    assert [path for path, _, _ in lesson_errors(f"    captions:\n{captions}")] == ["captions"]
    assert [path for path, _, _ in lesson_errors(f"    questions:\n{questions}")] == ["questions"]
    long = caption.replace("en: a", f"en: {'a' * (LONGEST_TEXT + 1)}")
    assert [path for path, _, _ in lesson_errors(f"    captions:\n{long}")] == ["captions[0].en"]


@pytest.mark.parametrize(("field", "most"), LONGEST_TEXTS.items())
def test_what_is_longer_than_pages_show_is_cut_with_a_warning(field: str, most: int) -> None:
    texts = f"{field}: {{en: {'x' * (most + 1)}, zh: {'文' * (most + 1)}}}"
    spec = f"spec:\n  lesson:\n    {texts}\n" if field == "lookAt" else f"spec:\n  {texts}\n"
    scenario = parse_scenario(DOCUMENT + spec)
    name = {"lookAt": "look_at"}.get(field, field)
    assert scenario.lesson.text(name, "en") == "x" * most
    assert scenario.lesson.text(name, "zh-hans") == "文" * most
    (warning,) = scenario.warnings
    assert (warning.path, warning.message) == (
        "spec.lesson.lookAt" if field == "lookAt" else f"spec.{field}",
        f"Too long: only the first {most:,} characters are shown",
    )


def test_every_event_with_questions_is_an_event_of_the_trace() -> None:
    assert set(QUESTIONS) <= {event.__name__ for event in get_args(AnyEvent)}


# --- annotations of older texts ---


@pytest.mark.parametrize(
    "value",
    ["{not: a list}", "- 7", "[" * 5000, "- &a [*a]", "- {attempt: 1}", "- {attempt: x, event: CycleStarted, en: a}"],
)
@pytest.mark.parametrize("name", ["captions", "questions"])
def test_an_annotation_that_cannot_be_read_is_left_out_with_a_warning(name: str, value: str) -> None:
    scenario = annotated(name, value)
    assert (scenario.lesson.captions, scenario.lesson.questions) == ((), ())
    assert len(scenario.warnings) == 1


def test_long_texts_of_an_annotation_are_cut() -> None:
    entry = f"{{attempt: 1, event: PodBound, en: {'x' * 500}}}"
    scenario = annotated("captions", f"[{', '.join([entry] * 300)}]")
    assert len(scenario.lesson.captions) == MAX_CAPTIONS
    assert {len(caption.en) for caption in scenario.lesson.captions} == {LONGEST_TEXT}
    assert [warning.message for warning in scenario.warnings] == ["only the first 200 of 300 entries are used"]


@pytest.mark.parametrize(
    ("name", "value", "sentences"),
    [
        ("questions", "{not: a list}", ["expected a YAML list, in which each entry begins with a dash"]),
        (
            "questions",
            "[{attempt: 1, event: PodBound, kind: node, en: a}, {attempt: 1, event: CycleStarted, kind: node, en: a}]",
            [
                'entry 1 is left out: event: Unsupported value: "PodBound": supported values: "CycleStarted", ',
                'entry 2 is left out: kind: Unsupported value: "node": supported values: "pod"',
            ],
        ),
        ("captions", "- {attempt: x, event: A, en: a}", ['entry 1 is left out: attempt: "x" is a string; expected ']),
        ("questions", "- {attempt: 1", ["this is not a YAML list: "]),
        ("notes", "- anything", ["everyone who can see the scenario can read this"]),
    ],
)
def test_a_part_of_an_annotation_that_is_left_out_is_a_warning_at_its_line(
    name: str, value: str, sentences: list[str]
) -> None:
    warnings = annotated(name, value).warnings
    place = (f"metadata.annotations[kschedui.io/{name}]", 6)
    assert [(warning.path, warning.line) for warning in warnings] == [place] * len(sentences)
    for warning, sentence in zip(warnings, sentences, strict=True):
        assert warning.message.startswith(sentence)


def test_nul_is_dropped() -> None:
    escaped: Any = parse('spec: {title: "a\\0b", lesson: {lookAt: "a\\0b"}}').lesson
    assert (escaped.title, escaped.look_at) == ("ab", "ab")
