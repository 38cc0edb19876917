"""The browser's types are the engine's."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from kschedui.runs import trace_types


def test_the_generated_declarations_are_up_to_date() -> None:
    call_command("trace_types", "--check")


def test_declarations_that_are_out_of_date_are_told(tmp_path: Path, settings: pytest.FixtureRequest) -> None:
    settings.BASE_DIR = tmp_path  # type: ignore[attr-defined]
    file = tmp_path / "static/js/trace/trace.d.ts"
    file.parent.mkdir(parents=True)
    file.write_text("")
    with pytest.raises(CommandError, match="out of date"):
        call_command("trace_types", "--check")
    call_command("trace_types")
    assert file.read_text() == trace_types.generate()


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
