"""Every limit is documented and can be set in each deployment; the list of limits comes from the code."""

import re
from collections.abc import Callable

import pytest
import yaml

from kschedui import settings
from tests.conftest import ROOT

KIND = re.compile(r"KSCHEDUI_(?:MAX|MIN|RATE)_\w+|KSCHEDUI_\w+_(?:SECONDS|BYTES|PROCESSES|PLACES|CONNECTIONS)")
READ = re.compile(r"""\b(?:environ\.get|flag|number|words)\(\s*"([A-Z_]+)\"""")
NO_LIMIT = {"KSCHEDUI_HSTS_SECONDS"}


def limits() -> set[str]:
    """Return the limits in the settings of the code."""
    code = "".join(path.read_text() for path in (ROOT / "kschedui").rglob("*.py"))
    return {name for name in READ.findall(code) if KIND.fullmatch(name)} - NO_LIMIT


def test_the_list_is_the_codes() -> None:
    assert len(limits()) >= len(settings.LIMITS) + len(settings.RATE_LIMITS)
    assert {"KSCHEDUI_MAX_UPLOAD_SECONDS", "KSCHEDUI_RATE_LOGIN", "KSCHEDUI_WORK_PROCESSES"} <= limits()


def manifests() -> set[str]:
    """Return the settings that the ConfigMap gives to all containers."""
    documents = yaml.safe_load_all((ROOT / "deploy" / "kubernetes.yaml").read_text())
    return set(next(found for found in documents if found["kind"] == "ConfigMap")["data"])


def test_the_proxy_lets_through_what_the_application_takes() -> None:
    most = code_defaults()["KSCHEDUI_MAX_IMPORT_BYTES"]
    proxy = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["proxy"]["environment"]
    assert proxy["KSCHEDUI_MAX_IMPORT_BYTES"] == f"${{KSCHEDUI_MAX_IMPORT_BYTES:-{most}}}"
    caddy = (ROOT / "deploy" / "Caddyfile").read_text()
    assert re.findall(r"max_size (.*)", caddy) == [f"{{$KSCHEDUI_MAX_IMPORT_BYTES:{most}}}"]


def documented() -> set[str]:
    """Return the names in the documentation's tables of limits."""
    return set(re.findall(r"`(KSCHEDUI_\w+)`", (ROOT / "docs" / "operations.md").read_text()))


@pytest.mark.parametrize("place", [documented, manifests])
def test_every_limit_is_in(place: Callable[[], set[str]]) -> None:
    assert not sorted(limits() - place())


@pytest.mark.parametrize("service", ["setup", "web", "worker", "experiments"])
def test_a_container_of_ours_reads_every_setting_from_the_file_beside_the_compose_file(service: str) -> None:
    found = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"][service]
    assert found["env_file"] == [{"path": ".env", "required": False}]
    assert not limits() & found["environment"].keys(), "a value there would hide that of the file"


def test_the_documents_tell_the_default_of_each_limit() -> None:
    rows = (ROOT / "docs" / "operations.md").read_text()
    defaults = dict(re.findall(r"^\| `(KSCHEDUI_\w+)` \| ([^|]+) \|", rows, re.MULTILINE))
    for name, default in code_defaults().items():
        assert defaults.get(name) == written(default, name), (name, defaults.get(name), default)


def code_defaults() -> dict[str, int]:
    """Return the defaults of LIMITS and RATE_LIMITS, as numbers."""
    code = (ROOT / "kschedui" / "settings.py").read_text()
    found = re.findall(r'"\w+": number\("(KSCHEDUI_(?:MAX|MIN|RATE)_\w+)", ([\d_ *]+)\)', code)
    assert len(found) == len(settings.LIMITS) + len(settings.RATE_LIMITS)
    return {name: eval(value) for name, value in found}  # digits and signs


def written(value: int, name: str) -> str:
    """Return the value as the documentation writes it: 20,000; 512 KB; 256 MB; 4 h."""
    if name.endswith("_BYTES") and value and value % 1024 == 0:
        size, unit = next((1024**n, unit) for n, unit in ((3, "GB"), (2, "MB"), (1, "KB")) if value % 1024**n == 0)
        return f"{value // size:,} {unit}"
    if name.endswith("_SECONDS"):
        return f"{value // 3600:,} h" if value % 3600 == 0 else f"{value:,} s"
    return f"{value:,}"
