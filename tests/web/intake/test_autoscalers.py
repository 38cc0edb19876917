"""The node groups and NodePools of a dump get an autoscaler that acts only if one is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from kschedui.cli.main import main
from scheduler_core.apis.autoscaling import ClusterAutoscalerSettings, KarpenterSettings
from scheduler_core.apis.karpenter import NodeClaim, NodePool
from scheduler_core.scenario.parse import parse_scenario
from scheduler_core.scenario.types import Scenario
from tests.builders import Manifest, node, pod
from tests.core.autoscaling.builders import node_pool

POOL = {"karpenter.sh/nodepool": "p", "karpenter.sh/capacity-type": "on-demand"}
STATUS = """\
nodeGroups:
- name: blue
  health: {cloudProviderTarget: 2, minSize: 1, maxSize: 5}
"""


def imported(tmp_path: Path, objects: list[Manifest], *options: str) -> Scenario:
    file, made = tmp_path / "dump.yaml", tmp_path / "made.yaml"
    file.write_text(yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": objects}))
    assert main(["import", str(file), "-o", str(made), *options]) == 0
    return parse_scenario(made.read_text())


def grouped() -> list[Manifest]:
    status: dict[str, Any] = {"name": "cluster-autoscaler-status", "namespace": "kube-system"}
    nodes = [node(f"n{number}", zone="a", labels={"eks.amazonaws.com/nodegroup": "blue"}) for number in range(2)]
    return [
        *nodes,
        pod("a", node="n0"),
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": status, "data": {"status": STATUS}},
    ]


def pooled() -> list[Manifest]:
    labels = {**POOL, "node.kubernetes.io/instance-type": "m5.large"}
    classed = {"nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}}
    return [node("n0", zone="a", labels=labels), pod("a", node="n0"), node_pool("p", {"spec": classed})]


@pytest.mark.parametrize("objects", [grouped(), pooled()], ids=["groups", "pools"])
def test_a_dump_has_no_autoscaler_unless_one_is_named(objects: list[Manifest], tmp_path: Path) -> None:
    assert imported(tmp_path, objects).actors == ()


def test_the_groups_of_a_vendor_become_those_of_cluster_autoscaler(tmp_path: Path) -> None:
    made = imported(tmp_path, grouped(), "--autoscaler", "cluster-autoscaler")
    assert isinstance(made.actors[0], ClusterAutoscalerSettings)
    (group,) = made.node_groups
    assert (group.name, group.minimum, group.maximum) == ("blue", 1, 5)


def test_pools_become_those_of_karpenter_and_their_nodes_get_claims(tmp_path: Path) -> None:
    made = imported(tmp_path, pooled(), "--autoscaler", "karpenter")
    assert isinstance(made.actors[0], KarpenterSettings)
    assert [pool.name for pool in made.objects if isinstance(pool, NodePool)] == ["p"]
    assert [claim.node for claim in made.objects if isinstance(claim, NodeClaim)] == ["n0"]
