"""The release of a dumped cluster is used for decisions, and reported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from kschedui.cli import main
from kschedui.scenarios.importers.cluster_release import release_of
from kschedui.scenarios.intake import import_source
from scheduler_core import parse_scenario
from tests.builders import node, pod
from tests.dumps import as_yaml, listed


def dump_of(*versions: str) -> str:
    """Return a dump of nodes with these kubelet versions."""
    objects: list[dict[str, Any]] = [pod("a", cpu=1)]
    for number, version in enumerate(versions):
        found = node(f"n{number}")
        found["metadata"]["resourceVersion"] = "1"
        found["status"]["nodeInfo"] = {"kubeletVersion": version, "osImage": "Linux"}
        objects.append(found)
    return as_yaml(listed(objects))


def test_the_release_of_most_nodes_decides() -> None:
    made = import_source(dump_of("v1.31.4-eks-1", "v1.31.9", "v1.32.0"))
    assert parse_scenario(made.text).release.version == "1.31"
    assert "Kubernetes 1.31 on 2 of 3 nodes; kube-scheduler 1.31 decides." in map(str, made.notes)


def test_of_two_releases_with_as_many_nodes_the_newer_decides() -> None:
    assert parse_scenario(import_source(dump_of("v1.31.1", "v1.32.1")).text).release.version == "1.32"


def test_a_release_that_is_not_simulated_is_the_nearest_and_a_note_says_so() -> None:
    made = import_source(dump_of("v1.19.0"))
    assert parse_scenario(made.text).release.version == "1.18"
    assert "There is no simulation of 1.19; 1.18 is the nearest." in map(str, made.notes)
    assert (release_of("v1.99.0"), release_of("v2.1"), release_of("rubbish")) == ("1.37", "", "")


def own_scheduler(image: str, namespace: str = "kube-system", component: str = "kube-scheduler") -> dict[str, Any]:
    """Return a static pod of a scheduler, as kubeadm creates it."""
    found = pod("kube-scheduler-n0", node="n0", labels={"component": component}, namespace=namespace)
    found["spec"]["containers"][0]["image"] = image
    return found


@pytest.mark.parametrize(
    ("image", "release"),
    [
        ("registry.k8s.io/kube-scheduler:v1.34.2", "1.34"),
        ("kube-scheduler-arm64:v1.33.0@sha256:" + "a" * 64, "1.33"),
        ("registry.example.com:5000/a/kube-scheduler:latest", "1.31"),
        ("registry.example.com/my-kube-scheduler:v1.34.2", "1.31"),
    ],
)
def test_the_clusters_own_scheduler_goes_before_its_kubelets(image: str, release: str) -> None:
    objects = yaml.safe_load(dump_of("v1.31.4", "v1.31.4"))["items"]
    made = import_source(as_yaml(listed([*objects, own_scheduler(image)])))
    assert parse_scenario(made.text).release.version == release
    named = [note for note in map(str, made.notes) if "runs in this cluster" in note]
    assert bool(named) is (release != "1.31")
    assert all(f"; kube-scheduler {release} decides." in note for note in named)


@pytest.mark.parametrize("other", [{"namespace": "team"}, {"component": "my-scheduler"}])
def test_a_second_scheduler_does_not_name_the_release(other: dict[str, str]) -> None:
    objects = yaml.safe_load(dump_of("v1.31.4"))["items"]
    made = import_source(as_yaml(listed([*objects, own_scheduler("registry.k8s.io/kube-scheduler:v1.34.2", **other)])))
    assert parse_scenario(made.text).release.version == "1.31"


def test_several_files_keep_the_release(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "nodes.yaml").write_text(dump_of("v1.31.4"))
    (tmp_path / "pods.yaml").write_text(as_yaml(listed([{**pod("b"), "metadata": {"name": "b", "uid": "1"}}])))
    assert main.main(["import", str(tmp_path / "nodes.yaml"), str(tmp_path / "pods.yaml")]) == 0
    assert parse_scenario(capsys.readouterr().out).release.version == "1.31"


def test_nothing_else_of_a_nodes_information_is_kept() -> None:
    text = import_source(dump_of("v1.31.4")).text
    assert "nodeInfo" not in text
    assert "Linux" not in text


def test_fields_of_a_newer_api_server_are_left_out_with_a_note() -> None:
    """During an upgrade of a cluster, its API server is newer than most of its nodes."""
    text = dump_of("v1.34.3", "v1.34.3", "v1.36.1").replace(
        "    nodeInfo:\n      kubeletVersion: v1.36.1",
        "    declaredFeatures:\n    - SomeFeature\n    nodeInfo:\n      kubeletVersion: v1.36.1",
    )
    made = import_source(text)
    note = "Removed fields that Kubernetes 1.34 does not have: Node status.declaredFeatures (1)."
    assert note in map(str, made.notes)
    assert parse_scenario(made.text).release.version == "1.34"
