"""Scenarios that a process has read are cached: none is read twice, and memory is limited."""

import pytest

from kschedui.ask import results
from kschedui.ask.moments import Name
from kschedui.scenarios import engine
from kschedui.scenarios.digest import digest_of
from tests.builders import node, pod, scenario

SMALL = scenario(node("n1"), pod("a"))


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which every text that is parsed is appended."""
    texts: list[str] = []
    parse = engine.parse_scenario

    def note(text: str, *rest: object) -> object:
        texts.append(text)
        return parse(text, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(engine, "parse_scenario", note)
    return texts


def test_a_text_that_was_read_to_be_saved_is_not_read_again_for_a_question(parsed: list[str]) -> None:
    text = digest_of(SMALL).text
    results.what_if(Name("sha", "", 1), text, [])
    assert parsed == [text]


def test_another_release_is_read_by_itself(parsed: list[str]) -> None:
    assert engine.read_again(SMALL, "1.34").release.version == "1.34"
    assert engine.read_again(SMALL, "1.30").release.version == "1.30"
    assert engine.read_again(SMALL, "1.34").release.version == "1.34"
    assert len(parsed) == 2


def test_the_one_that_was_used_longest_ago_makes_room(parsed: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, third = (scenario(node("n1"), pod(name)) for name in "abc")
    monkeypatch.setattr(engine, "KEPT", len(first) + len(second))
    for text in (first, second, first, third):
        engine.read_again(text)
    parsed.clear()
    for text in (first, third, second):
        engine.read_again(text)
    assert parsed == [second]


def test_room_is_made_before_a_text_is_read_that_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "KEPT", 2 * len(SMALL))
    engine.read_again(SMALL)
    left: list[int] = []
    monkeypatch.setattr(engine, "parse_scenario", lambda *rest: left.append(len(engine._scenarios)) or rest[1])
    monkeypatch.setattr(engine, "place_decisions", lambda parsed: parsed)
    engine.read(SMALL * 2)
    assert left == [0]
