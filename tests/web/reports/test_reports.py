"""Public reports, asked as their authors would: each input names the question, the right answer, and the commands."""

from __future__ import annotations

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
