"""Every plugin has its texts in both languages, and a contradictory declaration is rejected in a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

import scheduler_core.plugins
from kschedui import abouts
from kschedui.abouts import about_of, check
from scheduler_core.framework.about import About, AboutFile, PostFilterNote, Reason, Text
from scheduler_core.plugins import REGISTRY

SLOT = re.compile(r"\{(\w+)")


def texts() -> Iterator[tuple[str, Text]]:
    """Yield every text that a plugin declares, with a name for it."""
    for name, plugin in REGISTRY.items():
        about = about_of(plugin)
        yield from about.texts(name).items()
        for reason in about.reasons:
            yield f"{name}: {reason.pattern}: meaning", reason.meaning
            yield f"{name}: {reason.pattern}: unsaid", reason.unsaid
        for note in about.post_filter_notes:
            yield f"{name}: {note.pattern}", note.meaning
        if about.blocker is not None:
            yield f"{name}: blocker", about.blocker


def test_every_text_is_there_in_both_languages_with_the_same_slots() -> None:
    found = dict(texts())
    assert len(found) > 200
    for name, text in found.items():
        assert text.en, name
        assert text.zh, name
        assert set(SLOT.findall(text.en)) >= set(SLOT.findall(text.zh)), name


def test_the_declarations_of_our_plugins_can_be_used() -> None:
    for plugin in REGISTRY.values():
        check(about_of(plugin))


def test_every_plugin_that_rejects_nodes_says_why_in_a_few_words() -> None:
    rejecting = [name for name, plugin in REGISTRY.items() if hasattr(plugin, "filter") and about_of(plugin).reasons]
    assert len(rejecting) >= 12
    for name in rejecting:
        assert about_of(REGISTRY[name]).question is not None, name


def test_a_blocker_lists_the_resources_that_its_reasons_name() -> None:
    for name, plugin in REGISTRY.items():
        about = about_of(plugin)
        if about.blocker is not None and "{resources}" in about.blocker.en:
            assert any("(?P<resource>" in reason.pattern for reason in about.reasons), name


def test_patterns_are_those_that_javascript_reads_too() -> None:
    """Patterns use only one notation of Python's own, named groups, which are converted."""
    for plugin in REGISTRY.values():
        for reason in about_of(plugin).reasons:
            plain = reason.pattern.replace("(?P<", "(?<")
            assert not re.search(r"\(\?[aiLmsux#P(]|\\[AZ]|\(\?\(", plain), reason.pattern


@pytest.mark.parametrize(
    ("declare", "sentence"),
    [
        (lambda: About(colour=7), r"About\(colour=7\): expected a number from 0 to 6"),
        (lambda: About(reasons=(Reason("(", Text("a", "b"), Text("a", "b")),)), r"'\(' is not a regular expression"),
        (lambda: About(post_filter_notes=(PostFilterNote("*", Text("a", "b")),)), "is not a regular expression"),
        (lambda: About(captions={"filter.Team.none": Text("a", "b")}), 'key "filter.Team.none" .* needs "\\*"'),
    ],
)
def test_a_declaration_that_cannot_be_true_is_rejected(declare, sentence) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=sentence):
        check(declare())


def test_a_plugin_whose_about_is_something_else_is_rejected() -> None:
    class Team:
        name = "Team"
        about = "words"

    with pytest.raises(TypeError, match="plugin \"Team\": `about` has to be an About, not 'words'"):
        about_of(Team)


def test_a_text_is_filled_in_in_both_languages() -> None:
    message = Text("Too little {resources}", "{resources} 不足").message(resources="cpu")
    assert message == "Too little cpu"
    assert message.chinese.format(**message.values) == "cpu 不足"


def test_every_file_of_texts_belongs_to_a_plugin() -> None:
    folder = Path(scheduler_core.plugins.__file__).parent
    named = {
        (abouts.folder_of(plugin, plugin.about) / plugin.about.name).resolve()
        for plugin in REGISTRY.values()
        if isinstance(getattr(plugin, "about", None), AboutFile)
    }
    based_on = {(path.parent / base).resolve() for path in named if (base := base_of(path))}
    assert named | based_on == {path.resolve() for path in folder.rglob("*.yaml")}


def base_of(path: Path) -> str:
    found = re.match(r"base: (.+)\n", path.read_text(encoding="utf-8"))
    return found[1] if found else ""


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("question: {en: Room?}\n", r"got `object` - at `\$.question`"),
        ("questions: {en: Room?, zh: 资源？}\n", r"Object contains unknown field `questions`"),
        (
            "reasons: [{pattern: a, meaning: {en: a, zh: b}}]\n",
            r"field `unsaid` - at `\$.reasons\[0\]`",
        ),
    ],
)
def test_a_wrong_field_of_a_file_is_named(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "about.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(msgspec.ValidationError, match=sentence):
        abouts.read_about(tmp_path / "about.yaml")
