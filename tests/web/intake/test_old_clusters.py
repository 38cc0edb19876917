"""A dump of a 1.15 cluster, with API versions and labels of that release, reaches its first step in every way of
importing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
import yaml

from kschedui.cli import main
from kschedui.models import Version
from kschedui.scenarios.anonymise import rename
from kschedui.scenarios.importers.reading.pruning import type_of_kind
from kschedui.scenarios.importers.reading.reading_table import reading_table
from kschedui.scenarios.intake import import_source
from scheduler_core import ScenarioErrors, decisions, parse_scenario, simulate
from scheduler_core.scenario.objects.kinds import KINDS, OF_VERSION
from tests.builders import node, pod, scenario
from tests.dumps import as_json, as_yaml, listed
from tests.web.conftest import Browser

Manifest = dict[str, Any]
BETA = "failure-domain.beta.kubernetes.io"
POLICY = {
    "kind": "Policy",
    "apiVersion": "v1",
    "predicates": [
        {"name": "GeneralPredicates"},
        {"name": "CheckNodeLabelPresence", "argument": {"labelsPresence": {"labels": ["retiring"], "presence": False}}},
    ],
    "priorities": [{"name": "LeastRequestedPriority", "weight": 1}, {"name": "SelectorSpreadPriority", "weight": 2}],
}


def printed(version: str, kind: str, name: str, namespace: str = "", **fields: Any) -> Manifest:
    """Return an object as kubectl 1.15 prints it."""
    prefix = f"/apis/{version}" if "/" in version else f"/api/{version}"
    metadata: Manifest = {
        "creationTimestamp": "2019-09-01T10:00:00Z",
        "name": name,
        "resourceVersion": "1017",
        "selfLink": f"{prefix}/{kind.lower()}s/{name}",
        "uid": f"8d2a3c4e-0000-4000-8000-{crc32(f'{kind} {name}'.encode()):012}",
    }
    return {
        "apiVersion": version,
        "kind": kind,
        "metadata": {**metadata, **({"namespace": namespace} if namespace else {}), **fields.pop("metadata", {})},
        **fields,
    }


def worker(name: str, zone: str, **labels: str) -> Manifest:
    of_cloud = {
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/instance-type": "m5.large",
        "beta.kubernetes.io/os": "linux",
        f"{BETA}/region": "eu-west-1",
        f"{BETA}/zone": zone,
        "kubernetes.io/hostname": name,
    }
    amounts = {"cpu": "2", "memory": "7936Mi", "pods": "29", "ephemeral-storage": "95551679124"}
    status = {
        "capacity": amounts,
        "allocatable": amounts,
        "nodeInfo": {"kubeletVersion": "v1.15.3", "osImage": "Linux"},
    }
    return printed("v1", "Node", name, metadata={"labels": {**of_cloud, **labels}}, spec={}, status=status)


def running(name: str, where: str, owner: str, cpu: str = "500m") -> Manifest:
    made = pod(name, cpu=cpu, memory="512Mi", labels={"app": "web"}, priority=100000, priority_class="web")
    owners = [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": owner, "uid": "u", "controller": True}]
    spec = {**made["spec"], **({"nodeName": where} if where else {}), "schedulerName": "default-scheduler"}
    status = {"phase": "Running" if where else "Pending", "qosClass": "Burstable"}
    labels = {"labels": {"app": "web"}, "ownerReferences": owners}
    return printed("v1", "Pod", name, "shop", metadata=labels, spec=spec, status=status)


def cluster() -> list[Manifest]:
    selector = {"matchLabels": {"app": "web"}}
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "main", "image": "nginx"}]}}
    workload = {"replicas": 3, "selector": selector, "template": template}
    return [
        worker("ip-10-0-1-10", "eu-west-1a"),
        worker("ip-10-0-2-20", "eu-west-1b"),
        worker("ip-10-0-3-30", "eu-west-1c", retiring="2019-10-01"),
        printed("v1", "Namespace", "shop", spec={"finalizers": ["kubernetes"]}, status={"phase": "Active"}),
        printed(
            "scheduling.k8s.io/v1beta1", "PriorityClass", "web", value=100000, globalDefault=False, description="x"
        ),
        printed("scheduling.k8s.io/v1beta1", "PriorityClass", "system-node-critical", value=2000001000),
        printed("storage.k8s.io/v1beta1", "StorageClass", "gp2", provisioner="kubernetes.io/aws-ebs"),
        printed("storage.k8s.io/v1beta1", "CSINode", "ip-10-0-1-10", spec={"drivers": []}),
        printed("policy/v1beta1", "PodDisruptionBudget", "web", "shop", spec={"minAvailable": 1, "selector": selector}),
        printed("policy/v1beta1", "PodDisruptionBudget", "none", "shop", spec={"minAvailable": 1, "selector": {}}),
        printed("policy/v1beta1", "PodSecurityPolicy", "restricted", spec={"privileged": False}),
        printed("v1", "Service", "web", "shop", spec={"selector": {"app": "web"}, "clusterIP": "10.100.0.7"}),
        printed("extensions/v1beta1", "Deployment", "web", "shop", spec=workload),
        printed("extensions/v1beta1", "ReplicaSet", "web-7d4b9", "shop", spec=workload),
        running("web-7d4b9-a", "ip-10-0-1-10", "web-7d4b9"),
        running("web-7d4b9-b", "ip-10-0-3-30", "web-7d4b9"),
        running("web-7d4b9-c", "", "web-7d4b9"),
    ]


def with_policy() -> list[Manifest]:
    data = {"policy.cfg": json.dumps(POLICY, indent=2)}
    return [*cluster(), printed("v1", "ConfigMap", "scheduler-policy", "kube-system", data=data)]


FORMS = {"YAML": as_yaml, "JSON": as_json}


def check_first_step(text: str, *, has_policy: bool) -> None:
    found = parse_scenario(text)
    assert found.release.version == "1.15"
    assert not found.warnings
    first = next(iter(decisions(simulate(found))))
    assert (first["pod"], first["node"]) == ("shop/web-7d4b9-c", "ip-10-0-2-20")
    assert ("CheckNodeLabelPresence" in str(first["filter"])) is has_policy
    assert len(first["scores"]) == (2 if has_policy else 8)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("has_policy", [False, True])
def test_an_import_reaches_its_first_step(has_policy: bool, form: str) -> None:
    made = import_source(FORMS[form](listed(with_policy() if has_policy else cluster())))
    check_first_step(made.text, has_policy=has_policy)
    notes = " ".join(map(str, made.notes))
    assert "Kubernetes 1.15 on 3 of 3 nodes; kube-scheduler 1.15 decides." in notes
    assert ("from ConfigMap kube-system/scheduler-policy" in notes) is has_policy
    assert "Converted kind: Policy" not in notes
    objects = list(yaml.safe_load_all(made.text))
    budgets = {one["metadata"]["name"]: one["spec"]["selector"] for one in objects if one["kind"].endswith("Budget")}
    assert budgets["web"] == {"matchLabels": {"app": "web"}}
    assert budgets["none"]["matchExpressions"][0]["operator"] == "Exists"


def test_the_command_line_reads_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "cluster.yaml"
    path.write_text(as_yaml(listed(with_policy())))
    assert main.main(["import", str(path)]) == 0
    check_first_step(capsys.readouterr().out, has_policy=True)
    assert main.main(["simulate", str(path), "--columns"]) == 0
    first = json.loads(capsys.readouterr().out.splitlines()[0])
    assert (first["node"], list(first["scores"])) == (
        "ip-10-0-2-20",
        ["SelectorSpreadPriority", "LeastRequestedPriority"],
    )
    assert main.main(["simulate", str(path), "--columns", "--kubernetes-version", "1.36"]) == 0
    said = capsys.readouterr()
    assert "Converted kind: Policy" in said.err


def test_the_page_keeps_it_as_a_scenario_of_1_15(author: Browser) -> None:
    saved = author.save(as_yaml(listed(with_policy())))
    check_first_step(Version.objects.get(scenario__public_id=saved["id"]).text, has_policy=True)


def test_a_policy_that_is_wrong_is_one_sentence_with_its_line(author: Browser, tmp_path: Path, capsys: Any) -> None:
    wrong = {**POLICY, "priorities": [{"name": "LeastRequested", "weight": 1}]}
    text = scenario(node("n1"), pod("p"), wrong, kubernetesVersion="1.15")
    line = next(number for number, one in enumerate(text.splitlines(), 1) if "LeastRequested" in one)
    (error,) = author.post_json("/api/v1/check", text=text).json()["errors"]
    assert error["message"].startswith('no priority "LeastRequested" is known')
    assert error["line"] == line
    path = tmp_path / "wrong.yaml"
    path.write_text(text)
    assert main.main(["simulate", str(path)]) != 0
    assert f"line {line}, priorities[0].name: no priority" in capsys.readouterr().err
    newer = scenario(node("n1"), pod("p"), POLICY, kubernetesVersion="1.25")
    (error,) = author.post_json("/api/v1/check", text=newer).json()["errors"]
    assert error["message"] == "Kubernetes 1.25 reads no Policy; expected KubeSchedulerConfiguration"


def test_the_tables_of_readers_and_parser_agree_on_versions() -> None:
    kinds = reading_table()["kinds"]
    for kind, known in kinds.items():
        for version in known["versions"]:
            assert type_of_kind(version, kind) == known["type"]
        group = known["version"].rpartition("/")[0]
        assert not type_of_kind(f"{group}/v9".removeprefix("/"), kind)
    for version, kind in OF_VERSION:
        own = KINDS[kind].group == version.rpartition("/")[0] or version.startswith("extensions/")
        assert (version in kinds[kind]["versions"]) is own  # scheduler-plugins has another kind named PodGroup


def test_another_version_is_skipped_and_a_note_says_which_are_read() -> None:
    budget = printed("policy/v9", "PodDisruptionBudget", "web", "shop", spec={})
    made = import_source(as_yaml(listed([worker("n1", "a"), budget])))
    expected = "PodDisruptionBudget of policy/v9 is not read (1); expected apiVersion policy/v1 or policy/v1beta1."
    assert expected in map(str, made.notes)
    with pytest.raises(ScenarioErrors, match="expected apiVersion policy/v1 or policy/v1beta1"):
        parse_scenario(yaml.safe_dump(budget))


def test_the_labels_of_a_policy_get_the_names_of_those_of_the_nodes() -> None:
    labelled = node("n1", labels={"acme.com/rack": "a"})
    argument = {"labelsPresence": {"labels": ["acme.com/rack", "acme.com/row"], "presence": True}}
    prefers = {"name": "Racks", "weight": 1, "argument": {"labelPreference": {"label": "acme.com/rack"}}}
    policy = {
        **POLICY,
        "predicates": [{"name": "CheckNodeLabelPresence", "argument": argument}],
        "priorities": [prefers],
    }
    (renamed_node, renamed), _, keys = rename([labelled, policy])
    rack, row = (keys[f"acme.com/{name}"] for name in ("rack", "row"))
    assert rack in renamed_node["metadata"]["labels"]
    assert renamed["predicates"][0]["argument"]["labelsPresence"]["labels"] == [rack, row]
    assert renamed["priorities"][0]["argument"]["labelPreference"]["label"] == rack
