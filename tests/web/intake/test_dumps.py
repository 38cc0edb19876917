"""Dumps of clusters: what is dropped and counted, in YAML and JSON, in Lists and in separate documents."""

import json
from contextlib import suppress
from typing import Any

import pytest
import yaml

from kschedui.scenarios.anonymise import anonymise
from kschedui.scenarios.intake import import_source
from scheduler_core import Limits, ScenarioErrors, parse_scenario, simulate
from scheduler_core.apis.core import Pod
from scheduler_core.trace.events import AttemptFinished
from tests.builders import node, pod, scenario
from tests.dumps import SECRET, Cluster, as_json, as_yaml, listed

DUMP = Cluster(nodes=4, pods=110, images=6).objects()
FORMS = {"YAML": as_yaml(listed(DUMP)), "JSON": as_json(listed(DUMP))}


@pytest.mark.parametrize("form", FORMS)
def test_nothing_secret_of_a_dump_is_in_the_scenario(form: str) -> None:
    assert SECRET in FORMS[form]
    found = import_source(FORMS[form])
    assert SECRET not in found.text + "".join(found.notes)
    kept = parse_scenario(found.text)
    assert sum(isinstance(one, Pod) for one in kept.objects) == 110
    assert not kept.warnings


def test_yaml_and_json_are_read_alike() -> None:
    one, other = (import_source(text) for text in FORMS.values())
    assert one.text == other.text
    assert one.notes == other.notes


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("between", ["", "---\n"])
def test_several_dumps_in_one_file_are_all_read(form: str, between: str) -> None:
    write = as_yaml if form == "YAML" else as_json
    text = between.join([write(listed([node("n1")])), write(listed([pod("a")])), write(pod("b"))])
    found = import_source(text)
    assert [one["kind"] for one in yaml.safe_load_all(found.text)] == ["Node", "Pod", "Pod", "Scenario"]


def test_dumps_in_both_formats_may_follow_each_other() -> None:
    for text in (
        as_yaml(listed([node("n1")])) + as_json(listed([pod("a")])),
        as_json(listed([node("n1")])) + "---\n" + as_yaml(listed([pod("a")])),
    ):
        found = import_source(text)
        assert [one["kind"] for one in yaml.safe_load_all(found.text)] == ["Node", "Pod", "Scenario"]


def test_what_is_left_out_is_counted_by_kind_and_by_field() -> None:
    notes = import_source(FORMS["YAML"]).notes
    assert "2 Secret" in notes[0]
    assert "1 CustomResourceDefinition" in notes[0]
    assert "2 Widget" in notes[0]
    for count in ("annotations (", "env (", "command (", "managedFields ("):
        assert count in notes[1]


def test_items_of_a_pod_list_need_no_kind() -> None:
    bare = {name: value for name, value in pod("a").items() if name not in ("apiVersion", "kind")}
    found = {"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": [bare]}
    for text in (json.dumps(found), as_yaml(found)):
        made = import_source(text).text
        assert [one["kind"] for one in yaml.safe_load_all(made)] == ["Pod", "Scenario"]


@pytest.mark.parametrize("write", [as_yaml, as_json])
def test_a_list_in_a_list_is_read(write: Any) -> None:
    found = import_source(write(listed([listed([node("n1"), pod("a")]), pod("b")])))
    assert [one["kind"] for one in yaml.safe_load_all(found.text)] == ["Node", "Pod", "Pod", "Scenario"]
    assert found.notes == []


FLOW = "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 1, memory: 1Gi, pods: 9}}}\n"


def test_yaml_that_begins_with_a_brace_is_read() -> None:
    found = import_source(FLOW + "---\n" + as_yaml(pod("a")))
    assert [one["kind"] for one in yaml.safe_load_all(found.text)] == ["Node", "Pod", "Scenario"]


@pytest.mark.parametrize("head", ["NAME    DATA   AGE", "NAMESPACE   NAME   READY", "LAST SEEN   TYPE     REASON"])
def test_a_table_of_kubectl_is_told_what_to_ask_for(head: str) -> None:
    with pytest.raises(ScenarioErrors, match="or kubectl get with -o yaml"):
        import_source(f"{head}\na   b   c: d\n")


def test_a_slip_reaches_the_checker() -> None:
    slipped = pod("a")
    slipped["spec"]["nodeSelektor"] = {"disk": "ssd"}
    slipped["spec"]["containers"][0]["resource"] = {"requests": {"cpu": "1"}}
    for text in (json.dumps(slipped), as_yaml(slipped), yaml.safe_dump(slipped)):
        warned = parse_scenario(import_source(text).text).warnings
        assert ["nodeSelektor" in str(one.message) or "resource" in str(one.message) for one in warned] == [True, True]


def test_a_slip_of_what_is_dropped_is_dropped() -> None:
    slipped = pod("a")
    slipped["spec"]["containers"][0]["envs"] = [{"name": "A", "value": SECRET}]
    slipped["metadata"]["annotation"] = {"a": SECRET}
    for text in (json.dumps(slipped), as_yaml(slipped)):
        assert SECRET not in import_source(text).text


def test_an_unknown_field_is_left_out_and_counted() -> None:
    later = pod("a")
    later["spec"]["fieldOfTheFuture"] = {"token": SECRET}
    found = import_source(as_yaml(later))
    assert SECRET not in found.text
    assert any("does not have: fieldOfTheFuture (1)" in note for note in found.notes)


def test_a_custom_resource_with_a_name_of_ours_is_not_ours() -> None:
    service = {"apiVersion": "serving.knative.dev/v1", "kind": "Service", "metadata": {"name": "a"}, "spec": {}}
    found = import_source(scenario(node("n1"), service))
    assert "1 serving.knative.dev/Service" in found.notes[0]


def test_a_kind_with_a_slip_is_named() -> None:
    found = import_source(scenario(node("n1"), {**pod("a"), "kind": "Pdo"}))
    assert [str(note) for note in found.notes if "Pdo" in note]


def test_older_versions_of_an_api_are_read() -> None:
    budget = {
        "apiVersion": "policy/v1beta1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "a"},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}},
    }
    parse_scenario(import_source(scenario(node("n1"), budget)).text)


def test_an_object_of_a_later_dump_replaces_that_of_an_earlier() -> None:
    found = import_source(scenario(node("n1", cpu=2), node("n1", cpu=8)))
    assert "Duplicate objects were read once: 1 Node." in found.notes
    assert parse_scenario(found.text).objects[0].allocatable["cpu"] == 8000


CLAIM = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "gpu"}, "spec": {}}


def test_a_resource_claim_is_imported() -> None:
    found = import_source(as_yaml(listed([node("n1"), CLAIM])))
    assert "kind: ResourceClaim\n" in found.text


def of_devices(version: str) -> list[dict[str, Any]]:
    """Return objects as an API server with this version of the API returns them.

    They are two GPUs, and three pods with generated claims, one of them running.
    """
    beta = version == "v1beta1"
    model = {"attributes": {"model": {"string": "a100"}, "acme.com/numa": {"int": 0}}}
    wanted = {
        "deviceClassName": "gpu.acme.com",
        "selectors": [{"cel": {"expression": 'device.attributes["gpu.acme.com"].model == "a100"'}}],
    }
    request = {"name": "gpu", **wanted} if beta else {"name": "gpu", "exactly": wanted}
    claim_spec = {"devices": {"requests": [request], "constraints": [{"matchAttribute": "acme.com/numa"}]}}
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "a", "uid": "u-1", "controller": True}
    result = {"request": "gpu", "driver": "gpu.acme.com", "pool": "n1", "device": "gpu-0"}
    objects: list[dict[str, Any]] = [
        {
            "kind": "DeviceClass",
            "metadata": {"name": "gpu.acme.com"},
            "spec": {"selectors": [{"cel": {"expression": 'device.driver == "gpu.acme.com"'}}]},
        },
        {
            "kind": "ResourceSlice",
            "metadata": {"name": "n1-gpu", "generateName": "n1-", "managedFields": [{"manager": "driver"}]},
            "spec": {
                "driver": "gpu.acme.com",
                "nodeName": "n1",
                "pool": {"name": "n1", "generation": 1, "resourceSliceCount": 1},
                "devices": [{"name": f"gpu-{at}", **({"basic": model} if beta else model)} for at in range(2)],
            },
        },
        {
            "kind": "ResourceClaimTemplate",
            "metadata": {"name": "one", "namespace": "default"},
            "spec": {"spec": claim_spec},
        },
        {
            "kind": "ResourceClaim",
            "metadata": {
                "name": "a-gpu-x7k2p",
                "namespace": "default",
                "annotations": {"resource.kubernetes.io/pod-claim-name": "gpu"},
                "ownerReferences": [owner],
            },
            "spec": claim_spec,
            "status": {
                "allocation": {"devices": {"results": [result]}},
                "reservedFor": [{"resource": "pods", "name": "a", "uid": "u-1"}],
            },
        },
    ]
    pods = [pod("a", node="n1"), pod("b"), pod("c")]
    for at, one in enumerate(pods, 1):
        one["metadata"]["uid"] = f"u-{at}"
        one["spec"]["resourceClaims"] = [{"name": "gpu", "resourceClaimTemplateName": "one"}]
    pods[0]["status"] = {"resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": "a-gpu-x7k2p"}]}
    return [node("n1"), *({"apiVersion": f"resource.k8s.io/{version}", **one} for one in objects), *pods]


@pytest.mark.parametrize("version", ["v1beta1", "v1beta2", "v1"])
@pytest.mark.parametrize("renamed", [False, True], ids=["", "with other names"])
def test_the_devices_of_a_dump_are_taken_as_they_were(version: str, renamed: bool) -> None:
    text = import_source(as_yaml(listed(of_devices(version)))).text
    if renamed:
        text = anonymise(text, Limits()).text
        assert '"gpu.acme.com"' in text
        assert "a-gpu-x7k2p" not in text
    found = parse_scenario(text)
    assert not found.warnings
    outcomes = [event.outcome for event in simulate(found) if isinstance(event, AttemptFinished)]
    assert outcomes == ["Scheduled", "Unschedulable"]


@pytest.mark.parametrize("odd", [[], "x", {"devices": "x"}, {"devices": [1]}, {"devices": {"requests": [1, {}]}}])
def test_devices_that_are_nonsense_come_to_the_checker(odd: Any) -> None:
    for kind in ("ResourceSlice", "ResourceClaim", "ResourceClaimTemplate"):
        strange = {"apiVersion": "resource.k8s.io/v1beta1", "kind": kind, "metadata": {"name": "a"}, "spec": odd}
        with suppress(ScenarioErrors):
            parse_scenario(import_source(as_yaml(listed([node("n1"), strange]))).text)


@pytest.mark.parametrize(
    "phase", [{"phase": "Succeeded"}, {"phase": "Failed", "reason": "Evicted"}], ids=lambda status: status["phase"]
)
def test_a_pod_that_has_ended_is_no_pod_of_the_cluster(phase: dict[str, str]) -> None:
    found = import_source(as_json(listed([node("n1"), {**pod("a", node="n1"), "status": phase}])))
    assert "kind: Pod" not in found.text
    assert "Finished pods that were skipped: 1." in found.notes


def cluster_of_every_kind() -> list[dict[str, Any]]:
    """Return objects as `kubectl get` prints them, among them storage, budgets, an unreachable node, a mirror pod and a
    terminating pod."""
    storage, policy = "storage.k8s.io/v1", "policy/v1"
    marked = {"annotations": {"example.com/note": SECRET}}
    away = node("away")
    away["spec"] = {"unschedulable": True, "taints": [{"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"}]}
    mirror = pod("kube-proxy-n1", node="n1", priority=2000001000, priority_class="system-node-critical")
    mirror["metadata"] |= {"namespace": "kube-system", "annotations": {"kubernetes.io/config.mirror": SECRET}}
    going = pod("going", node="n1")
    going["metadata"] |= {"deletionTimestamp": "2025-01-01T00:00:30Z", "deletionGracePeriodSeconds": 30}
    disk = {"driver": "disk.example.com", "volumeHandle": "v", "volumeAttributes": {"key": SECRET}}
    size = {"accessModes": ["ReadWriteOnce"], "storageClassName": "fast"}
    return [
        *(node("n1"), away, mirror, going, pod("bare")),
        {"apiVersion": storage, "kind": "StorageClass", "metadata": {"name": "fast", **marked},
         "provisioner": "disk.example.com", "parameters": {"token": SECRET}, "volumeBindingMode": "Immediate"},
        {"apiVersion": storage, "kind": "CSINode", "metadata": {"name": "n1", **marked},
         "spec": {"drivers": [{"name": "disk.example.com", "nodeID": SECRET, "allocatable": {"count": 2}}]}},
        {"apiVersion": storage, "kind": "CSIDriver", "metadata": {"name": "disk.example.com"},
         "spec": {"storageCapacity": True, "tokenRequests": [{"audience": SECRET}]}},
        {"apiVersion": storage, "kind": "CSIStorageCapacity", "metadata": {"name": "a", "namespace": "kube-system"},
         "storageClassName": "fast", "capacity": "100Gi", "nodeTopology": {}},
        {"apiVersion": storage, "kind": "VolumeAttachment", "metadata": {"name": "csi-1"},
         "spec": {"attacher": "disk.example.com", "nodeName": "n1", "source": {"persistentVolumeName": "pv"}},
         "status": {"attached": True, "attachmentMetadata": {"path": SECRET}}},
        {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pv", **marked},
         "spec": {**size, "capacity": {"storage": "1Gi"}, "csi": disk}, "status": {"phase": "Bound"}},
        {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data", **marked},
         "spec": {**size, "resources": {"requests": {"storage": "1Gi"}}, "volumeName": "pv"},
         "status": {"phase": "Bound"}},
        {"apiVersion": policy, "kind": "PodDisruptionBudget", "metadata": {"name": "half"},
         "spec": {"minAvailable": "50%", "selector": {"matchLabels": {"app": "web"}}},
         "status": {"disruptionsAllowed": 1, "currentHealthy": 2}},
    ]  # fmt: skip


@pytest.mark.parametrize("write", [as_yaml, as_json])
def test_objects_of_every_kind_that_is_read_come_in_without_their_secrets(write: Any) -> None:
    brought = cluster_of_every_kind()
    found = import_source(write(listed(brought)))
    made = list(yaml.safe_load_all(found.text))
    assert [one["kind"] for one in made].count("Pod") == 3
    assert {one["kind"] for one in made} == {one["kind"] for one in brought} | {"Scenario"}
    assert SECRET not in found.text
    assert not parse_scenario(found.text).warnings
