"""`kschedui experiment`: a table of all runs, the same for any number of processes, and sentences for bad input."""

import csv
import io
import json
from pathlib import Path

import pytest

from kschedui.cli.main import main
from tests.builders import node, pod, priority_class, scenario
from tests.conftest import ROOT

FILE = """\
apiVersion: kschedui.io/v1alpha1
kind: Experiment
spec:
  scenario: shop.yaml
  factors:
  - {name: priority, field: {kind: PriorityClass, name: high, path: value, values: [0, 1000]}}
  - seeds: {count: 3}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "in").mkdir()
    objects = [node("n1", cpu=2), pod("low", cpu=2, node="n1", priority=10), priority_class("high", 5)]
    (tmp_path / "in" / "shop.yaml").write_text(scenario(*objects, pod("web", cpu=2, priority_class="high")))
    (tmp_path / "in" / "e.yaml").write_text(FILE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_every_combination_is_a_row_and_its_scenario_is_found_beside_the_file(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["experiment", "in/e.yaml", "--processes", "1"]) == 0
    found = rows(capsys.readouterr().out)
    assert [(row["run"], row["priority"], row["seed"], row["evicted"]) for row in found] == [
        ("1", "0", "1", "0"), ("2", "0", "2", "0"), ("3", "0", "3", "0"),
        ("4", "1000", "1", "1"), ("5", "1000", "2", "1"), ("6", "1000", "3", "1"),
    ]  # fmt: skip
    assert found[5]["highest_victim"] == "10"
    assert found[0]["highest_victim"] == ""


def test_several_processes_print_the_same(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment", "in/e.yaml", "--processes", "1"]) == 0
    alone = capsys.readouterr().out
    assert main(["experiment", "in/e.yaml", "--processes", "2"]) == 0
    assert capsys.readouterr().out == alone


def test_as_json_it_is_a_list_of_objects(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment", "in/e.yaml", "--processes", "1", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(row["run"], row["placed"], row["skew"], row["error"]) for row in found] == [
        (number, 1, None, "") for number in range(1, 7)
    ]


GONE = "  - variants: [{edits: []}, {label: gone, edits: [{type: remove, kind: PriorityClass, name: high}]}]\n"


def test_a_run_that_cannot_be_made_says_why_and_the_status_is_1(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "in" / "shop.yaml").write_text(scenario(node("n1"), priority_class("high", 5)))
    (folder / "in" / "e.yaml").write_text(
        FILE.split("  factors:")[0] + "  factors:\n" + GONE + FILE.split("factors:\n")[1]
    )
    assert main(["experiment", "in/e.yaml", "--processes", "1"]) == 1
    found = rows(capsys.readouterr().out)
    assert [bool(row["error"]) for row in found] == [False] * 6 + [True] * 6
    assert "there is no PriorityClass high" in found[6]["error"]


@pytest.mark.parametrize(
    ("arguments", "text", "said"),
    [
        (["in/gone.yaml"], FILE, "cannot read in/gone.yaml: No such file"),
        (["in/e.yaml"], FILE.replace("shop", "gone"), "cannot read in/gone.yaml"),
        (["in/e.yaml"], FILE.replace("seeds", "sedes"), 'line 7, spec.factors[1].sedes: unknown field "sedes"'),
        (["in/e.yaml"], "kind: Pod\n", "this is not an experiment"),
        (["in/e.yaml"], FILE.replace("[0, 1000]", "[0, none]"), 'e.yaml: priority, none: value: "none" is a string'),
        (["in/e.yaml", "--processes", "0"], FILE, "--processes is a number from 1"),
    ],
)
def test_an_unusable_file_is_refused_with_a_sentence(
    arguments: list[str], text: str, said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "in" / "e.yaml").write_text(text)
    assert main(["experiment", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_one_mistake_is_reported_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "in" / "e.yaml").write_text(FILE.replace("seeds", "sedes"))
    assert main(["experiment", "in/e.yaml"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_the_example_of_the_guide_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    guide = (ROOT / "docs" / "experiments.md").read_text()
    (folder / "in" / "e.yaml").write_text(guide.split("```yaml\n")[1].split("```")[0].replace("flash-sale", "shop"))
    assert main(["experiment", "in/e.yaml", "--processes", "1"]) == 0
    assert len(rows(capsys.readouterr().out)) == 2 * 4 * 20
