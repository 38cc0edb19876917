"""The output of other tools becomes a scenario that can be run."""

import copy
import json
from typing import Any

import pytest
import yaml

from kschedui.scenarios.imported import Conversion
from kschedui.scenarios.importers import workloads
from kschedui.scenarios.intake import import_source
from scheduler_core import Limits, ScenarioErrors, decisions, parse_scenario, simulate
from tests.builders import node, pod, scenario

Manifest = dict[str, Any]
TEMPLATE = {
    "metadata": {"labels": {"app": "web"}},
    "spec": {"containers": [{"name": "main", "image": "nginx", "resources": {"requests": {"cpu": "1"}}}]},
}


def convert(*objects: Manifest) -> tuple[list[Manifest], list[str]]:
    """Convert a dump of the objects. Return the objects of the resulting scenario, which must parse, and the notes."""
    found = import_source(scenario(*objects))
    parse_scenario(found.text)
    return objects_in(found.text), found.notes


def objects_in(text: str) -> list[Manifest]:
    """Return the objects of the cluster, without the Scenario document."""
    return [found for found in yaml.safe_load_all(text) if found["kind"] != "Scenario"]


def of_kind(objects: list[Manifest], kind: str) -> list[Manifest]:
    return [found for found in objects if found["kind"] == kind]


def workload(kind: str, name: str, **spec: Any) -> Manifest:
    version = "batch/v1" if kind == "Job" else "apps/v1"
    selector = {} if kind == "Job" else {"selector": {"matchLabels": {"app": "web"}}}
    metadata = {"name": name, "namespace": "shop"}
    template = copy.deepcopy(TEMPLATE)
    return {
        "apiVersion": version,
        "kind": kind,
        "metadata": metadata,
        "spec": {**selector, "template": template, **spec},
    }


def dumped_pod(name: str, **metadata: Any) -> Manifest:
    """Return a pod as `kubectl get -o yaml` prints it, with all additional fields."""
    made = pod(name, cpu=1, node="n1")
    made["metadata"] |= {
        "uid": "0b5c7f7e-0000-4000-8000-000000000001",
        "resourceVersion": "123",
        "generateName": "web-",
        "creationTimestamp": "2025-01-01T00:00:00Z",
        "managedFields": [{"manager": "kubelet", "fieldsV1": {"f:status": {}}}],
        "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}", "team": "a"},
        **metadata,
    }
    made["spec"] |= {
        "serviceAccountName": "default",
        "volumes": [{"name": "kube-api-access-x7k2p", "projected": {"sources": []}}],
        "tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}],
    }
    made["spec"]["containers"][0] |= {
        "env": [{"name": "PASSWORD", "value": "hunter2"}],
        "volumeMounts": [{"name": "kube-api-access-x7k2p", "mountPath": "/var/run"}],
        "livenessProbe": {"httpGet": {"path": "/", "port": 80}},
    }
    made["status"] = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}], "podIP": "10.0.0.7"}
    return made


def test_a_kubectl_dump_loses_its_noise_and_nothing_else() -> None:
    listed = {"apiVersion": "v1", "kind": "List", "items": [node("n1"), dumped_pod("web-1")]}
    objects, notes = convert(listed)
    kept = of_kind(objects, "Pod")[0]
    text = json.dumps(kept)
    for noise in ("managedFields", "resourceVersion", "last-applied", "hunter2", "kube-api-access", "podIP", "Probe"):
        assert noise not in text
    assert "annotations" not in kept["metadata"]
    assert kept["spec"]["nodeName"] == "n1"
    assert kept["spec"]["tolerations"]
    assert kept["spec"]["containers"][0]["resources"]["requests"] == {"cpu": "1"}
    assert kept["status"] == {"phase": "Running"}
    assert len(notes) == 1
    for name in ("annotations (1)", "managedFields (1)", "env (1)", "livenessProbe (1)", "podIP (1)"):
        assert name in notes[0]


def test_ended_pods_and_what_no_scheduler_reads_are_left_out_and_named() -> None:
    ended = dumped_pod("job-1")
    ended["status"]["phase"] = "Succeeded"
    config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"secret": "x"}}
    objects, notes = convert(node("n1"), ended, config_map)
    assert [found["kind"] for found in objects] == ["Node"]
    assert "Finished pods that were skipped: 1." in notes
    assert "No effect, because the pods already exist: 1 ConfigMap." not in notes
    assert "Skipped, because the scheduler does not read it: 1 ConfigMap." in notes


def test_a_deployment_becomes_a_replica_set_and_its_pods() -> None:
    objects, notes = convert(node("n1"), workload("Deployment", "web", replicas=3))
    pods, sets = of_kind(objects, "Pod"), of_kind(objects, "ReplicaSet")
    assert notes == ["Expanded Deployment web to 3 pods."]
    assert not of_kind(objects, "Deployment")
    name = sets[0]["metadata"]["name"]
    assert len({one["metadata"]["name"] for one in pods}) == 3
    for one in pods:
        assert one["metadata"]["name"].startswith(f"{name}-")
        assert one["metadata"]["namespace"] == "shop"
        assert one["metadata"]["labels"]["pod-template-hash"] == name.removeprefix("web-")
        assert one["metadata"]["ownerReferences"][0]["kind"] == "ReplicaSet"
        assert one["metadata"]["ownerReferences"][0]["controller"] is True


def test_a_workload_whose_pods_are_there_is_not_expanded() -> None:
    owner = workload("ReplicaSet", "web-abc", replicas=2)
    owner["metadata"]["uid"] = "11111111-0000-4000-8000-000000000001"
    owned = dumped_pod(
        "web-abc-1", ownerReferences=[{"kind": "ReplicaSet", "name": "web-abc", "uid": owner["metadata"]["uid"]}]
    )
    objects, notes = convert(node("n1"), owner, owned)
    assert len(of_kind(objects, "Pod")) == 1
    assert not any("Expanded" in note for note in notes)


def test_a_deployment_whose_replica_set_is_there_is_not_expanded_twice() -> None:
    owned = workload("ReplicaSet", "web-abc", replicas=2)
    owned["metadata"]["ownerReferences"] = [{"kind": "Deployment", "name": "web", "uid": "x"}]
    objects, notes = convert(node("n1"), workload("Deployment", "web", replicas=2), owned)
    assert len(of_kind(objects, "Pod")) == 2
    assert notes == [
        "Expanded ReplicaSet web-abc to 2 pods.",
        "Workloads that already have their pods were not expanded: 1 Deployment.",
    ]


def test_a_stateful_set_becomes_numbered_pods_with_their_claims() -> None:
    claim = {
        "metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
    objects, _ = convert(node("n1"), workload("StatefulSet", "db", replicas=2, volumeClaimTemplates=[claim]))
    assert [one["metadata"]["name"] for one in of_kind(objects, "Pod")] == ["db-0", "db-1"]
    claims = of_kind(objects, "PersistentVolumeClaim")
    assert [one["metadata"]["name"] for one in claims] == ["data-db-0", "data-db-1"]
    first = of_kind(objects, "Pod")[0]
    assert first["spec"]["volumes"] == [{"name": "data", "persistentVolumeClaim": {"claimName": "data-db-0"}}]
    assert first["metadata"]["labels"]["apps.kubernetes.io/pod-index"] == "0"


def test_a_daemon_set_becomes_one_pod_pinned_to_each_node() -> None:
    daemon = workload("DaemonSet", "agent")
    text = import_source(scenario(node("n1"), node("n2", unschedulable=True), daemon)).text
    records = [record for record in decisions(simulate(parse_scenario(text))) if record.get("node")]
    assert sorted(record["node"] for record in records) == ["n1", "n2"], "daemons tolerate a cordon"


@pytest.mark.parametrize(
    ("spec", "pods"),
    [
        ({"parallelism": 3, "completions": 5}, 3),
        ({"parallelism": 3, "completions": 2}, 2),
        ({}, 1),
        ({"parallelism": 4}, 4),
        ({"suspend": True}, 0),
    ],
)
def test_a_job_becomes_the_pods_that_run_at_once(spec: Manifest, pods: int) -> None:
    objects, _ = convert(node("n1"), workload("Job", "batch", **spec))
    assert len(of_kind(objects, "Pod")) == pods


def test_the_same_file_gives_the_same_names() -> None:
    text = scenario(node("n1"), workload("Deployment", "web", replicas=2), workload("DaemonSet", "agent"))
    assert import_source(text).text == import_source(text).text


def test_a_thousand_million_replicas_are_refused_before_one_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workloads, "pod_of", lambda *_: pytest.fail("a pod was made"))
    with pytest.raises(ScenarioErrors, match="web requires 1,000,000,000 pods, but a scenario can have at most 50"):
        import_source(scenario(node("n1"), workload("Deployment", "web", replicas=10**9)), Conversion(Limits(pods=50)))


def test_a_large_template_times_its_replicas_is_refused_before_one_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workloads, "pod_of", lambda *_: pytest.fail("a pod was made"))
    made = workload("Job", "web", parallelism=1_000)
    made["spec"]["template"]["metadata"]["labels"] = {"long": "x" * 5_000}
    with pytest.raises(ScenarioErrors, match="the text is longer than 4,000,000 bytes"):
        import_source(scenario(node("n1"), made), Conversion(Limits(bytes=4_000_000)))


@pytest.mark.parametrize("as_yaml", [True, False])
def test_an_export_of_the_simulator_is_read(as_yaml: bool) -> None:
    bare = {name: value for name, value in pod("a", cpu=1).items() if name not in ("apiVersion", "kind")}
    bare_node = {name: value for name, value in node("n1").items() if name not in ("apiVersion", "kind")}
    export = {
        "pods": [bare],
        "nodes": [bare_node],
        "pvs": [],
        "pvcs": None,
        "storageClasses": [],
        "priorityClasses": [{"metadata": {"name": "system-node-critical"}, "value": 2000001000}],
        "namespaces": [{"metadata": {"name": "default"}}],
        "schedulerConfig": {
            "parallelism": 16,
            "leaderElection": {"leaderElect": True},
            "profiles": [{"schedulerName": "default-scheduler"}],
        },
    }
    text = yaml.safe_dump(export) if as_yaml else json.dumps(export)
    found = import_source(text)
    parsed = parse_scenario(found.text)
    assert any("kube-scheduler-simulator" in note for note in found.notes)
    records = list(decisions(simulate(parsed)))
    assert records[0]["node"] == "n1"
    assert not parsed.warnings


def test_nothing_to_schedule_is_a_sentence() -> None:
    with pytest.raises(ScenarioErrors, match="contains no object that the scheduler reads"):
        import_source("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")


@pytest.mark.parametrize(
    "name", ["n", "y", "no", "on", "1e3", "0755", "08", "0x10", "1_000", "1_0.5", "true", "1.5", "2025-01-01"]
)
def test_a_text_that_looks_like_a_number_or_a_boolean_is_still_a_text(name: str) -> None:
    found = import_source(json.dumps(node("n1", labels={"tier": name})))
    assert parse_scenario(found.text).objects[-1].labels["tier"] == name


ODD = [
    {"metadata": {"name": ["web"]}},
    {"metadata": []},
    {"metadata": {"name": "web", "namespace": ["a"], "uid": {}}},
    {"spec": []},
    {"spec": {"template": {"spec": {}}}},
    {"spec": {"selector": [], "template": TEMPLATE}},
    {"spec": {"template": {"metadata": {"labels": []}, "spec": TEMPLATE["spec"]}}},
    {"spec": {"template": {"spec": {**TEMPLATE["spec"], "affinity": [], "tolerations": 3, "volumes": {"a": 1}}}}},
    {"spec": {"replicas": "3", "volumeClaimTemplates": {"a": 1}, "template": TEMPLATE}},
]


@pytest.mark.parametrize("kind", ["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job"])
@pytest.mark.parametrize("odd", ODD, ids=str)
def test_a_workload_that_is_not_whole_is_a_sentence(kind: str, odd: Manifest) -> None:
    made = {**workload(kind, "web"), **copy.deepcopy(odd)}
    found = import_source(scenario(node("n1"), made))
    assert sum(kind in note for note in found.notes) == 1


def test_json_documents_one_after_another_are_all_read() -> None:
    nodes = {"apiVersion": "v1", "kind": "List", "items": [node("n1")]}
    for text in (
        f"{json.dumps(nodes, indent=4)}\n{json.dumps(pod('a'), indent=4)}\n",
        f"{json.dumps(nodes)}\n\n{json.dumps(pod('a'))}",
        json.dumps([node("n1"), pod("a")]),
        json.dumps([node("n1"), pod("a")], indent=2),
    ):
        found = import_source(text)
        assert [one["kind"] for one in objects_in(found.text)] == ["Node", "Pod"]


def test_what_grows_beyond_the_limit_is_refused() -> None:
    with pytest.raises(ScenarioErrors, match="the text is longer than 20,000 bytes"):
        import_source(
            scenario(node("n1"), workload("Deployment", "web", replicas=900)), Conversion(Limits(bytes=20_000))
        )


CLAIMS = [{"metadata": {"name": f"claim-{i}"}, "spec": {}} for i in range(100)]


@pytest.mark.parametrize(
    "grows",
    [
        workload("Deployment", "web", replicas=50_000),
        workload("Job", "web", parallelism=50_000, completions=50_000),
        workload("StatefulSet", "web", replicas=50_000, volumeClaimTemplates=CLAIMS),
    ],
    ids=lambda made: str(made["kind"]),
)
def test_it_stops_growing_at_the_limit(grows: Manifest, monkeypatch: pytest.MonkeyPatch) -> None:
    weighed = 0
    take = workloads.PodBudget.count

    def counted(room: workloads.PodBudget, made: Manifest) -> None:
        nonlocal weighed
        weighed += 1
        take(room, made)

    monkeypatch.setattr(workloads.PodBudget, "count", counted)
    grows["spec"]["template"]["metadata"]["annotations"] = {"long": "x" * 5_000}
    with pytest.raises(ScenarioErrors, match="the text is longer than 50,000 bytes"):
        import_source(scenario(node("n1"), grows), Conversion(Limits(bytes=50_000)))
    assert weighed < 2_000


def test_a_workload_that_makes_no_pod_is_named() -> None:
    found = import_source(scenario(node("n1"), workload("Deployment", "web", replicas=0)))
    assert found.notes == ["Deployment web does not create any pods at this time."]


def test_a_bound_pod_that_still_has_gates_is_read_as_bound_and_named() -> None:
    gated = pod("web", cpu=1, node="n1")
    gated["spec"]["schedulingGates"] = [{"name": "example.com/quota"}]
    objects, notes = convert(node("n1"), gated)
    assert "schedulingGates" not in of_kind(objects, "Pod")[0]["spec"]
    assert any("default/web" in str(note) and "gate" in str(note) for note in notes)


def test_an_image_of_several_sizes_is_reported_since_a_dump_does_not_show_which_node_had_it_first() -> None:
    amd, arm = node("n1"), node("n2")
    amd["status"]["images"] = [{"names": ["web:1", "other:1"], "sizeBytes": 100}]
    arm["status"]["images"] = [{"names": ["web:1", "other:1"], "sizeBytes": 90}]
    running = pod("web", cpu=1)
    running["spec"]["containers"][0]["image"] = "web:1"
    _, notes = convert(amd, arm, running)
    assert [str(note) for note in notes if "web:1" in str(note)] == [
        "Nodes report different sizes for these images: web:1. kube-scheduler uses the size that the first node "
        "reported; here, that is the first node in the text."
    ]
    arm["status"]["images"][0]["sizeBytes"] = 100
    assert not any("web:1" in str(note) for note in convert(amd, arm, running)[1])
