"""The commands in docs/cli.md work: every command, and every option with each of its commands."""

import io
import json
import re
import sys
from argparse import _SubParsersAction
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kschedui.cli.main import main, parser
from tests.builders import node, pod, scenario
from tests.conftest import ROOT
from tests.dumps import Cluster, as_yaml, listed
from tests.web.cli.test_command_line_experiment import FILE as EXPERIMENT
from tests.web.cli.test_instance_types import KWOK

GUIDE = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
WORDS = {
    "FILE": "good.yaml",
    "RECORDING": "recording.yaml",
    "...": "",
    "POD": "a",
    "A": "good.yaml",
    "B": "good.yaml",
    "N": "2",
    "EXPRESSION": "true",
    "NODE": "n1",
    "ZONE": "a",
    "X.YZ": "1.34",
    "KIND/NAME:PATH=VALUE": "node/n1:spec.unschedulable=true",
    "KIND/NAME": "node/n2",
    "NODE=COUNT": "n1=2",
    "PLUGIN=NUMBER": "NodeResourcesFit=2",
    "PLUGIN": "NodeName",
    "EDITS": "edits.json",
    "MESSAGE": "0/1 nodes are available: 1 Insufficient cpu.",
    "SHELL": "bash",
    "PATTERN": "c-*",
}
NEEDED = {
    "explain": ["a", "good.yaml"],
    "time": ["a", "good.yaml"],
    "diff": ["good.yaml"] * 2,
    "capacity": ["a", "good.yaml"],
    "drain": ["good.yaml", "--node", "n1"],
    "lose": ["good.yaml", "--zone", "a"],
    "add-nodes": ["good.yaml", "--like", "n1"],
    "upgrade": ["good.yaml", "--to", "1.34"],
    "fix": ["large", "waiting.yaml"],
    "what-if": ["a", "good.yaml", "--disable", "NodeName"],
    "decode": ["0/1 nodes are available: 1 Insufficient cpu."],
    "match": ["--devices", "good.yaml", "true"],
    "replay": ["recording.yaml"],
    "autoscale": ["grows.yaml"],
    "instance-types": ["types.json"],
}
ELSEWHERE = ("serve", "record")  # tested in test_up.py and in tests/web/recording


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    good = scenario(
        node("n1", cpu=4, zone="a", labels={"agentpool": "b"}),
        node("n2", cpu=2),
        pod("a", cpu=1),
        expect={"pods": {"default/a": "n1"}},
    )
    Path("good.yaml").write_text(good)
    Path("waiting.yaml").write_text(scenario(node("n1", cpu=4), pod("large", cpu=5)))
    Path("grows.yaml").write_text(scenario(node("n1", cpu=1), pod("a", cpu=2), GROWS))
    Path("edits.json").write_text('[{"type": "remove", "kind": "Node", "name": "n2"}]')
    Path("types.json").write_text(json.dumps(KWOK))
    observed = [{"at": 0, "pod": "default/a", "node": "n1"}]
    Path("recording.yaml").write_text(scenario(node("n1", cpu=4), pod("a", cpu=1), observed=observed))
    Path("experiment.yaml").write_text(EXPERIMENT.replace("shop.yaml", "good.yaml").split("  - {name")[0] + SEEDS)


GROWS = {
    "apiVersion": "kschedui.io/v1alpha1",
    "kind": "NodeGroup",
    "metadata": {"name": "pool"},
    "spec": {"minimum": 0, "maximum": 3, "size": 0, "template": node("template", cpu=4)},
}
SEEDS = "  - seeds: {count: 2}\n"


def commands() -> list[list[str]]:
    """Return the commands of the table, with files in place of the placeholders."""
    found = re.findall(r"^\| `kschedui ([^`]+)`", GUIDE, re.MULTILINE)
    return [[WORDS.get(word, word) for word in one.split() if WORDS.get(word, word)] for one in found]


def options() -> list[tuple[str, str]]:
    """Return (command, option) for every row of the table of options."""
    rows = re.findall(r"^\| (`-[^|]+) \| ([^|]+) \|", GUIDE, re.MULTILINE)
    every = [one[0] for one in commands()]
    made = []
    for said, of in rows:
        first, *others = re.findall(r"`([^`]+)`", said)
        forms = [first, *(f"{first.split()[0]} {other}" for other in others)]
        names = of.split(", ")
        if of.startswith("all but "):
            excluded = of.removeprefix("all but ").split(", ")
            names = [one for one in every if one not in excluded]
        made += [(name, form) for name in names for form in forms]
    return made


def undocumented() -> list[str]:
    """Return "COMMAND OPTION" for each option that neither table has for the command, nor a line that names both."""
    table = {(command, word) for command, form in options() for word in re.findall(r"--?[a-z][\w-]*", form)}
    missing = []
    for command, forms in forms_of_options().items():
        named = [line for line in GUIDE.splitlines() if re.search(rf"`(?:[^`]* )?{command}\b", line)]
        for form in forms:
            beside = any(re.search(rf"{option}\b", line) for line in named for option in form)
            if not beside and not any((command, option) in table for option in form):
                missing.append(f"{command} {form[-1]}")
    return missing


def forms_of_options() -> dict[str, list[list[str]]]:
    """Return the options of each command, each with its short and its long form, without --help."""
    commands = next(action for action in parser()._actions if isinstance(action, _SubParsersAction)).choices
    return {
        name: [list(action.option_strings) for action in command._actions[1:] if action.option_strings]
        for name, command in commands.items()
    }


def test_every_option_of_a_command_is_in_the_guide() -> None:
    assert undocumented() == []


def test_the_tables_are_read() -> None:
    assert len(commands()) > 8
    assert ("check", "--format junit") in options()
    assert ("import", "--strict") in options()


@pytest.mark.parametrize(
    "command", [one for one in commands() if one[0] not in ELSEWHERE and "--cluster" not in one], ids=" ".join
)
def test_every_command_of_the_guide_works_as_written(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    if command[0] == "experiment":
        command = ["experiment", "experiment.yaml", "--processes", "1"]
    if command[0] in {"fix", "autoscale", "instance-types"}:
        command = [command[0], *NEEDED[command[0]]]
    assert main(command) == 0
    assert capsys.readouterr().out


@pytest.mark.parametrize(("command", "option"), [one for one in options() if one[0] not in ELSEWHERE], ids=str)
def test_every_option_of_the_guide_is_one(command: str, option: str) -> None:
    values = {
        **WORDS,
        "FILE": "made.txt",
        "NAMES": "deployment,replicaset",
        "N": "1",
        "X.YZ": "1.33",
        "NODE": "n1",
        "NAME": "b",
        "LABEL=VALUE": "kubernetes.io/hostname=n1",
        "SECONDS": "5",
    }
    given = [values.get(word, word) for word in option.split()]
    files = ["experiment.yaml"] if command == "experiment" else NEEDED.get(command, ["good.yaml"])
    assert main([command, *files, *given]) == 0


def test_a_dump_is_explained_without_a_file(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    objects = Cluster(nodes=2, pods=6, images=1, waits=3).objects()
    waits = next(one for one in objects if one["kind"] == "Pod" and "nodeName" not in one["spec"])["metadata"]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(as_yaml(listed(objects)).encode())))
    line = next(line for line in GUIDE.splitlines() if "| kubectl kschedui explain" in line)
    words = line.split("kubectl kschedui ")[1].split()
    assert words[0::2] == ["explain", "-"]
    assert main(["explain", f"{waits['namespace']}/{waits['name']}", "-"]) == 0
    assert "Too little cpu" in capsys.readouterr().out


def test_what_a_pipeline_reads_has_the_fields_that_pipelines_read(capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.yaml").write_text(scenario(node("n1"), pod("ab"), expect={"pods": {"ab": "n<2"}}))
    assert main(["check", "--format", "junit", "good.yaml", "bad.yaml", "absent.yaml"]) == 2
    suite = ElementTree.fromstring(capsys.readouterr().out)
    suite = suite if suite.tag == "testsuite" else suite[0]
    assert {"name", "tests", "failures", "errors"} <= set(suite.keys())
    cases = suite.findall("testcase")
    assert len(cases) == int(suite.get("tests", "")) == 3
    assert all({"name", "classname"} <= set(case.keys()) for case in cases)
    results = [(case.find("failure") is not None, case.find("error") is not None) for case in cases]
    assert results == [(False, False), (True, False), (False, True)]


def test_a_text_that_is_cut_off_is_reported_by_every_command_that_writes_a_scenario(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = as_yaml(listed(Cluster(nodes=2, pods=6, images=1).objects()))
    Path("cut.yaml").write_text(text[: len(text) // 2])
    for command in ("import", "anonymise"):
        assert main([command, "--strict", "cut.yaml"]) == 1
        assert "The text is truncated" in capsys.readouterr().err
