"""What kubectl prints for people, read back: the texts of three real releases of kubectl (tests/kubectl/record.py)."""

# ruff: noqa: E501 -- lines are as long as the printed ones
from __future__ import annotations

import json
import tarfile
from collections import defaultdict
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from kschedui.cli.main import main
from kschedui.scenarios import importers
from kschedui.scenarios.importers.for_people import read
from scheduler_core import Limits, parse_scenario
from scheduler_core.apis.core import Node, Pod
from tests.kubectl.record import PRINTED, SEEDS
from tests.sampling import rest_slow

Manifest = dict[str, Any]
UNPRINTED = ("affinity", "schedulingGates", "resourceClaims", "schedulerName", "overhead")  # by describe pod


@cache
def recorded() -> dict[str, dict[str, str]]:
    """The recorded texts of each scenario: objects.json, RELEASE/COMMAND.txt."""
    texts: dict[str, dict[str, str]] = defaultdict(dict)
    with tarfile.open(PRINTED) as archive:
        for entry in archive:
            scenario, _, name = entry.name.partition("/")
            texts[scenario][name] = archive.extractfile(entry).read().decode()  # type: ignore[union-attr]
    return texts


def objects_of(scenario: str) -> tuple[list[Manifest], list[Manifest]]:
    """Nodes and pods as the API server has them."""
    objects = json.loads(recorded()[scenario]["objects.json"])
    nodes, pods = ([one for one in objects if one["kind"] == kind] for kind in ("Node", "Pod"))
    return nodes, pods


def printed(scenario: str, command: str) -> dict[str, str]:
    """What each release's kubectl prints."""
    return {
        name.partition("/")[0]: text for name, text in recorded()[scenario].items() if name.endswith(f"/{command}.txt")
    }


def parsed(objects: list[Manifest]) -> dict[tuple[str, ...], Node | Pod]:
    """The objects as the engine has them, by kind, namespace and name."""
    if not objects:
        return {}
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
    return {
        (type(item).__name__, getattr(item, "namespace", ""), item.name): item
        for item in parse_scenario(text).objects
        if isinstance(item, Node | Pod)
    }


def found(kind: str, text: str) -> list[Manifest]:
    return [one for one in read(text).objects if one["kind"] == kind]


@pytest.mark.parametrize("scenario", rest_slow(4, sorted(recorded())))
def test_nodes_are_read_back_from_what_kubectl_describes(scenario: str) -> None:
    """Each node as it was; the requests on it as those of its pods."""
    nodes, pods = objects_of(scenario)
    texts = printed(scenario, "describe-nodes")
    assert len(texts) == 3
    for text in texts.values():
        before, after = parsed(nodes), parsed(found("Node", text))
        assert before.keys() == after.keys()
        for key, node in before.items():
            back = after[key]
            assert isinstance(node, Node)
            assert isinstance(back, Node)
            assert back.labels == node.labels
            assert set(back.taints) == set(node.taints)
            assert (back.unschedulable, back.allocatable) == (node.unschedulable, node.allocatable)
        running = [one for one in pods if one["status"]["phase"] == "Running"]
        assert requests_by_node(found("Pod", text)) == requests_by_node(running)


def requests_by_node(pods: list[Manifest]) -> dict[tuple[str, str], int]:
    """The sums of what kubectl adds up for each node: (node, resource)."""
    sums: dict[tuple[str, str], int] = defaultdict(int)
    for pod in parsed(pods).values():
        assert isinstance(pod, Pod)
        for name, amount in pod.requests.items():
            if pod.node_name and amount:
                sums[pod.node_name, name] += amount
    return sums


@pytest.mark.parametrize("scenario", rest_slow(4, sorted(recorded())))
def test_pods_are_read_back_from_what_kubectl_describes(scenario: str) -> None:
    _, pods = objects_of(scenario)
    before = parsed([as_described(pod) for pod in pods])
    for text in printed(scenario, "describe-pods").values():
        after = parsed(found("Pod", text))
        assert before.keys() == after.keys()
        for key, pod in before.items():
            compare_pods(pod, after[key])


def as_described(pod: Manifest) -> Manifest:
    """The pod without what `describe` does not print."""
    spec = {key: value for key, value in pod["spec"].items() if key not in UNPRINTED}
    for containers in ("containers", "initContainers"):
        for container in spec.get(containers) or ():
            container.pop("restartPolicy", None)
            container.get("resources", {}).pop("claims", None)
    return {**pod, "spec": spec}


def compare_pods(first: Node | Pod, second: Node | Pod) -> None:
    assert isinstance(first, Pod)
    assert isinstance(second, Pod)
    for field in ("requests", "node_name", "labels", "node_selector", "priority"):
        assert getattr(second, field) == getattr(first, field), field
    assert set(second.tolerations) == set(first.tolerations)
    spread = [
        [(one.topology_key, one.max_skew, one.when_unsatisfiable) for one in pod.topology_spread_constraints]
        for pod in (first, second)
    ]
    assert sorted(spread[0]) == sorted(spread[1])
    claims = [[one.claim for one in pod.volumes if one.claim and not one.ephemeral] for pod in (first, second)]
    assert claims[0] == claims[1]
    assert {one.port for one in second.host_ports} == {one.port for one in first.host_ports}


@pytest.mark.parametrize("scenario", rest_slow(4, sorted(recorded())))
def test_tables_say_who_runs_where_and_the_state_of_nodes(scenario: str) -> None:
    nodes, pods = objects_of(scenario)
    for wide in ("", "-wide"):
        for release, table in printed(scenario, f"get-nodes{wide}").items():
            states = {one["metadata"]["name"]: one["spec"].get("unschedulable", False) for one in found("Node", table)}
            assert states == {one["metadata"]["name"]: one["spec"].get("unschedulable", False) for one in nodes}
            listed = table + "\n" + printed(scenario, f"get-pods{wide}")[release]
            where = {one["metadata"]["name"]: one["spec"].get("nodeName", "") for one in found("Pod", listed)}
            expected = {one["metadata"]["name"]: one["spec"].get("nodeName", "") for one in pods}
            if wide:
                assert where == expected
            else:  # without the column NODE, running pods are left out
                assert where == {name: node for name, node in expected.items() if not node}


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


@pytest.mark.parametrize("seed", SEEDS)
def test_what_stands_around_the_text_does_not_matter(seed: int) -> None:
    scenario = f"random-{seed}"
    text = printed(scenario, "describe-nodes")["1.31"] + "\n" + printed(scenario, "get-pods-wide")["1.31"]
    assert read(around(text, Random(seed))).objects == read(text).objects


def test_a_described_node_and_a_manifest_are_read_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    described = printed("random-3", "describe-nodes")["1.33"]
    mine = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: c, image: i, resources: {requests: {cpu: 30}}}]}\n"
    path = tmp_path / "pasted.txt"
    path.write_text(f"$ kubectl describe nodes\n{described}---\n{mine}")
    assert main(["explain", "web", str(path)]) == 0
    assert "The pod requests 30 of cpu; n1 has" in capsys.readouterr().out


def test_notes_say_what_was_read_and_what_one_more_paste_settles() -> None:
    found = importers.convert(printed("lessons-first-pod", "describe-pods")["1.31"], Limits())
    notes = " ".join(found.notes)
    assert "pods described: 2" in notes
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
