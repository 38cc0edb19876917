"""Answers of the command line about pending pods, whichever file they are in, and the release that decided."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kschedui.cli import main as command_line
from kschedui.cli.main import main
from tests.builders import node, pod, scenario
from tests.conftest import ROOT
from tests.dumps import as_yaml

GUIDE = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
FULL = "0/1 nodes are available: 1 Insufficient cpu."


@pytest.fixture
def waiting(tmp_path: Path) -> str:
    """Return the path of a scenario with a pod that is too large, one with a gate, and one of another scheduler."""
    path = tmp_path / "waiting.yaml"
    others = [pod("gated", cpu=1, gates=["example.com/quota"]), pod("volcanic", cpu=1, schedulerName="volcano")]
    path.write_text(scenario(node("n1", cpu=2), pod("large", cpu=3), *others, kubernetesVersion="1.33"))
    return str(path)


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """Run a command, and return the JSON on standard output."""
    main([*arguments, "--format", "json"])
    return json.loads(capsys.readouterr().out)


def write(path: Path, *objects: dict[str, Any]) -> str:
    """Write a file with these objects and no Scenario document, and return its path."""
    path.write_text("---\n".join(as_yaml(item) for item in objects))
    return str(path)


def controller(kind: str, replicas: int, **spec: Any) -> dict[str, Any]:
    """Return a workload of this kind with pods of 1 cpu."""
    template = {"metadata": {"labels": {"app": "web"}}, "spec": pod("x", cpu=1, **spec)["spec"]}
    selector = {"matchLabels": {"app": "web"}}
    whole = {"replicas": replicas, "selector": selector, "template": template}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "web", "namespace": "default"}, "spec": whole}


def test_every_answer_names_the_release_that_decided(waiting: str, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["simulate"], ["explain", "large"], ["capacity", "large"], ["pending"], ["fix", "large"]):
        assert answer(capsys, *command, waiting)["kubernetesVersion"] == "1.33"
        main([*command, waiting, "--format", "table"])
        assert "kube-scheduler 1.33" in capsys.readouterr().out
    assert answer(capsys, "diff", waiting, waiting)["kubernetesVersions"] == ["1.33", "1.33"]
    assert answer(capsys, "check", waiting)[0]["kubernetesVersion"] == "1.33"
    assert answer(capsys, "simulate", "--summary", waiting)["kubernetesVersion"] == "1.33"


def test_a_pod_that_is_never_tried_has_a_row_with_the_reason(waiting: str, capsys: pytest.CaptureFixture[str]) -> None:
    rows = {row["pod"]: row for row in answer(capsys, "simulate", waiting)["attempts"] if "final" not in row}
    assert rows["default/gated"]["outcome"] == rows["default/volcanic"]["outcome"] == "NotTried"
    assert "example.com/quota" in rows["default/gated"]["message"]
    assert rows["default/volcanic"]["message"] == "no profile of the configuration is named volcano"
    assert "" not in answer(capsys, "simulate", "--summary", waiting)["messages"]
    assert "example.com/quota" in answer(capsys, "explain", "gated", waiting)["message"]
    assert "volcano" in answer(capsys, "explain", "volcanic", waiting)["message"]


def test_pending_lists_every_waiting_pod_by_cause(waiting: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "pending", waiting)
    causes = {group["cause"]: [one["pod"] for one in group["pods"]] for group in found["causes"]}
    assert found["waiting"] == 3
    assert causes["For another scheduler: volcano"] == ["default/volcanic"]
    assert ["default/large"] in causes.values()


def test_decode_names_the_plugin_of_each_part(capsys: pytest.CaptureFixture[str]) -> None:
    (message,) = answer(
        capsys,
        "decode",
        f"{FULL} preemption: {FULL.replace('Insufficient cpu', 'No preemption victims found for incoming pod')}",
    )["messages"]
    assert message["nodes"] == 1
    assert [(one["count"], one["plugin"]) for one in message["parts"]] == [(1, "NodeResourcesFit")]
    assert message["preemption"][0]["reason"] == "No preemption victims found for incoming pod"
    assert main(["decode", "hello"]) == 2
    assert "no FailedScheduling message" in capsys.readouterr().err


def test_the_edits_of_fix_make_what_if_bind_the_pod(
    waiting: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change = answer(capsys, "fix", "large", waiting)["changes"][0]
    edits = tmp_path / "edits.json"
    edits.write_text(json.dumps(change["edits"]))
    found = answer(capsys, "what-if", "large", waiting, "--edits", str(edits))
    assert found["before"]["node"] == ""
    assert found["after"]["node"] == change["node"]


def test_what_if_takes_changes_from_the_command_line(waiting: str, capsys: pytest.CaptureFixture[str]) -> None:
    room = "node/n1:status.allocatable.cpu=8"
    assert answer(capsys, "what-if", "large", waiting, "--set", room)["after"]["node"] == "n1"
    assert main(["what-if", "large", waiting]) == 2
    assert main(["what-if", "large", waiting, "--set", "nonsense"]) == 2
    for options in (["--set", f"pod/large:spec.containers.{'9' * 5000}.x=1"], ["--add-nodes", f"n1={'9' * 5000}"]):
        assert main(["what-if", "large", waiting, *options]) == 2, "no traceback"
    assert main(["what-if", "gated", waiting, "--remove", "node/n1"]) == 2
    assert "is not tried in this run" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["StatefulSet", "ReplicaSet", "Deployment"])
def test_every_command_reads_a_file_as_import_does(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "workload.yaml", node("n1", cpu=8), controller(kind, 2))
    attempts = answer(capsys, "simulate", path)["attempts"]
    assert sum(row.get("outcome") == "Scheduled" for row in attempts) == 2
    assert main(["import", path, "-o", str(tmp_path / "imported.yaml")]) == 0
    capsys.readouterr()
    assert answer(capsys, "simulate", str(tmp_path / "imported.yaml"))["attempts"] == attempts


def test_an_unknown_class_is_read_as_import_reads_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "pod.yaml", node("n1"), pod("a", cpu=1, priority_class="absent"))
    assert main(["import", path, "--quiet"]) == 0
    capsys.readouterr()
    assert main(["simulate", path]) == 0
    assert "absent" in capsys.readouterr().err


def test_limits_and_classes_apply_to_bare_pods_and_workloads_alike(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    limits = [{"type": "Container", "defaultRequest": {"cpu": "3"}}]
    ranges = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "r"}, "spec": {"limits": limits}}
    runtime = {
        "apiVersion": "node.k8s.io/v1",
        "kind": "RuntimeClass",
        "metadata": {"name": "kata"},
        "handler": "kata",
        "overhead": {"podFixed": {"cpu": "1"}},
    }
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": {"pods": "1"}}}
    bare = [pod("a", runtimeClassName="kata"), pod("b", runtimeClassName="kata")]
    path = write(tmp_path / "pods.yaml", node("n1", cpu=7), ranges, runtime, quota, *bare)
    assert main(["simulate", path, "--summary", "--format", "json"]) == 0
    written = capsys.readouterr()
    assert json.loads(written.out)["bound"] == 1
    assert "ResourceQuotas are not enforced" in written.err


def test_files_of_other_tools_get_a_hint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "pod.yaml").write_text("kind: Pod\nmetadata:\n  name: {{ .Values.name }}\n")
    (tmp_path / "kustomization.yaml").write_text("kind: Kustomization\nresources: [pod.yaml]\n")
    for command in ("simulate", "import"):
        assert main([command, str(tmp_path / "pod.yaml")]) == 2
        assert "helm template" in capsys.readouterr().err
        assert main([command, str(tmp_path / "kustomization.yaml")]) == 2
        assert "kubectl kustomize" in capsys.readouterr().err


@pytest.mark.parametrize("program", [["-m", "kschedui"], ["manage.py"]], ids=["kschedui", "manage.py"])
def test_a_closed_pipe_is_no_error(program: list[str], tmp_path: Path) -> None:
    path = write(tmp_path / "many.yaml", node("n1", cpu=1), *(pod(f"p{number}", cpu=1) for number in range(2000)))
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(
        [sys.executable, *program, "simulate", path], cwd=ROOT, stdout=writing, stderr=subprocess.PIPE, text=True
    )
    os.close(writing)
    assert "Traceback" not in ended.stderr
    assert "BrokenPipe" not in ended.stderr
    assert ended.returncode == 0


def test_a_command_imports_only_what_it_uses(tmp_path: Path) -> None:
    path = write(tmp_path / "small.yaml", node("n1"), pod("a", cpu=1))
    ask = (
        "import sys; from kschedui.cli.main import main; main(sys.argv[1:]); "
        "web = {'django', 'kubernetes', 'urllib3', 'pydantic', 'antlr4', 're2'}; "
        "print(sorted({name.split('.')[0] for name in sys.modules} & web))"
    )
    for command in (["simulate", path], ["explain", "a", path], ["decode", FULL], ["pending", path]):
        ended = subprocess.run([sys.executable, "-c", ask, *command], cwd=ROOT, capture_output=True, text=True)
        assert ended.stdout.splitlines()[-1] == "[]", (command, ended.stdout[-300:], ended.stderr[-500:])


def test_a_small_run_imports_the_engine_and_little_else(tmp_path: Path) -> None:
    path = write(tmp_path / "small.yaml", node("n1"), pod("a", cpu=1))
    ask = "import sys; from kschedui.cli.main import main; main(sys.argv[1:]); print(*sys.modules)"
    ended = subprocess.run([sys.executable, "-c", ask, "simulate", path], cwd=ROOT, capture_output=True, text=True)
    modules = set(ended.stdout.splitlines()[-1].split())
    own = {name.removeprefix("kschedui.") for name in modules if name.startswith("kschedui.")}
    assert {name for name in own if not name.startswith("cli")} == {
        "abouts",
        "scenarios",
        "scenarios.file_text",
        "scenarios.imported",
        "scenarios.intake",
        "scenarios.kinds_of_text",
        "scenarios.outside_plugins",
        "work",
        "work.progress",
        "work.rare_collection",
    }
    assert {name for name in own if name.startswith("cli.")} == {
        f"cli.{name}" for name in ("closed_pipe", "inputs", "main", "numbers", "progress", "simulate", "unusable")
    }
    assert "scheduler_core.simulation" in modules
    for part in ("ask", "cel", "experiments", "scenario.rules"):
        assert f"scheduler_core.{part}" not in modules


def test_a_shell_completes_commands_and_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    ask = (
        f"{script}\nCOMP_WORDS=(kschedui simulate --format ta); COMP_CWORD=3; _kschedui; echo ${{COMPREPLY[0]}}\n"
        "COMP_WORDS=(kschedui what); COMP_CWORD=1; _kschedui; echo ${COMPREPLY[0]}\n"
    )
    ended = subprocess.run(["bash", "-c", ask], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["table", "what-if"]
    assert main(["completion", "fish"]) == 0
    assert all(f"-a {name} " in capsys.readouterr().out for name in ["what-if"])


def test_every_command_stands_in_the_guide() -> None:
    for name in command_line.COMMANDS:
        assert f"`kschedui {name}" in GUIDE, name


@pytest.mark.parametrize(
    "command", ["simulate", "explain", "pending", "fix", "what-if", "decode", "capacity", "diff", "check"]
)
def test_the_guide_has_every_field_of_the_json(command: str, waiting: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = {
        "explain": ["large", waiting],
        "fix": ["large", waiting],
        "capacity": ["large", waiting],
        "what-if": ["large", waiting, "--remove", "node/n1"],
        "decode": [FULL],
        "diff": [waiting, waiting],
    }.get(command, [waiting])
    found = answer(capsys, command, *arguments)
    row = next(line for line in GUIDE.splitlines() if line.startswith(f"| {command} | `"))
    names = found[0] if isinstance(found, list) else found
    assert [name for name in names if f"`{name}`" not in row] == []


def test_a_pod_that_a_controller_makes_is_explained_with_its_maker(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    containers = [{"name": "c", "image": "v1", "resources": {"requests": {"cpu": "1"}}}]
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": containers}}
    spec = {"replicas": 3, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    web = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}
    path = tmp_path / "live.yaml"
    events = [{"at": 5, "delete": {"kind": "Pod", "name": "web@1/0"}}]
    path.write_text(scenario(node("n1", cpu=2), web, events=events))
    assert main(["explain", "web@1/0", str(path), "--quiet"]) == 0
    output = capsys.readouterr().out
    assert "made: At 0 s replicaset-controller made it: ReplicaSet web@1 has 0 of 3 pods." in output
    assert "deleted: At 5 s kubectl deleted it" in output
    assert "rollout: Deployment default/web: default/web-" in output
    assert main(["explain", "deploy/web", str(path), "--format", "json", "--quiet"]) == 0
    answers = json.loads(capsys.readouterr().out)
    assert [answer["state"] for answer in answers].count("waiting") == 1
    assert main(["pending", str(path), "--format", "json", "--quiet"]) == 0
    assert any("has no node" in line for line in json.loads(capsys.readouterr().out)["standing"])
