"""The API versions of a kind are read as the same object, except where a version has another meaning."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from scheduler_core import ScenarioErrors, decisions, parse_scenario, simulate
from scheduler_core.apis.core import PodDisruptionBudget, Workload
from scheduler_core.releases import RELEASES
from scheduler_core.scenario.objects.kinds import LOAD_ORDER, OF_VERSION, UNREAD, versions_of
from tests.builders import budget, node, pod, priority_class, scenario

Manifest = dict[str, Any]
LABELS = {"app": "web"}
TEMPLATE = {"metadata": {"labels": LABELS}, "spec": {"containers": []}}
CAPACITY = {"storageClassName": "fast", "nodeTopology": {"matchLabels": {"rack": "a"}}, "capacity": "10Gi"}
ATTACHED = {"attacher": "csi", "nodeName": "n1", "source": {"persistentVolumeName": "v"}}
FIELDS: dict[str, Manifest] = {
    "PodDisruptionBudget": {"spec": {"minAvailable": 1, "selector": {"matchLabels": LABELS}}},
    "PriorityClass": {"value": 7, "globalDefault": False},
    "StorageClass": {"provisioner": "csi", "volumeBindingMode": "WaitForFirstConsumer"},
    "CSIDriver": {"spec": {"attachRequired": False, "storageCapacity": True}},
    "CSINode": {"spec": {"drivers": [{"name": "csi", "nodeID": "n", "topologyKeys": [], "allocatable": {"count": 3}}]}},
    "CSIStorageCapacity": CAPACITY,
    "VolumeAttachment": {"spec": ATTACHED, "status": {"attached": True}},
    "ReplicaSet": {"spec": {"selector": {"matchLabels": LABELS}, "template": TEMPLATE}},
    "StatefulSet": {"spec": {"selector": {"matchLabels": LABELS}, "template": TEMPLATE, "serviceName": "web"}},
    "Deployment": {"spec": {"selector": {"matchLabels": LABELS}, "template": TEMPLATE}},
    "DaemonSet": {"spec": {"selector": {"matchLabels": LABELS}, "template": TEMPLATE}},
}
OLDER = [(name, version) for name in FIELDS for version in versions_of(name)[1:]]


def of_version(name: str, version: str, **fields: Any) -> Manifest:
    return {"apiVersion": version, "kind": name, "metadata": {"name": "n1"}, **FIELDS[name], **fields}


def read(*objects: Manifest, release: str = "1.15") -> Any:
    found = parse_scenario(scenario(*objects), release=RELEASES[release])
    assert not found.warnings
    return found.objects[-1]


def test_each_kind_of_that_time_is_tried() -> None:
    groups = ("policy", "scheduling.k8s.io", "storage.k8s.io", "apps", "extensions")
    older = {(kind.name, kind.api_version) for kind in LOAD_ORDER if kind.group in groups and kind.name != "PodGroup"}
    assert {name for name, _ in older} == FIELDS.keys()
    assert set(OLDER) == {(name, version) for name, version in older if version != versions_of(name)[0]}


@pytest.mark.parametrize("release", ["1.15", "1.18", "1.25", "1.36"])
@pytest.mark.parametrize(("name", "version"), OLDER)
def test_an_older_version_is_the_same_object(name: str, version: str, release: str) -> None:
    older, newest = (read(of_version(name, one), release=release) for one in (version, versions_of(name)[0]))
    assert replace(older, manifest={}) == replace(newest, manifest={})


@pytest.mark.parametrize(
    ("version", "selector", "selects"),
    [
        ("policy/v1", None, False),
        ("policy/v1", {}, True),
        ("policy/v1", {"matchLabels": {}}, True),
        ("policy/v1beta1", None, False),
        ("policy/v1beta1", {}, False),
        ("policy/v1beta1", {"matchLabels": {}, "matchExpressions": []}, False),
        ("policy/v1beta1", {"matchLabels": LABELS}, True),
    ],
)
@pytest.mark.parametrize("release", ["1.15", "1.25", "1.36"])
def test_an_empty_selector_of_a_budget_selects_no_pod_in_v1beta1(
    version: str, selector: Manifest | None, selects: bool, release: str
) -> None:
    """The controller reads the selector this way. kube-scheduler treats an empty selector as none in every version."""
    manifest = of_version("PodDisruptionBudget", version, spec={"minAvailable": 0, "selector": selector})
    text = scenario(node("n1"), manifest, pod("a", node="n1", labels=LABELS))
    found = parse_scenario(text, release=RELEASES[release])
    (read_budget,) = (one for one in found.objects if isinstance(one, PodDisruptionBudget))
    assert read_budget.controller_selector.matches(LABELS) is selects
    assert read_budget.selector.matches(LABELS) is (selects and bool(selector and any(selector.values())))


def test_a_budget_of_v1beta1_protects_from_preemption_in_1_15() -> None:
    nodes = [node("n1", cpu=1), node("n2", cpu=1)]
    classes = [
        {**priority_class(name, value), "apiVersion": f"scheduling.k8s.io/{version}"}
        for name, value, version in (("low", 1, "v1beta1"), ("high", 100, "v1alpha1"))
    ]
    victims = [
        pod(f"v{number}", node=f"n{number}", cpu="1", labels={"app": f"a{number}"}, priority_class="low")
        for number in (1, 2)
    ]
    new = pod("new", cpu="1", priority_class="high")
    protects = {**budget("keep", {"app": "a2"}, minAvailable=1), "apiVersion": "policy/v1beta1"}
    nominated = []
    for budgets in ([], [protects], [{**protects, "spec": {"minAvailable": 1, "selector": {}}}]):
        text = scenario(*nodes, *classes, *victims, *budgets, new)
        found = parse_scenario(text, release=RELEASES["1.15"])
        nominated.append(next(iter(decisions(simulate(found))))["preemption"]["nominatedNode"])
    assert nominated == ["n2", "n1", "n2"]


@pytest.mark.parametrize(("version", "name"), [("extensions/v1beta1", "ReplicaSet"), ("apps/v1beta1", "StatefulSet")])
def test_the_first_versions_of_workloads_select_by_the_labels_of_their_template(version: str, name: str) -> None:
    found = read(of_version(name, version, spec={"template": TEMPLATE}))
    assert isinstance(found, Workload)
    assert found.selector.matches(LABELS)
    assert not found.selector.matches({})
    for later in versions_of(name)[:-1]:
        with pytest.raises(ScenarioErrors, match="empty selector is invalid"):
            read(of_version(name, later, spec={"template": TEMPLATE}))


@pytest.mark.parametrize("name", sorted({kind.name for kind in LOAD_ORDER} - {"PodGroup"}))
def test_another_version_is_one_sentence_with_its_line(name: str) -> None:
    group = versions_of(name)[0].rpartition("/")[0]
    version = f"{group}/v9" if group else "v9"
    text = f"{scenario(node('n1'))}\n---\napiVersion: {version}\nkind: {name}\nmetadata: {{name: a}}\n"
    with pytest.raises(ScenarioErrors) as refused:
        parse_scenario(text, release=RELEASES["1.15"])
    (error,) = refused.value.errors
    assert error.line == text[: text.index(f"kind: {name}\nmeta")].count("\n") + 1
    assert f'no kind "{name}" is known in "{version}"; expected apiVersion ' in str(error.message)
    assert all(known in str(error.message) for known in versions_of(name))


def test_kinds_of_older_versions_that_no_scheduler_reads_are_known() -> None:
    for version, name in (
        ("extensions/v1beta1", "Ingress"),
        ("policy/v1beta1", "PodSecurityPolicy"),
        ("apps/v1beta2", "ControllerRevision"),
    ):
        assert (version, name) in UNREAD
        assert (version, name) not in OF_VERSION
        text = scenario({"apiVersion": version, "kind": name, "metadata": {"name": "a"}}, node("n1"))
        (warning,) = parse_scenario(text, release=RELEASES["1.15"]).warnings
        assert "left out" in str(warning.message)
