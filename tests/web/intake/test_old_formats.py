"""Configuration of the scheduler and of admission in a dump: formats of every age, priorities, LimitRange."""

import json
from typing import Any

import pytest
import yaml

from kschedui.models import Version
from kschedui.scenarios.imported import Conversion
from kschedui.scenarios.intake import import_source
from scheduler_core import Limits, decisions, parse_scenario, simulate
from scheduler_core.apis.core import Pod
from tests.builders import node, pod, scenario
from tests.web.conftest import Browser
from tests.web.intake.test_importers import dumped_pod, of_kind, workload

Manifest = dict[str, Any]
GROUP = "kubescheduler.config.k8s.io"


def read(*objects: Manifest) -> tuple[Any, str]:
    """Return the scenario, and all notes."""
    found = import_source(scenario(*objects))
    return parse_scenario(found.text), " ".join(map(str, found.notes))


def configuration(version: str, **fields: Any) -> Manifest:
    return {"apiVersion": f"{GROUP}/{version}", "kind": "KubeSchedulerConfiguration", **fields}


@pytest.mark.parametrize("version", ["v1beta1", "v1beta2", "v1beta3"])
def test_an_older_configuration_is_read_as_v1_and_says_what_changed(version: str) -> None:
    args = {"apiVersion": f"{GROUP}/{version}", "kind": "InterPodAffinityArgs", "hardPodAffinityWeight": 7}
    profile = {"schedulerName": "mine", "pluginConfig": [{"name": "InterPodAffinity", "args": args}]}
    found, notes = read(node("n1"), configuration(version, profiles=[profile], healthzBindAddress="0.0.0.0:1"))
    assert found.config.profiles[0].plugin_args["InterPodAffinity"].hard_pod_affinity_weight == 7
    assert f"Converted KubeSchedulerConfiguration {version} to v1." in notes
    assert "Skipped healthzBindAddress, which v1 does not have." in notes
    assert ("NodeAffinity 1 (v1: 2)" in notes) == (version != "v1beta3")
    weights = {ref.name: ref.weight for ref in found.config.profiles[0].plugins["score"]}
    first = version != "v1beta3"
    assert (weights["NodeAffinity"], weights["TaintToleration"]) == ((1, 1) if first else (2, 3))
    assert (weights["InterPodAffinity"], weights["PodTopologySpread"]) == (1 if first else 2, 2)


def test_plugins_that_are_no_more_are_dropped_and_named() -> None:
    plugins = {
        "filter": {"enabled": [{"name": "EBSLimits"}, {"name": "GCEPDLimits"}, {"name": "AzureDiskLimits"}]},
        "score": {"enabled": [{"name": "NodeResourcesMostAllocated", "weight": 5}, {"name": "SelectorSpread"}]},
    }
    found, notes = read(node("n1"), configuration("v1beta2", profiles=[{"plugins": plugins}]))
    for name in ("EBSLimits", "GCEPDLimits", "AzureDiskLimits", "SelectorSpread"):
        assert f"Plugin {name} no longer exists" in notes
    assert "MostAllocated" in str(found.config.profiles[0].plugin_args["NodeResourcesFit"])


def test_a_policy_is_reported_with_its_successor() -> None:
    policy = {
        "apiVersion": "v1",
        "kind": "Policy",
        "predicates": [{"name": "GeneralPredicates"}, {"name": "CheckNodeLabelPresence"}],
        "priorities": [{"name": "MostRequestedPriority", "weight": 3}],
    }
    found, notes = read(node("n1"), pod("a"), policy)
    assert "MostRequestedPriority → NodeResourcesFit" in notes
    assert "no plugin replaces them: CheckNodeLabelPresence" in notes
    assert [ref.name for ref in found.config.profiles[0].plugins["score"]] == ["NodeResourcesFit"]
    assert next(iter(decisions(simulate(found))))["node"] == "n1"


@pytest.mark.parametrize("nanoseconds", [1, 50_000, 5_000_000_000, 86_400_000_000_000_000])
def test_the_timeout_of_an_extender_in_a_policy_becomes_a_duration(nanoseconds: int) -> None:
    extender = {"urlPrefix": "http://gpu", "filterVerb": "filter", "httpTimeout": nanoseconds}
    policy = {"apiVersion": "v1", "kind": "Policy", "extenders": [extender]}
    found, _ = read(node("n1"), policy)
    assert found.config.extenders[0].http_timeout_seconds == pytest.approx(nanoseconds / 1e9)


def test_a_configuration_in_a_config_map_is_found_and_the_rest_of_the_map_is_not_kept() -> None:
    text = yaml.safe_dump(configuration("v1", percentageOfNodesToScore=40))
    data = {"config.yaml": text, "kubeconfig": "token: s3cr3t"}
    metadata = {"name": "scheduler-config", "namespace": "kube-system"}
    held = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}
    found, notes = read(node("n1"), held)
    assert found.config.percentage_of_nodes_to_score == 40
    assert "from ConfigMap kube-system/scheduler-config" in notes
    assert "s3cr3t" not in found.text


def test_an_extender_that_is_not_called_is_reported() -> None:
    extender = {"urlPrefix": "http://gpu", "filterVerb": "filter", "tlsConfig": {"keyData": "s3cr3t"}}
    found, notes = read(node("n1"), configuration("v1", extenders=[extender]))
    assert "Extender http://gpu is not called" in notes
    assert "s3cr3t" not in found.text


def test_a_deployment_whose_pods_are_there_makes_no_others_without_its_replica_set() -> None:
    owner = [{"kind": "ReplicaSet", "name": "web-abc12", "uid": "x", "controller": True}]
    labels = {"app": "web", "pod-template-hash": "abc12"}
    owned = dumped_pod("web-abc12-1", namespace="shop", ownerReferences=owner, labels=labels)
    found, notes = read(node("n1"), workload("Deployment", "web", replicas=3), owned)
    assert sum(isinstance(one, Pod) for one in found.objects) == 1
    assert "Workloads that already have their pods were not expanded: 1 Deployment." in notes


def test_a_job_that_is_done_makes_no_pods() -> None:
    job = {**workload("Job", "report"), "status": {"completionTime": "2025-01-01T00:00:00Z"}}
    ended = dumped_pod("other-1", ownerReferences=[{"kind": "Job", "name": "other", "uid": "x"}], namespace="shop")
    ended["status"]["phase"] = "Succeeded"
    found, _ = read(node("n1"), job, workload("Job", "other"), ended)
    assert not any(isinstance(one, Pod) for one in found.objects)


def test_a_class_that_is_not_in_the_dump_is_made_from_its_pods() -> None:
    pods = [pod(f"p{i}", priority=500, priority_class="gold") for i in range(2)]
    found, notes = read(node("n1"), *pods, pod("p3", priority_class="lost"))
    assert [one.priority for one in found.objects if isinstance(one, Pod)] == [500, 500, 0]
    assert "PriorityClass gold is not in the text. Its value, 500, was taken from its pods." in notes
    assert "PriorityClass lost is not in the text, and its pods (1) have no priority" in notes


def test_a_pod_keeps_its_priority_when_its_class_has_another_value_today() -> None:
    gold = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "gold"}, "value": 9}
    found, notes = read(node("n1"), gold, pod("a", priority=5, priority_class="gold"))
    assert found.objects[-1].priority == 5
    assert "differs from that of their PriorityClass: 1." in notes
    assert not found.warnings


def test_pods_that_a_workload_makes_get_the_defaults_of_a_limit_range() -> None:
    limits = [{"type": "Container", "default": {"memory": "1Gi"}, "defaultRequest": {"cpu": "250m", "memory": "512Mi"}}]
    metadata = {"name": "limits", "namespace": "shop"}
    limit_range = {"apiVersion": "v1", "kind": "LimitRange", "metadata": metadata, "spec": {"limits": limits}}
    found, notes = read(node("n1"), limit_range, workload("Deployment", "web", replicas=2))
    (first, _) = [one for one in found.objects if isinstance(one, Pod)]
    assert (first.requests["cpu"], first.requests["memory"]) == (1000, 512 * 2**20)
    assert "received defaults from a LimitRange: 2." in notes


def test_pods_that_a_workload_makes_get_what_their_runtime_class_asks_for() -> None:
    scheduling = {"nodeSelector": {"runtime": "gvisor"}, "tolerations": [{"key": "sandbox", "operator": "Exists"}]}
    runtime = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "gvisor"}, "handler": "g"}
    runtime |= {"overhead": {"podFixed": {"cpu": "500m"}}, "scheduling": scheduling}
    made = workload("Deployment", "web")
    made["spec"]["template"]["spec"]["runtimeClassName"] = "gvisor"
    found, notes = read(node("n1"), runtime, made)
    (one,) = [one for one in found.objects if isinstance(one, Pod)]
    assert one.requests["cpu"] == 1500
    assert one.node_selector == {"runtime": "gvisor"}
    assert "to which their RuntimeClass was applied: 1." in notes


def test_only_images_that_pods_use_stay_on_nodes() -> None:
    many = {f"registry/other-{i}:1": 10**8 for i in range(50)}
    found = import_source(
        scenario(node("n1", images={**many, "nginx:latest": 10**8}), pod("a", image="nginx")), Conversion(Limits())
    )
    status = of_kind(list(yaml.safe_load_all(found.text)), "Node")[0]["status"]
    assert status["images"] == [{"names": ["nginx:latest"], "sizeBytes": 10**8}]


def test_an_export_that_is_saved_as_it_is_becomes_a_private_scenario(author: Browser) -> None:
    profile = {"schedulerName": "mine", "plugins": {"filter": {"enabled": [{"name": "EBSLimits"}]}}}
    bare = {name: value for name, value in pod("a").items() if name not in ("apiVersion", "kind")}
    exported = {"pods": [bare], "nodes": [], "schedulerConfig": {"profiles": [profile]}}
    for text in (json.dumps(exported, indent=1), yaml.safe_dump(exported)):
        saved = author.save(text)
        kept = Version.objects.get(scenario__public_id=saved["id"])
        assert [one["kind"] for one in yaml.safe_load_all(kept.text)][:2] == ["KubeSchedulerConfiguration", "Pod"]
        assert "EBSLimits" not in kept.text
        assert kept.scenario.visibility == "private"


def test_a_part_of_an_export_is_told_what_it_is(author: Browser) -> None:
    text = "nodes: []\npods:\n- metadata: {name: a}\n"
    (error,) = author.post_json("/api/v1/check", text=text).json()["errors"]
    assert error["message"].startswith("this is an export of kube-scheduler-simulator, not a scenario")
    assert error["line"] == 1
