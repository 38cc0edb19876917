"""The browser's generated files agree with the engine's declarations."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from kschedui.runs import trace_types
from kschedui.waiting import plugin_texts
from scheduler_core.framework.about import About, Reason, Text


def test_the_generated_files_are_up_to_date() -> None:
    call_command("generate", "--check")


def test_generated_files_that_are_out_of_date_are_reported(
    tmp_path: Path, settings: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.BASE_DIR = tmp_path  # type: ignore[attr-defined]
    for folder in ("static/js/trace", "static/js/steps/parts", "static/i18n"):
        (tmp_path / folder).mkdir(parents=True)
    with pytest.raises(CommandError, match=r"static/js/trace/trace\.d\.ts is out of date"):
        call_command("generate", "--check")
    call_command("generate")
    call_command("generate", "--check")
    written = {str(path.relative_to(tmp_path)): path.read_text() for path in tmp_path.rglob("*.*")}
    assert written == {**trace_types.generate(), **plugin_texts.generate(tmp_path)}
    (tmp_path / "static/js/trace/events.js").write_text("")
    with pytest.raises(CommandError, match=r"events\.js is out of date"):
        call_command("generate", "--check")
    call_command("generate")
    assert capsys.readouterr().out.splitlines()[-1] == "static/js/trace/events.js written"


def test_a_catalogue_keeps_its_own_texts_and_loses_those_that_no_plugin_declares(tmp_path: Path) -> None:
    path = tmp_path / "static/i18n/en.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"list.and": " and ", "question.NodeName": "?", "filter.NodeName.gone": "gone"}))
    texts = json.loads(plugin_texts.generate(tmp_path)["static/i18n/en.json"])
    assert list(texts)[:2] == ["list.and", "question.NodeName"]
    assert texts["question.NodeName"] == "Named?"
    assert "filter.NodeName.gone" not in texts


def test_what_the_player_is_given_of_a_plugin() -> None:
    slots = Text("{n} {n|rack|racks} too warm", "{n} 个机架太热")
    reason = Reason(r"rack (?P<rack>\S+) is too warm", slots, slots, kind="warm", short=slots)
    silent = Reason("rack is gone", slots, slots)
    about = {"Rack": About(colour=3, reasons=(reason, silent), captions={"filter.*.many": slots}), "Other": About()}
    assert plugin_texts.data_of(about) == {
        "Rack": {"colour": 3, "reasons": [(r"rack (?<rack>\S+) is too warm", "warm")]}
    }
    chinese = {"reason.Rack.warm": slots.zh, "filter.Rack.many": slots.zh}
    assert plugin_texts.texts_of(about, "zh-hans") == chinese


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (int | None, "number | null"),
        (list[int | str], "(number | string)[]"),
        (dict[str, list[tuple[str, int]]], "Record<string, [string, number][]>"),
        (bool, "boolean"),
    ],
)
def test_python_types_in_typescript(kind: object, text: str) -> None:
    assert trace_types.type_text(kind) == text
