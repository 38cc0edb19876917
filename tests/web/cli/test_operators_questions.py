"""An operator's questions about a dump of Kubernetes 1.31, with each answer verified by applying it.

Why is kafka-2 pending? Can pool b be drained? What does 1.34 change? Which node group would help?
KSCHEDUI_POOL_NODES=300 uses a larger cluster.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from kschedui.cli import inputs
from kschedui.cli.main import main
from scheduler_core import simulate
from tests import pools
from tests.core.ask.operations.watched import Watched
from tests.dumps import as_yaml, listed

NODES = int(os.environ.get("KSCHEDUI_POOL_NODES", "21"))
KAFKA = "data/kafka-2"

Manifest = dict[str, Any]
Ask = Callable[..., tuple[int, Any]]


@pytest.fixture(scope="module")
def objects() -> list[Manifest]:
    return pools.dump(NODES)


@pytest.fixture(scope="module")
def dump(objects: list[Manifest], tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_dump(tmp_path_factory.mktemp("pools") / "dump.yaml", objects)


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Ask:
    """Return a function that runs a command, and returns its exit status and the JSON on standard output."""

    def run(*arguments: str) -> tuple[int, Any]:
        capsys.readouterr()
        status = main([*arguments, "--format", "json", "--quiet"])
        return status, json.loads(capsys.readouterr().out)

    return run


def write_dump(path: Path, objects: Iterable[Manifest]) -> str:
    """Write a dump of these objects, and return the path of the file."""
    path.write_text(as_yaml(listed(list(objects))))
    return str(path)


def key_of(manifest: Manifest) -> str:
    return f"{manifest['metadata'].get('namespace', 'default')}/{pools.name_of(manifest)}"


def pods(objects: Iterable[Manifest]) -> dict[str, Manifest]:
    return {key_of(one): one for one in objects if one["kind"] == "Pod"}


def places(ask: Ask, path: str, *options: str) -> dict[str, str]:
    """Return the node of each pod at the end of the run; "" for pending pods."""
    _, result = ask("simulate", path, *options)
    final = result["attempts"][-1]["final"]
    return {**final["bound"], **dict.fromkeys(final["pending"], "")}


def messages(ask: Ask, path: str, *options: str) -> dict[str, str]:
    """Return the last message of each pending pod."""
    _, result = ask("simulate", path, *options)
    return {one["pod"]: one["message"] for one in result["attempts"][:-1] if one["outcome"] == "Unschedulable"}


def patched(objects: Iterable[Manifest], edits: Iterable[Manifest]) -> list[Manifest]:
    """Return the objects with the edits from `fix --format json` applied by hand."""
    made = deepcopy(list(objects))
    for edit in edits:
        assert edit["type"] == "set"
        [target] = [
            one
            for one in made
            if (one["kind"], pools.name_of(one)) == (edit["kind"], edit["name"])
            and one["metadata"].get("namespace", "") == edit["namespace"]
        ]
        for part in edit["path"][:-1]:
            target = target[part]
        if edit["value"] is None:
            del target[edit["path"][-1]]
        else:
            target[edit["path"][-1]] = edit["value"]
    return made


def test_kafka_is_pending_because_of_its_volume(dump: str, objects: list[Manifest], ask: Ask) -> None:
    status, answer = ask("explain", KAFKA, dump)
    assert (status, answer["kubernetesVersion"]) == (0, "1.31")
    assert answer["message"] == messages(ask, dump)[KAFKA]
    facts = [fact for cause in answer["causes"] for fact in cause["example"]["facts"]]
    of_volume = "The claim data-kafka-2 is bound to pv-data-kafka-2, whose node affinity "
    assert any(fact.startswith(f"{of_volume}(topology.kubernetes.io/zone=eu-west-1b)") for fact in facts)
    zones = {pools.name_of(one): one["metadata"]["labels"][pools.ZONE] for one in objects if one["kind"] == "Node"}
    for cause in answer["causes"]:
        zone = zones[cause["example"]["node"]]
        assert (zone == "eu-west-1c") == (cause["plugin"] in ("VolumeBinding", "NodeResourcesFit"))
    [near] = answer["nearest"]
    assert near.endswith("Select nodes with topology.kubernetes.io/zone=eu-west-1b instead of eu-west-1c")


def test_every_change_that_would_help_kafka_does(dump: str, objects: list[Manifest], ask: Ask, tmp_path: Path) -> None:
    status, answer = ask("fix", KAFKA, dump)
    assert status == 0
    assert len({json.dumps(one["edits"], sort_keys=True) for one in answer["changes"]}) == len(answer["changes"])
    assert not any(one["untrue"] for one in answer["changes"])
    for number, change in enumerate(answer["changes"]):
        path = write_dump(tmp_path / f"{number}.yaml", patched(objects, change["edits"]))
        assert places(ask, path)[KAFKA] in (change["node"], *change["others"])


def test_what_is_said_of_draining_a_pool_happens_when_it_is_drained(
    dump: str, objects: list[Manifest], ask: Ask, tmp_path: Path
) -> None:
    applied = str(tmp_path / "drained.yaml")
    status, answer = ask("drain", dump, "--group", "b", "--write", applied)
    assert (status, answer["release"]) == (1, "1.31")
    of_pool = {pools.name_of(one) for one in objects if one["kind"] == "Node" and pools.name_of(one)[0] == "b"}
    assert set(answer["nodes"]) == of_pool
    assert answer["moved"]
    blocked = {one["pod"]: one["node"] for one in answer["blocked"]}
    assert blocked["data/kafka-1"] in of_pool
    watched = Watched([one for one in objects if one["kind"] == "PodDisruptionBudget"], of_pool)
    watched.take(simulate(inputs.read(applied).scenario))
    assert not watched.broken
    answered = {one.get("made", one["pod"]): one["after"] for one in answer["moved"]}
    answered |= {one.get("made", one["pod"]): "" for one in answer["unplaced"]} | blocked
    replaced = {one["pod"] for one in (*answer["moved"], *answer["unplaced"]) if "made" in one}
    assert replaced
    there = {key: pod["spec"].get("nodeName", "") for key, pod in pods(objects).items() if key not in replaced}
    assert watched.node == {**there, **answered}
    staying = {node for key, node in watched.node.items() if node in of_pool and "node-agent" not in key}
    assert of_pool - staying == set(answer["emptied"])
    assert not any(watched.allowed(one) > 0 for key in blocked for one in watched.covering(key))


def test_what_an_upgrade_changes_is_what_the_other_release_decides(
    dump: str, objects: list[Manifest], ask: Ask, tmp_path: Path
) -> None:
    status, answer = ask("upgrade", dump, "--to", "1.34")
    assert (status, answer["before"], answer["after"]) == (1, "1.31", "1.34")
    moved = {one["pod"]: one for one in answer["changes"] if one["before"]["node"] != one["after"]["node"]}
    assert list(moved) == ["batch/probe-5d4f-0"]
    answered = {one["pod"]: one for one in answer["pending"]}
    for version, side in (("1.31", "before"), ("1.34", "after")):
        said = messages(ask, dump, "--kubernetes-version", version)
        assert {key: one[side]["message"] for key, one in answered.items()} == said
    some = [key for key, one in pods(objects).items() if "nodeName" in one["spec"]][:: 8 * NODES // 5]
    for number, key in enumerate([*moved, *(key for key in some if "node-agent" not in key)]):
        alone = [
            one if key_of(one) != key else {**one, "spec": {k: v for k, v in one["spec"].items() if k != "nodeName"}}
            for one in objects
            if one["kind"] != "Pod" or "nodeName" in one["spec"]
        ]
        path = write_dump(tmp_path / f"{number}.yaml", alone)
        decided = [places(ask, path, "--kubernetes-version", version)[key] for version in ("1.31", "1.34")]
        sides = [moved[key][side]["node"] for side in ("before", "after")] if key in moved else decided[:1] * 2
        assert decided == sides


def test_the_stated_number_of_nodes_helps_and_one_fewer_does_not(
    dump: str, objects: list[Manifest], ask: Ask, tmp_path: Path
) -> None:
    status, answer = ask("node-groups", dump)
    assert (status, answer["release"]) == (0, "1.31")
    waiting = {key for key, pod in pods(objects).items() if "nodeName" not in pod["spec"]}
    assert set(answer["pending"]) == waiting
    helping = {(one["group"], one["zone"]): one for one in answer["helps"] if one["pods"]}
    assert {group for group, _ in helping} == {"c", "gpu"}
    for (group, zone), one in helping.items():
        for count in (one["nodes"], one["nodes"] - 1):
            path = write_dump(tmp_path / f"{group}-{zone}-{count}.yaml", [*objects, *like(objects, one["like"], count)])
            there = places(ask, path)
            assert {key for key in waiting if there[key]} == set(one["pods"]) or count < one["nodes"]
            assert all(there[key] for key in one["pods"]) == (count == one["nodes"])


def like(objects: list[Manifest], name: str, count: int) -> list[Manifest]:
    """Return `count` copies of the named node, each with its DaemonSet's pod."""
    made = []
    for number in range(count):
        node, agent = deepcopy([one for one in objects if pools.name_of(one) in (name, f"node-agent-{name}")])
        new = f"{name}-more-{number}"
        node["metadata"]["name"] = node["metadata"]["labels"]["kubernetes.io/hostname"] = new
        agent["metadata"]["name"], agent["spec"]["nodeName"] = f"node-agent-{new}", new
        made += [node, agent]
    return made
