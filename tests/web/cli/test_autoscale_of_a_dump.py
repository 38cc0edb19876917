"""A platform engineer's questions about a dump: why no node is added, which would be bought, which could be removed.

Each answer is verified by a run after the change is made, or the nodes are drained.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kschedui.cli.main import main
from tests.web.cli.clusters import PENDING, dump

NODES = 60


@pytest.fixture(scope="module")
def of_groups(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("dump") / "groups.json"
    path.write_text(dump(NODES))
    return path


@pytest.fixture(scope="module")
def of_pools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("dump") / "pools.json"
    path.write_text(dump(NODES, karpenter=True))
    return path


def autoscaling_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    capsys.readouterr()
    assert main(["autoscale", "--quiet", "--format", "json", *arguments]) == 0
    return json.loads(capsys.readouterr().out)[0]


def pods_of(answer: Any) -> dict[str, Any]:
    return {pod["pod"].removeprefix("default/"): pod for pod in answer["pods"]}


def write_changed(path: Path, pod: str, change: dict[str, Any]) -> str:
    """Write a copy of the dump with a changed pod next to the file, and return its path."""
    found = json.loads(path.read_text())
    for item in found["items"]:
        if item["metadata"]["name"] == pod:
            item["spec"] |= change
    other = path.with_name(f"changed-{path.name}")
    other.write_text(json.dumps(found))
    return str(other)


def test_why_was_no_node_added_for_this_pod(of_groups: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = autoscaling_of(capsys, str(of_groups))
    pods = pods_of(answer)
    assert [pod for pod, found in pods.items() if found["outcome"] == "new node"] == [f"queue-{n}" for n in range(6)]
    reasons = {pod: {r["group"]: r["reason"] for r in pods[pod]["refusals"]} for pod in PENDING}
    assert reasons["report"] == {
        "general": "Insufficient cpu",
        "gpu": "node(s) had untolerated taint {nvidia.com/gpu: }",
        "large": "max node group size reached",
    }
    assert reasons["train"]["general"] == "Insufficient nvidia.com/gpu"
    assert "the pod tolerates the taint nvidia.com/gpu:NoSchedule" in pods["train"]["changes"]
    assert "the maximum of large is 10 instead of 9" in pods["report"]["changes"]
    assert answer["proof"]["waiting"] == ["default/report", "default/train", "default/vast"]


def test_the_toleration_that_it_names_gets_the_pod_a_node(of_groups: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tolerations = {"tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]}
    answer = autoscaling_of(capsys, write_changed(of_groups, "train", tolerations))
    assert pods_of(answer)["train"]["place"] == "gpu"
    assert "default/train" not in answer["proof"]["waiting"]
    assert any(made["pods"] == ["default/train"] for made in answer["proof"]["nodes"])


def test_what_karpenter_would_have_bought(of_pools: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = autoscaling_of(capsys, str(of_pools))
    bought = {(new["group"], new["instance_type"], new["capacity_type"]) for new in answer["new_nodes"]}
    assert bought == {("general", "m5.2xlarge", "on-demand")}
    assert answer["price"] == pytest.approx(6 * answer["new_nodes"][0]["price"])
    assert sorted(pod for made in answer["proof"]["nodes"] for pod in made["pods"]) == [
        f"default/queue-{number}" for number in range(6)
    ]
    assert "NodePool large has no limit of cpu" in pods_of(answer)["report"]["changes"]
    types = autoscaling_of(capsys, str(of_pools), "--pod", "report")["pods"][0]["types"]
    assert {(refused["instance_type"], refused["reason"]) for refused in types} >= {("m5.2xlarge", "resources")}


def test_which_five_nodes_could_go_tonight(of_groups: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = autoscaling_of(capsys, str(of_groups))
    leaving = [node["node"] for node in answer["nodes"] if node["outcome"] == "delete"]
    assert len(answer["nodes"]) == NODES
    assert len(leaving) > 20  # more than a single pass finds
    five = [argument for name in leaving[:5] for argument in ("--node", name)]
    assert main(["drain", "--quiet", "--format", "json", *five, str(of_groups)]) == 0
    drained = json.loads(capsys.readouterr().out)
    assert not drained["blocked"]
    assert all(pod["cause"] == "pending" for pod in drained["unplaced"])  # pods that were pending before
    assert {pod["before"] for pod in drained["moved"]} == set(leaving[:5])


def test_a_node_that_stays_says_which_pod_keeps_it(of_groups: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = autoscaling_of(capsys, str(of_groups))
    kept = [node for node in answer["nodes"] if node["reason"].startswith("BlockedByPod")]
    assert [node["reason"] for node in kept][:1] == ["BlockedByPod default/kept-general-1: NotEnoughPdb"]
    assert main(["drain", "--quiet", "--format", "json", "--node", kept[0]["node"], str(of_groups)]) != 2
    assert [pod["pod"] for pod in json.loads(capsys.readouterr().out)["blocked"]] == ["default/kept-general-1"]


@pytest.mark.slow
def test_both_are_compared_on_the_dump(of_groups: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["autoscale", "--quiet", "--compare", "--format", "json", str(of_groups)]) == 0
    sides = json.loads(capsys.readouterr().out)["outcomes"]
    assert [side["samples"][0]["nodes"] for side in sides] == [NODES, NODES]
    assert all(side["samples"][-1]["nodes"] < NODES for side in sides)
    assert main(["autoscale", "--quiet", "--compare", str(of_groups)]) == 0
    assert "cost of the run" in capsys.readouterr().out
