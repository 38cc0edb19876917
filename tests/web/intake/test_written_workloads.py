"""Workloads in a hand-written text get their pods in every use: saved, checked, previewed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from kschedui.cli.main import main
from kschedui.models import Version
from kschedui.scenarios.importers.origins import parse_path
from scheduler_core import parse_scenario
from scheduler_core.apis.core import Pod
from scheduler_core.scenario.reading.problems import render_path
from tests.builders import node, pod, scenario
from tests.dumps import as_json, as_yaml

pytestmark = pytest.mark.django_db

API = "/api/v1"


def workload(kind: str) -> dict[str, Any]:
    """Return a workload of this kind with three small pods."""
    template = {"metadata": {"labels": {"app": "web"}}, "spec": pod("x", cpu=1)["spec"]}
    spec: dict[str, Any] = {"selector": {"matchLabels": {"app": "web"}}, "template": template}
    match kind:
        case "Job":
            spec = {"completions": 3, "parallelism": 3, "template": template}
        case "Deployment" | "StatefulSet" | "ReplicaSet":
            spec["replicas"] = 3
    version = "batch/v1" if kind == "Job" else "apps/v1"
    return {"apiVersion": version, "kind": kind, "metadata": {"name": "web"}, "spec": spec}


def post(client: Client, path: str, **body: Any) -> Any:
    response = client.post(f"{API}{path}", json.dumps(body), content_type="application/json")
    assert response.status_code < 300, response.content
    return response.json()


@pytest.mark.parametrize("style", [json.dumps, as_json, as_yaml], ids=["line", "json", "yaml"])
@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "ReplicaSet", "Job", "DaemonSet"])
def test_a_written_workload_has_its_pods(
    kind: str, style: Callable[[Any], str], client: Client, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text = "\n---\n".join(map(style, [*(node(f"n{number}") for number in range(3)), workload(kind)]))
    path = tmp_path / "text.yaml"
    path.write_text(text)
    assert main(["simulate", str(path), "--summary", "--quiet"]) == 0
    assert json.loads(capsys.readouterr().out)["bound"] == 3
    checked = post(client, "/check", text=text)
    assert len(checked["summary"]["pods"]) == 3
    assert not checked["errors"]
    assert [one["message"] for one in checked["warnings"]] == [f"Expanded {kind} web to 3 pods."]
    saved = post(client, "/scenarios", text=text, visibility="public")
    version = Version.objects.get(scenario__public_id=saved["id"])
    assert version.scenario.visibility == "public"  # only an imported dump is private
    assert sum(isinstance(one, Pod) for one in parse_scenario(version.text).objects) == 3


def test_a_scenario_with_a_deployment_keeps_its_title(client: Client) -> None:
    saved = post(client, "/scenarios", text=scenario(node("n1"), workload("Deployment"), title="Three"))
    assert Version.objects.get(scenario__public_id=saved["id"]).scenario.title == "Three"


def test_an_error_names_the_line_that_was_written(client: Client) -> None:
    text = scenario(node("n1"), workload("Deployment"), pod("bad", cpu="many"))
    [error] = post(client, "/check", text=text)["errors"]
    assert (error["document"], error["line"]) == (3, 5)


def test_fields_that_a_template_lacks_are_named(client: Client) -> None:
    incomplete = workload("Deployment")
    incomplete["spec"]["template"]["spec"]["containers"] = [{"resources": {"requests": {"cpu": "1"}}}]
    errors = post(client, "/check", text=scenario(node("n1"), incomplete))["errors"]
    assert [(error["path"], error["message"]) for error in errors] == [
        ("spec.template.spec.containers[0].name", "Required value"),
        ("spec.template.spec.containers[0].image", "Required value"),
    ]


@pytest.mark.parametrize(
    "path",
    [
        "spec",
        "spec.containers[0].image",
        "spec.containers[2].image",
        "spec.containers[0].resources.requests[example.com/gpu]",
        "metadata.labels[app.kubernetes.io/name]",
        "spec.tolerations[1].key",
    ],
)
def test_the_path_of_a_field_is_the_same_whether_it_exists_or_not(path: str) -> None:
    data = pod("a", cpu=1)
    assert render_path(parse_path(data, path)) == path
    assert render_path(parse_path({}, path)) == path
