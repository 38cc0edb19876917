"""What kubectl prints for people, read back: of nodes and pods of this project's own scenarios and of random ones."""

# ruff: noqa: E501 -- lines are as long as the printed ones
from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from kschedui.cli.main import main
from kschedui.scenarios import importers
from kschedui.scenarios.importers.for_people import read
from scheduler_core import Limits, parse_scenario
from scheduler_core.apis.core import Node, Pod
from scheduler_core.scenario.parse import ScenarioErrors
from tests.conftest import ROOT
from tests.core.ask.operations.clusters import text as random_cluster
from tests.kubectl_printer import describe_node, describe_pod, get_nodes, get_pods

Manifest = dict[str, Any]
FOLDERS = ("kschedui/scenarios/lessons", "kschedui/scenarios/starters", "tests/conformance/classic")


def scenarios() -> list[Path]:
    return [
        path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.yaml")) if path.stat().st_size < 60_000
    ]


def has_sidecar(pod: Manifest) -> bool:
    """kubectl describe does not print the restartPolicy of an init container."""
    return any(one.get("restartPolicy") for one in pod["spec"].get("initContainers") or ())


def objects_of(text: str) -> tuple[list[Manifest], list[Manifest]]:
    """The nodes and pods of a scenario as manifests, without those that the printers do not know."""
    documents = [one for one in yaml.safe_load_all(text) if isinstance(one, dict)]
    documents = [item for one in documents for item in (one["items"] if one.get("kind") == "List" else [one])]
    nodes = [one for one in documents if one.get("kind") == "Node"]
    pods = [one for one in documents if one.get("kind") == "Pod" and "resources" not in one["spec"]]
    for one in pods:
        one["spec"].pop("priorityClassName", None)  # whose class is not among the objects
    for one in (*nodes, *pods):
        one.setdefault("spec", {})
        one.setdefault("status", {})
        if one["kind"] == "Node":
            one["status"].setdefault("capacity", one["status"].get("allocatable") or {})
    return nodes, pods


def parsed(objects: list[Manifest]) -> dict[str, Node | Pod]:
    if not objects:
        return {}
    text = "---\n".join(yaml.safe_dump(one) for one in objects)
    return {
        f"{type(item).__name__}/{item.name}": item
        for item in parse_scenario(text).objects
        if isinstance(item, Node | Pod)
    }


def compare_nodes(nodes: list[Manifest], pods: list[Manifest], text: str) -> None:
    """Each node as it was; the requests on it as those of its pods."""
    found = {one["metadata"]["name"]: one for one in read(text).objects if one["kind"] == "Node"}
    before = parsed(nodes)
    after = parsed(list(found.values()))
    assert before.keys() == after.keys()
    for key, node in before.items():
        back = after[key]
        assert isinstance(node, Node)
        assert isinstance(back, Node)
        assert back.labels == node.labels
        assert set(back.taints) == set(node.taints)
        assert (back.unschedulable, back.allocatable) == (node.unschedulable, node.allocatable)


@pytest.mark.parametrize("path", scenarios(), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_nodes_and_pods_of_our_scenarios_are_read_back(path: Path) -> None:
    nodes, pods = objects_of(path.read_text())
    if not nodes:
        return
    described = "\n\n".join(
        describe_node(one, [pod for pod in pods if pod["spec"].get("nodeName") == one["metadata"]["name"]])
        for one in nodes
    )
    compare_nodes(nodes, pods, described)
    described += "".join(f"\n\n{describe_pod(pod)}" for pod in pods)
    found = {one["metadata"]["name"]: one for one in read(described).objects if one["kind"] == "Pod"}
    originals = [
        {**pod, "metadata": {"name": pod["metadata"]["name"], "labels": pod["metadata"].get("labels") or {}}}
        for pod in pods
    ]
    for before in originals:
        before["spec"] = {**before["spec"]}
        for unread in (
            "affinity",
            "schedulingGates",
            "priorityClassName",
            "resourceClaims",
            "schedulerName",
            "overhead",
        ):
            before["spec"].pop(unread, None)
        if has_sidecar(before):
            continue
        after = found[before["metadata"]["name"]]
        compare_pods(before, {**after, "metadata": {**after["metadata"]}})


def compare_pods(before: Manifest, after: Manifest) -> None:
    try:
        (first,) = parsed([before]).values()
    except ScenarioErrors:  # of another release, or with a reference
        return
    (second,) = parsed([after]).values()
    assert isinstance(first, Pod)
    assert isinstance(second, Pod)
    assert second.requests == first.requests
    assert (second.node_name, second.labels, second.node_selector) == (
        first.node_name,
        first.labels,
        first.node_selector,
    )
    assert set(second.tolerations) == set(first.tolerations)
    assert [
        (one.topology_key, one.max_skew, one.when_unsatisfiable) for one in second.topology_spread_constraints
    ] == sorted(
        (one.topology_key, one.max_skew, one.when_unsatisfiable) for one in first.topology_spread_constraints
    ) or len(first.topology_spread_constraints) > 1
    assert [one.claim for one in second.volumes] == [
        one.claim for one in first.volumes if one.claim and not one.ephemeral
    ]
    assert {one.port for one in second.host_ports} == {one.port for one in first.host_ports}


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("age", [True, False])
def test_random_clusters_are_read_back_from_what_kubectl_prints(seed: int, *, age: bool) -> None:
    nodes, pods = objects_of(random_cluster(seed))
    on = {
        one["metadata"]["name"]: [pod for pod in pods if pod["spec"].get("nodeName") == one["metadata"]["name"]]
        for one in nodes
    }
    text = "\n\n".join(describe_node(one, on[one["metadata"]["name"]], age=age) for one in nodes)
    compare_nodes(nodes, pods, text)
    read_back = read(text).objects
    for node in nodes:
        there = [
            one for one in read_back if one["kind"] == "Pod" and one["spec"]["nodeName"] == node["metadata"]["name"]
        ]
        originals = {key: pod for key, pod in parsed(on[node["metadata"]["name"]]).items() if isinstance(pod, Pod)}
        sums: dict[str, int] = {}
        for pod in parsed(there).values():
            assert isinstance(pod, Pod)
            for name, amount in pod.requests.items():
                sums[name] = sums.get(name, 0) + amount
        expected: dict[str, int] = {}
        for pod in originals.values():
            for name, amount in pod.requests.items():
                expected[name] = expected.get(name, 0) + amount
        assert {name: amount for name, amount in sums.items() if amount} == {
            name: amount for name, amount in expected.items() if amount and (name in ("cpu", "memory") or "/" in name)
        }


def around(text: str, random: Random) -> str:
    """The text as people paste it: behind a prompt, in a fence, with line numbers, in Windows' line ends."""
    match random.randrange(5):
        case 0:
            return f"user@host:~$ kubectl describe node\n{text}"
        case 1:
            return f"```console\n$ kubectl describe nodes\n{text}```\n"
        case 2:
            return "".join(f"{number:>4}  {line}\n" for number, line in enumerate(text.split("\n"), 1))
        case 3:
            return text.replace("\n", "\r\n")
    return f"[root@cp ~]# kubectl describe node n1\n{text}[root@cp ~]# \n"


@pytest.mark.parametrize("seed", range(20))
def test_what_stands_around_the_text_does_not_matter(seed: int) -> None:
    nodes, pods = objects_of(random_cluster(seed))
    text = "\n\n".join(describe_node(one, []) for one in nodes) + "\n" + get_pods(pods, namespaces=True)
    plain, pasted = read(text).objects, read(around(text, Random(seed))).objects
    assert pasted == plain
    assert len([one for one in plain if one["kind"] == "Pod"]) == len(pods)


def test_tables_say_who_runs_where_and_the_state_of_nodes() -> None:
    nodes, pods = objects_of(random_cluster(3))
    nodes[0]["spec"]["unschedulable"] = True
    found = read(get_nodes(nodes) + "\n" + get_pods(pods, namespaces=False)).objects
    states = {
        one["metadata"]["name"]: one["spec"].get("unschedulable", False) for one in found if one["kind"] == "Node"
    }
    assert states == {one["metadata"]["name"]: one["spec"].get("unschedulable", False) for one in nodes}
    where = {one["metadata"]["name"]: one["spec"].get("nodeName", "") for one in found if one["kind"] == "Pod"}
    assert where == {one["metadata"]["name"]: one["spec"].get("nodeName", "") for one in pods}


def test_a_described_node_and_a_manifest_are_read_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    node = {"metadata": {"name": "n1"}, "spec": {}, "status": {"capacity": {"cpu": "2", "memory": "4Gi", "pods": "9"}}}
    mine = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: c, image: i, resources: {requests: {cpu: 3}}}]}\n"
    path = tmp_path / "pasted.txt"
    path.write_text(f"$ kubectl describe node n1\n{describe_node(node, [])}---\n{mine}")
    assert main(["explain", "web", str(path)]) == 0
    assert "The pod requests 3 of cpu; n1 has 2 free" in capsys.readouterr().out


def test_notes_say_what_was_read_and_what_one_more_paste_settles() -> None:
    found = importers.convert(describe_pod({"metadata": {"name": "a"}, "spec": {"containers": []}}), Limits())
    notes = " ".join(found.notes)
    assert "pods described: 1" in notes
    assert "paste kubectl describe nodes too" in notes
    assert "neither the affinity of a pod nor its scheduling gates" in notes


def pending(text: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What `kschedui pending` prints about a text."""
    path = folder / "text"
    path.write_text(text)
    main(["pending", str(path)])
    return capsys.readouterr().out


def test_pods_that_run_on_a_node_that_the_table_does_not_name_do_not_wait(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = (
        "NAME   READY   STATUS             RESTARTS   AGE   ZONE\n"
        "web-1  1/1     Running            0          7s    a\n"
        "web-2  0/1     Pending            0          7s\n"
        "web-3  0/1     CrashLoopBackOff   9          7s    b\n"
    )
    reading = read(table)
    assert [one["metadata"]["name"] for one in reading.objects] == ["web-2"]
    assert any("were left out: 2." in note for note in reading.notes)
    wide = read(table.replace("ZONE", "NODE")).objects
    assert [one["spec"].get("nodeName") for one in wide] == ["a", None, "b"]
    assert "1 pod waits" in pending(table, tmp_path, capsys)


def test_the_heading_of_an_old_release_names_the_resource(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (
        "NAME   STATUS   ROLES    AGE   VERSION\ngpu1   Ready    <none>   16h   v1.15.3\n\n"
        "Name:         train\nNamespace:    default\nStatus:       Pending\nContainers:\n  c:\n    Limits:\n"
        "      nvidia.com/gpu:  1\nQoS Class:    BestEffort\n"
    )
    out = pending(text, tmp_path, capsys)
    assert "Too little nvidia.com/gpu" in out
    assert "Rejected by" not in out
