"""Questions about a whole cluster on the command line: the output, the exit status, and the files that are written."""

import json
from pathlib import Path
from typing import get_args

import pytest

from kschedui.cli.cluster import write
from kschedui.cli.main import main
from scheduler_core.ask.operations.results import Cause, Move, OperationResult
from tests.builders import budget, node, pod, scenario

WEB = {"app": "web"}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    nodes = [node("n1", cpu=2, zone="a", labels={"pool": "b"}), node("n2", cpu=2, zone="b")]
    pods = [pod("web", cpu=1, node="n1", labels=WEB), pod("big", cpu=2)]
    Path("free.yaml").write_text(scenario(*nodes, pods[0]))
    Path("full.yaml").write_text(scenario(*nodes, *pods))
    Path("kept.yaml").write_text(scenario(*nodes, pods[0], budget("web", WEB, minAvailable=1)))


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict]:
    status = main([*arguments, "--format", "json"])
    return status, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("which", [["--node", "n1"], ["--selector", "pool=b"]])
def test_a_drain_tells_who_moves_where(which: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    status, found = answer(capsys, "drain", "free.yaml", *which)
    assert status == 0
    assert found["moved"] == [{"pod": "default/web", "before": "n1", "after": "n2", "cause": "evicted"}]
    assert (found["release"], found["emptied"]) == ("1.36", ["n1"])


def test_a_budget_in_the_way_is_named_with_the_api_servers_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["drain", "kept.yaml", "--node", "n1"]) == 1
    out = capsys.readouterr().out
    assert "The disruption budget web needs 1 healthy pods and has 1 currently" in out
    assert "default/web: allows 0 disruptions, 1 pod has to go, 1 blocked" in out


def test_the_scenario_that_is_written_does_what_was_answered(capsys: pytest.CaptureFixture[str]) -> None:
    status, found = answer(capsys, "lose", "full.yaml", "--zone", "a", "--write", "lost.yaml")
    assert status == 1
    assert main(["simulate", "lost.yaml", "--format", "json"]) == 0
    final = json.loads(capsys.readouterr().out)["attempts"][-1]["final"]
    assert final["pending"] == [one["pod"] for one in found["unplaced"]] == ["default/web"]
    assert found["unplaced"][0]["message"].startswith("0/1 nodes are available: 1 Insufficient cpu.")


@pytest.mark.parametrize("cause", get_args(Cause))
def test_a_move_is_printed_whatever_its_cause(cause: Cause, capsys: pytest.CaptureFixture[str]) -> None:
    moved = [Move(pod="default/web", before="n1", after="n2", cause=cause)]
    write(OperationResult("1.36", ["n1"], moved, [], [], [], 0, [], ["n1"], [], 1, {}, {}, []))
    expected = "default/web  n1 -> n2" + ("  (preempted)" if cause == "preempted" else "")
    assert expected in map(str.strip, capsys.readouterr().out.splitlines())


def test_more_nodes_take_what_waits(capsys: pytest.CaptureFixture[str]) -> None:
    Path("short.yaml").write_text(scenario(node("n1", cpu=2), pod("a", cpu=2), pod("b", cpu=2)))
    status, found = answer(capsys, "add-nodes", "short.yaml", "--like", "n1")
    assert status == 0
    assert [(one["before"], one["after"], one["cause"]) for one in found["moved"]] == [("", "n1-new-1", "pending")]


def test_an_upgrade_tells_what_is_decided_otherwise(capsys: pytest.CaptureFixture[str]) -> None:
    Path("taint.yaml").write_text(scenario(node("n1", taints=["gpu=yes:NoSchedule"]), pod("web")))
    status, found = answer(capsys, "upgrade", "taint.yaml", "--kubernetes-version", "1.34", "--to", "1.35")
    assert (status, found["before"], found["after"]) == (1, "1.34", "1.35")
    assert [one["cause"]["kind"] for one in found["changes"]] == ["message"]


def test_the_node_group_that_helps_is_named_and_its_nodes_really_do(capsys: pytest.CaptureFixture[str]) -> None:
    pool = [node("n1", cpu=2, labels={"agentpool": "b"})]
    Path("short.yaml").write_text(scenario(*pool, *(pod(f"w{number}", cpu=2) for number in range(3))))
    status, found = answer(capsys, "node-groups", "short.yaml")
    assert status == 0
    [one] = found["helps"]
    assert (one["group"], one["nodes"], len(one["pods"])) == ("b", 2, 2)
    _, added = answer(capsys, "add-nodes", "short.yaml", "--group", "b", "--count", "2")
    assert [move["pod"] for move in added["moved"]] == one["pods"]
    _, less = answer(capsys, "add-nodes", "short.yaml", "--group", "b")
    assert len(less["moved"]) == 1
    assert answer(capsys, "drain", "short.yaml", "--group", "b")[1]["nodes"] == ["n1"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["drain", "free.yaml"], "name the nodes with --node, --group or --selector"),
        (["drain", "free.yaml", "--node", "n9"], "free.yaml: there is no Node n9 at this moment"),
        (["drain", "free.yaml", "--selector", "pool"], "--selector pool: expected LABEL=VALUE"),
        (["drain", "free.yaml", "--selector", "pool=c"], "--selector pool=c: no node has this label"),
        (["drain", "free.yaml", "--group", "c"], "--group c: no node is in it; known: -"),
        (["add-nodes", "free.yaml", "--group", "c"], "free.yaml: there is no node group c; known: -"),
        (["lose", "free.yaml", "--zone", "c"], "free.yaml: no node is in the zone c"),
        (["add-nodes", "free.yaml", "--like", "n1", "--count", "0"], "free.yaml: add 1 to 1000 nodes"),
    ],
)
def test_an_impossible_question_is_refused_with_a_sentence(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err == f"kschedui: {sentence}\n"
