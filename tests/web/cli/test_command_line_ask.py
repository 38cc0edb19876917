"""`kschedui diff` and `kschedui capacity`: their output and exit status."""

import json
from pathlib import Path

import pytest

from kschedui.ask.words import cause_words
from kschedui.cli import what_if
from kschedui.cli.main import main
from scheduler_core.ask.compare import Cause
from tests.builders import node, pod, scenario


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_text(scenario(node("n1"), node("n2"), pod("web", cpu=1)))
    (tmp_path / "b.yaml").write_text(scenario(node("n1", unschedulable=True), node("n2"), pod("web", cpu=1)))
    return tmp_path


def test_runs_that_decide_the_same_differ_in_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "a.yaml", "a.yaml"]) == 0
    assert "Both runs decide the same.\n" in capsys.readouterr().out


def test_diff_names_the_first_decision_and_its_cause(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "a.yaml", "b.yaml"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "A: kube-scheduler 1.36, B: kube-scheduler 1.36",
        "First difference: default/web, attempt 1, at 0 s",
        "  The second run rejects n1: NodeUnschedulable: node(s) were unschedulable",
        "  A: Scheduled n1",
        "  B: Scheduled n2",
        "Attempts that differ: 1. Pods that end elsewhere: 1",
        "  default/web: n1 -> n2",
    ]


def test_diff_as_json_has_the_measures_of_both(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "--format", "json", "a.yaml", "b.yaml"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["first"]["cause"]["kind"] == "filter"
    assert [one["placed"] for one in found["measures"]] == [1, 1]


@pytest.mark.parametrize("files", [["a.yaml"], ["a.yaml", "b.yaml", "a.yaml"], ["a.yaml", "gone.yaml"]])
def test_diff_takes_two_files_that_are_there(files: list[str], folder: Path) -> None:
    assert main(["diff", *files]) == 2


def test_capacity_counts_what_fits_beside_the_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["capacity", "web", "b.yaml"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "3 copies of default/web fit, kube-scheduler 1.36"


def test_capacity_tells_what_is_missing_for_so_many(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["capacity", "web", "b.yaml", "--replicas", "9", "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["fit"], found["more"]) == (3, [{"like": "n2", "count": 2}])


@pytest.mark.parametrize("arguments", [["gone", "a.yaml"], ["web", "a.yaml", "--replicas", "0"]])
def test_capacity_of_what_cannot_be_asked_is_refused(arguments: list[str], folder: Path) -> None:
    assert main(["capacity", *arguments]) == 2


@pytest.mark.parametrize(
    ("cause", "sentence"),
    [
        (
            Cause("score", "n3", 62, 87, "NodeResourcesFit", 20, 45),
            "n3 scores 87 instead of 62; the largest difference is NodeRes",
        ),
        (Cause("tie", "n3", 9, 9), "a different one is selected: n3"),
        (Cause("victims", before="default/a", after="default/b"), "default/a in the first run, default/b in the sec"),
        (Cause("filter", "n3", "X: no", ""), "The first run rejects n3: X: no"),
        (Cause("message", before="x", after="0/1 nodes"), "for different reasons: 0/1 nodes"),
        (Cause("only"), "Only one of the runs"),
    ],
)
def test_every_cause_is_a_sentence(cause: Cause, sentence: str) -> None:
    assert sentence in cause_words(cause)


@pytest.mark.parametrize("text", ["2024-13-45", "9" * 5000, "[" * 5000, "[a"], ids=lambda text: text[:10])
def test_a_value_that_yaml_cannot_read_is_text(text: str) -> None:
    assert what_if._value(text) == text
