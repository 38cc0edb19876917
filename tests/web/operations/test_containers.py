"""The Docker files are complete, contain no secrets, and run the same commands as `manage.py up`."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from kschedui.supervisor.commands import web_command, workers_command
from kschedui.supervisor.ports import wait_until
from kschedui.supervisor.stack import START_SECONDS, Stack
from tests.conftest import ROOT

PROBE = [sys.executable, "-I", "-S", str(ROOT / "kschedui/supervisor/probe.py")]


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]


def test_every_part_is_there_and_has_a_health_check(services: dict[str, Any]) -> None:
    assert set(services) == {"proxy", "web", "worker", "experiments", "redis", "postgres", "setup"}
    assert all("healthcheck" in service for name, service in services.items() if name != "setup")
    assert {service["image"] for name, service in services.items() if "build" in service} == {
        "kschedui:${KSCHEDUI_TAG:-local}"
    }


def test_postgres_is_ready_when_it_can_be_reached_from_elsewhere(services: dict[str, Any]) -> None:
    assert "--host=127.0.0.1" in services["postgres"]["healthcheck"]["test"]


def test_every_secret_comes_from_the_environment_or_the_start_fails(services: dict[str, Any]) -> None:
    values = [str(value) for service in services.values() for value in service.get("environment", {}).items()]
    secret = [value for value in values if re.search("SECRET|PASSWORD|://", value)]
    assert secret
    for value in secret:
        assert "${" in value, value
    for value in values:
        assert re.search(r"SECRET_KEY|PASSWORD", value) is None or ":?" in value, value


def test_only_the_proxy_is_published_and_only_on_loopback_by_default(services: dict[str, Any]) -> None:
    assert {name for name, service in services.items() if "ports" in service} == {"proxy"}
    assert services["proxy"]["ports"] == ["${KSCHEDUI_PUBLISH:-127.0.0.1:8000}:8000"]


def test_every_part_has_limits_and_every_image_a_version(services: dict[str, Any]) -> None:
    for name, service in services.items():
        if name != "setup":
            assert {"cpus", "memory"} <= service["deploy"]["resources"]["limits"].keys(), name
        assert re.search(r":(\d+\.\d+|\$\{KSCHEDUI_TAG)", service["image"]), name
    bases = re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    assert [re.sub(r":\d+\.\d+\.\d+-.*", "", base) for base in bases] == ["node", "python"]


def test_the_broker_asks_for_a_password_and_the_proxy_finds_every_web_server(services: dict[str, Any]) -> None:
    assert "--requirepass" in services["redis"]["command"][-1]
    assert ":${REDIS_PASSWORD:?" in services["web"]["environment"]["REDIS_URL"]
    caddy = (ROOT / "deploy" / "Caddyfile").read_text()
    assert re.search(r"dynamic a \{\s+name web\s+port 8000", caddy)
    assert "container_name" not in services["web"], "or it could not be scaled"


def test_settings_read_each_variable_that_the_file_sets(services: dict[str, Any]) -> None:
    code = "".join(path.read_text() for path in (ROOT / "kschedui").rglob("*.py"))
    read_by_others = {"FORWARDED_ALLOW_IPS"}  # uvicorn
    for name in services["web"]["environment"].keys() - read_by_others:
        assert f'"{name}"' in code, name


def test_containers_run_what_the_supervisor_runs(services: dict[str, Any]) -> None:
    dockerfile = (ROOT / "Dockerfile").read_text().replace("\\\n", "")
    assert json.loads(re.search(r"^CMD (.*)$", dockerfile, re.MULTILINE)[1]) == [
        "python", "-m", "kschedui.supervisor.web", "0.0.0.0", "8000"
    ]  # fmt: skip
    assert command_of(services["worker"])[1:] == workers_command(runs=2)[1:]
    assert command_of(services["experiments"])[1:] == workers_command(experiments=2)[1:]


def test_the_web_container_becomes_the_server_that_the_supervisor_starts() -> None:
    program = "import os, runpy, sys; os.execv = lambda path, command: print(*command)\n"
    program += "sys.argv[1:] = ['0.0.0.0', '8000']; runpy.run_module('kschedui.supervisor.web', run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.split() == web_command("0.0.0.0", 8000), done.stderr


def command_of(service: dict[str, Any]) -> list[str]:
    """Return the command of a service, with the defaults of its variables."""
    return [re.sub(r"\$\{\w+:-(\d+)\}", r"\1", word) for word in service["command"]]


def test_what_the_image_copies_exists() -> None:
    for source in re.findall(r"^COPY ([^-]\S+) ", (ROOT / "Dockerfile").read_text(), re.MULTILINE):
        assert (ROOT / source).exists(), source
        assert f"!{source}" in (ROOT / ".dockerignore").read_text().splitlines()


def test_the_health_checks_of_web_and_worker_tell_up_from_down(live_stack: Stack, tmp_path: Path) -> None:
    port = live_stack.url.rsplit(":", 1)[1]
    env = {**os.environ, "ALLOWED_HOSTS": "localhost,other"}
    assert wait_until(lambda: subprocess.run([*PROBE, "web", port], env=env).returncode == 0, START_SECONDS)
    assert subprocess.run([*PROBE, "web", "1"], env=env).returncode == 1
    assert subprocess.run([*PROBE, "worker", str(live_stack.worker_alive)]).returncode == 0
    assert subprocess.run([*PROBE, "worker", str(tmp_path / "absent")]).returncode == 1
    stale = tmp_path / "stale"
    stale.touch()
    os.utime(stale, (time.time() - 120, time.time() - 120))
    assert subprocess.run([*PROBE, "worker", str(stale)]).returncode == 1


MANIFESTS = list(yaml.safe_load_all((ROOT / "deploy" / "kubernetes.yaml").read_text()))


@pytest.mark.parametrize("release", ["1.29", "1.34", "1.36"])
@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda one: f"{one['kind']} {one['metadata']['name']}")
def test_the_manifests_are_what_kubernetes_accepts(manifest: dict[str, Any], release: str) -> None:
    kubernetes_validate.validate(manifest, release, strict=True)


def test_the_manifests_run_what_compose_runs_within_limits(services: dict[str, Any]) -> None:
    templates = ((one["metadata"]["name"], one.get("spec", {}).get("template")) for one in MANIFESTS)
    pods = {name: template["spec"] for name, template in templates if template}
    assert set(pods) == {"kschedui-setup", "kschedui-web", "kschedui-worker", "kschedui-experiments"}
    for pod in pods.values():
        (container,) = pod["containers"]
        assert container["resources"]["limits"]["memory"]
        assert container["securityContext"]["readOnlyRootFilesystem"]
        assert pod["securityContext"]["runAsNonRoot"]
    assert pods["kschedui-setup"]["containers"][0]["command"] == services["setup"]["command"]
    for name in ("worker", "experiments"):
        assert pods[f"kschedui-{name}"]["containers"][0]["command"] == command_of(services[name])
