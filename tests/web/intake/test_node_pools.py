"""Karpenter's NodePools become node groups, and their notes are true of nodes that Karpenter would create."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kschedui.cli.main import main
from tests.builders import node, pod
from tests.dumps import as_yaml, listed

POOL = "karpenter.sh/nodepool"


def node_pool(name: str, *requirements: dict[str, Any], limits: Any = None, taints: Any = None) -> dict[str, Any]:
    template: dict[str, Any] = {"metadata": {"labels": {"team": "ml"}}, "spec": {"requirements": list(requirements)}}
    template["spec"] |= {"nodeClassRef": {"name": "default"}, **({"taints": taints} if taints else {})}
    spec = {"template": template, **({"limits": limits} if limits else {}), "weight": 10}
    return {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": name}, "spec": spec}


def named(key: str, *values: str) -> dict[str, Any]:
    return {"key": key, "operator": "In", "values": list(values)}


MACHINE = (named("karpenter.k8s.aws/instance-cpu", "16"), named("karpenter.k8s.aws/instance-memory", "65536"))
TAINT = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}


def helped(tmp_path: Path, capsys: pytest.CaptureFixture[str], *objects: dict[str, Any]) -> tuple[dict[str, Any], str]:
    path = tmp_path / "dump.yaml"
    path.write_text(as_yaml(listed(list(objects))))
    assert main(["node-groups", str(path), "--format", "json"]) == 0
    out, notes = capsys.readouterr()
    return json.loads(out), notes


def test_a_pool_without_nodes_helps_by_what_it_requires(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pool = node_pool("big", *MACHINE, named("topology.kubernetes.io/zone", "a"), limits={"cpu": "40"}, taints=[TAINT])
    toleration = {"key": "gpu", "operator": "Exists"}
    waiting = [
        pod(f"w{number}", cpu=12, nodeSelector={"team": "ml", POOL: "big"}, tolerations=[toleration])
        for number in range(3)
    ]
    found, _ = helped(tmp_path, capsys, node("n1", cpu=2), pool, *waiting, pod("intolerant", cpu=12))
    [one] = [one for one in found["helps"] if one["group"] == "big"]
    assert (one["zone"], one["nodes"], one["short"]) == ("a", 2, True)  # a limit of 40 cpus allows two nodes of 16
    assert one["pods"] == ["default/w0", "default/w1"]


def test_a_pool_with_nodes_is_like_them_and_has_its_limit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    there = node("n1", cpu=4, zone="a", labels={POOL: "small"})
    pool = node_pool("small", limits={"cpu": "12", "memory": "1000Gi"})
    found, _ = helped(tmp_path, capsys, there, pool, *(pod(f"w{number}", cpu=4) for number in range(5)))
    [group] = found["groups"]
    assert (group["label"], group["maximum"]) == (POOL, 3)
    [one] = found["helps"]
    assert (one["nodes"], len(one["pods"]), one["short"]) == (2, 2, True)


def test_a_node_without_cpu_does_not_limit_its_pool(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    there = node("n1", cpu=0, zone="a", labels={POOL: "small"})
    pool = node_pool("small", limits={"cpu": "12", "nodes": "5"})
    found, _ = helped(tmp_path, capsys, there, pool, pod("w", cpu=4))
    assert [group["maximum"] for group in found["groups"]] == [5]


def test_a_pool_of_which_no_machine_is_known_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pool = node_pool("any", named("karpenter.k8s.aws/instance-cpu", "4", "8"))
    found, notes = helped(tmp_path, capsys, node("n1", cpu=2), pool, pod("w", cpu=4))
    assert not any(one["pods"] for one in found["helps"])
    assert "NodePool any has no nodes and names no machine: add a template to its NodeGroup." in notes
