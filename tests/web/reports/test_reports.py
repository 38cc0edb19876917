"""Public reports, asked as their authors would: each input names the question, the right answer, and the commands."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from kschedui.cli.main import main

INPUTS = Path(__file__).parent / "inputs"

Ask = Callable[..., str]


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Ask:
    """Runs a command about an input, named by its first two digits. What it prints, on both streams."""

    def run(command: str, number: str, *arguments: str, pod: str = "") -> str:
        [path] = INPUTS.glob(f"{number}-*")
        capsys.readouterr()
        assert main([command, *([pod] if pod else []), str(path), *arguments]) in (0, 1)
        captured = capsys.readouterr()
        return captured.out + captured.err

    return run


def test_04_the_patch_of_the_nodes_chooses_the_order_of_victims(ask: Ask) -> None:
    found = ask("simulate", "04", "--format", "table")
    assert "default/very-high                        node2" in found
    assert "your nodes run 1.30.10" in found
    assert "victims are ordered by importance" in found


def test_06_nodes_decide_the_release_without_a_list(ask: Ask) -> None:
    found = ask("explain", "06", pod="new")
    assert "default/new: bound on b, kube-scheduler 1.30" in found
    assert "436  b" in found
    assert "Kubernetes 1.30 on 2 of 2 nodes" in found


def test_11_a_budget_that_no_ready_pod_keeps_is_never_let_go(ask: Ask) -> None:
    found = ask("drain", "11", "--node", "n1")
    assert "Cannot evict pod as it would violate the pod's disruption budget." in found
    assert "unhealthyPodEvictionPolicy is AlwaysAllow" in found


def test_13_a_budget_whose_status_allows_nothing_is_kept(ask: Ask) -> None:
    assert "default/urgent                           n2" in ask("simulate", "13", "--format", "table")


def test_16_an_old_configuration_keeps_its_weights(ask: Ask) -> None:
    found = ask("explain", "16", pod="new")
    assert "default/new: bound on b, kube-scheduler 1.25" in found
    assert "NodeAffinity 1 (v1: 2)" in found
    assert "PodTopologySpread 1" not in found


@pytest.fixture
def decode(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Decodes an input from standard input."""

    def run(number: str) -> str:
        [path] = INPUTS.glob(f"{number}-*")
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
        assert main(["decode", "-"]) == 0
        return capsys.readouterr().out

    return run


def test_10_a_manifest_behind_a_printed_node_is_read(ask: Ask) -> None:
    found = ask("explain", "10", pod="web")
    assert "The pod requests 5 of cpu; n1 has 4 free" in found
    assert "truncated" not in found


def test_17_an_autoscaler_without_reasons_is_decoded(decode: Callable[[str], str]) -> None:
    found = decode("17")
    assert "A new node of any group would not have room" in found
    assert "3 nodes  MatchInterPodAffinity" in found


def test_19_the_autoscalers_log_names_group_and_reason(decode: Callable[[str], str]) -> None:
    found = decode("19")
    assert "eks-pool-a-d6bf7003: node(s) didn't match Pod's node affinity" in found
    assert "No node group is left" in found


def test_20_a_group_at_its_maximum_may_help(decode: Callable[[str], str]) -> None:
    found = decode("20")
    assert "more nodes of it may help. Raise its maximum." in found
    assert "would not help" not in found
    assert "1 node group  max node group size reached" in found


def test_22_karpenters_log_has_a_reason_for_each_pool(decode: Callable[[str], str]) -> None:
    found = decode("22")
    assert "default: unsatisfiable topology constraint for pod affinity" in found
    assert "No pod that the required podAffinity looks for" in found
    assert "batch: did not tolerate app=batch:NoSchedule" in found


def test_30_a_resource_that_no_node_offers_names_the_device_plugin(decode: Callable[[str], str]) -> None:
    found = decode("30")
    assert "device plugin is not running or a driver is missing" in found
    assert "already request so much" not in found
