"""An edit of the text has the same effect as the same edit of the objects, and changes nothing else in the text."""

from __future__ import annotations

import json

import pytest
import yaml
from msgspec.structs import replace

from scheduler_core.apis.core import Pod
from scheduler_core.ask.editing.configuring import EMPTY
from scheduler_core.ask.editing.edits import (
    AddNodes,
    DisablePlugin,
    Edit,
    NotPossible,
    Remove,
    SetField,
    SetStrategy,
    SetWeight,
    Step,
    cordon,
)
from scheduler_core.ask.editing.place import apply_step
from scheduler_core.ask.editing.text import apply_edits
from scheduler_core.ask.moments.moment import before_attempt
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.scenario.parse import parse_scenario
from tests.builders import configuration, node, pod, scenario

TEXT = """\
# Two nodes, and a pod that is too large.
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {disk: ssd}}   # the fast one
status:
  allocatable: {cpu: "2", memory: 4Gi, pods: "110"}
---
apiVersion: v1
kind: Node
metadata:
  name: n2
spec:
  taints:
  - {key: gpu, effect: NoSchedule}  # for the others
status:
  allocatable:
    cpu: "8"
    memory: 8Gi
    pods: "110"
--- # the pod
apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
  - name: main
    image: app
    # as measured
    resources:
      requests:
        cpu: 4
        memory: 1Gi
"""
CPU = ("spec", "containers", 0, "resources", "requests", "cpu")
TOLERATION = {"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}
EDITS: dict[str, Edit] = {
    "a request": SetField("Pod", "web", CPU, "1500m", "default"),
    "a further request": SetField("Pod", "web", (*CPU[:-1], "ephemeral-storage"), "1Gi", "default"),
    "a toleration": SetField("Pod", "web", ("spec", "tolerations"), TOLERATION, "default", add=True),
    "a priority": SetField("Pod", "web", ("spec", "priority"), 100, "default"),
    "a label with a strange value": SetField("Pod", "web", ("metadata", "labels", "a"), "yes", "default"),
    "a node's label": SetField("Node", "n1", ("metadata", "labels", "disk"), "hdd"),
    "a node's first taint": SetField("Node", "n1", ("spec", "taints"), {"key": "x", "effect": "NoSchedule"}, add=True),
    "a node's second taint": SetField("Node", "n2", ("spec", "taints"), {"key": "x", "effect": "NoSchedule"}, add=True),
    "a cordon": cordon("n2"),
    "more cpu": SetField("Node", "n2", ("status", "allocatable", "cpu"), "16"),
    "two nodes more": AddNodes("n2", 2),
    "a node less": Remove("Node", "n1"),
    "a weight": SetWeight("NodeResourcesFit", 7),
    "a plugin less": DisablePlugin("TaintToleration"),
    "another strategy": SetStrategy("MostAllocated"),
}


def dump(data: object) -> str:
    return yaml.safe_dump(data, sort_keys=False)


@pytest.mark.parametrize("name", EDITS)
def test_edited_text_reads_as_the_edited_objects(name: str) -> None:
    edit = EDITS[name]
    world = before_attempt(parse_scenario(TEXT), 1).world()
    world.apply_edits([edit], {})
    edited = before_attempt(parse_scenario(apply_edits(TEXT, [edit], dump)), 1).world()
    for one in (Cluster.all_nodes, _pods):
        assert [replace(found, uid="") for found in one(world.cluster)] == [
            replace(found, uid="") for found in one(edited.cluster)
        ]
    assert world.frameworks.keys() == edited.frameworks.keys()
    for profile, framework in world.frameworks.items():
        assert framework.profile == edited.frameworks[profile].profile
    assert world.decide("default/web").record == edited.decide("default/web").record


def _pods(cluster: Cluster) -> list[Pod]:
    return list(cluster.pods.all())


@pytest.mark.parametrize("name", [name for name in EDITS if name != "a node less"])
def test_every_line_that_the_edit_is_not_about_stays(name: str) -> None:
    after = apply_edits(TEXT, [EDITS[name]], dump).splitlines()
    gone = [line for line in TEXT.splitlines() if line not in after]
    assert len(gone) <= 1
    assert "# as measured" in "\n".join(after)
    assert "# for the others" in "\n".join(after)


def test_a_removed_object_takes_its_document_alone() -> None:
    assert (
        apply_edits(TEXT, [Remove("Node", "n2")], dump) == TEXT[: TEXT.index("---\n")] + TEXT[TEXT.index("--- # the") :]
    )


def test_an_object_in_a_list_is_edited_where_it_stands() -> None:
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": [node("n1"), pod("web", cpu=1)]})
    after = apply_edits(text, [SetField("Pod", "web", CPU, "250m", "default"), Remove("Node", "n1")], dump)
    assert json.loads(after)["items"] == [pod("web", cpu="250m")]


def test_an_object_of_the_timeline_is_edited_where_it_is_created() -> None:
    text = scenario(node("n1"), events=[{"at": 3, "create": pod("late", cpu=1)}])
    after = apply_edits(text, [SetField("Pod", "late", CPU, "250m", "default")], dump)
    assert (
        parse_scenario(after).events[0].object
        == parse_scenario(scenario(node("n1"), events=[{"at": 3, "create": pod("late", cpu="250m")}])).events[0].object
    )


def test_a_document_with_aliases_is_written_anew() -> None:
    text = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: &l {x: one}, annotations: *l}\nspec: {}\n"
    after = apply_edits(text, [SetField("Pod", "a", ("metadata", "labels", "x"), "z", "default")], dump)
    metadata = yaml.safe_load(after)["metadata"]
    assert (metadata["labels"], metadata["annotations"]) == ({"x": "z"}, {"x": "one"})


def test_the_second_document_keeps_its_marker_when_it_is_written_anew() -> None:
    second = "--- \napiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: &l {x: one}, annotations: *l}\nspec: {}\n"
    text = f"{dump(node('n1'))}{second}---\n{dump(node('n2'))}"
    after = apply_edits(text, [SetField("Pod", "a", ("metadata", "labels", "x"), "z", "default")], dump)
    assert [one["metadata"]["name"] for one in yaml.safe_load_all(after)] == ["n1", "a", "n2"]


def test_a_weight_changes_where_the_plugin_is_enabled_by_name() -> None:
    enabled = {"score": {"enabled": [{"name": "ImageLocality", "weight": 2}], "disabled": [{"name": "*"}]}}
    config = configuration(profiles=[{"schedulerName": "default-scheduler", "plugins": enabled}])
    after = apply_edits(json.dumps(config), [SetWeight("ImageLocality", 9)], dump)
    assert json.loads(after)["profiles"][0]["plugins"]["score"]["enabled"] == [{"name": "ImageLocality", "weight": 9}]


def test_without_a_configuration_one_is_added() -> None:
    after = list(yaml.safe_load_all(apply_edits(TEXT, [SetWeight("ImageLocality", 9)], dump)))[-1]
    assert after.items() >= EMPTY.items()


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (SetField("Pod", "gone", CPU, "1", "default"), "there is no Pod default/gone"),
        (SetField("Pod", "web", CPU, "much", "default"), "not a quantity"),
        (SetField("Pod", "web", ("spec", "containers", 7, "image"), "x", "default"), "there is no spec.containers.7"),
        (AddNodes("n9"), "there is no Node n9"),
        (AddNodes("n1", 1_000_000), "add 1 to 1000 nodes"),
        (SetWeight("NodeResourcesFit", 7, "other"), 'no profile "other"'),
        (SetWeight("NodeResourcesFit", -7), "weight"),
    ],
)
def test_an_edit_that_cannot_be_made_says_why(edit: Edit, sentence: str) -> None:
    world = before_attempt(parse_scenario(TEXT), 1).world()
    with pytest.raises(NotPossible, match=sentence):
        world.apply_edits([edit], {})


@pytest.mark.parametrize("value", ["2024-01-01", "1_0.5", "0x1f", "é", ["2024-01-01"]])
def test_strings_that_yaml_may_take_for_others_stay_strings_in_json(value: object) -> None:
    after = apply_step('{"metadata": {"name": "x"}}', Step(("metadata", "name"), value))
    assert json.loads(after) == {"metadata": {"name": value}}
