"""Parse a single Pod document: the resulting pod, or its problems."""

from __future__ import annotations

from typing import Any

import pytest

from scheduler_core.apis.core import Pod
from scheduler_core.scenario.parse import ScenarioErrors, parse_scenario
from tests.builders import Manifest, parse, pod, scenario


def parsed(manifest: Manifest, *others: Manifest) -> Pod:
    name = manifest["metadata"]["name"]
    return next(found for found in parse(*others, manifest).objects if isinstance(found, Pod) and found.name == name)


def with_containers(*containers: Manifest, init: list[Manifest] | None = None, **spec: Any) -> Pod:
    manifest = pod("a", **spec)
    manifest["spec"]["containers"] = list(containers)
    if init:
        manifest["spec"]["initContainers"] = init
    return parsed(manifest)


def container(name: str, cpu: str | None = None, memory: str | None = None, **fields: Any) -> Manifest:
    requests = {key: value for key, value in (("cpu", cpu), ("memory", memory)) if value}
    return {"name": name, "image": "x", "resources": {"requests": requests}, **fields}


def problems(manifest: Manifest, *others: Manifest) -> list[tuple[str, str]]:
    with pytest.raises(ScenarioErrors) as caught:
        parse_scenario(scenario(*others, manifest))
    return [(error.path, error.message) for error in caught.value.errors]
