"""Patch releases: a backported fix applies from its patch on, in every format of a text."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from kschedui.scenarios.imported import Conversion
from kschedui.scenarios.intake import read_scenario
from scheduler_core import parse_scenario
from scheduler_core.releases import RELEASES, release_named, release_of_kubelets
from scheduler_core.releases.patches import FIXES
from tests.builders import node, pod, scenario
from tests.dumps import as_yaml, listed


@pytest.mark.parametrize("fix", FIXES, ids=[str(fix.pull) for fix in FIXES])
def test_a_fix_holds_from_its_patch_on(fix: Any) -> None:
    """If two fixes changed the same rule, each applies until the next one."""
    for minor, since in fix.since.items():
        same = [one for one in FIXES if (one.rule, one.gate) == (fix.rule, fix.gate) and minor in one.since]
        for patch in range(since + 3):
            release = release_named(f"{minor}.{patch}")
            assert release is not None
            value = getattr(release.rules, fix.rule) if fix.rule else release.gates[fix.gate].default
            came = [one.fixed for one in same if one.since[minor] <= patch]
            assert value == (came[-1] if came else same[0].without), (minor, patch)


@pytest.mark.parametrize(("patch", "expected"), [(3, False), (4, True), (13, True), (14, False)])
def test_a_regression_that_was_backported_holds_until_its_fix(patch: int, expected: bool) -> None:
    release = release_named(f"1.28.{patch}")
    assert release is not None
    assert release.rules.victims_get_the_preemptors_status == expected


def test_the_recorded_patch_is_the_release_itself() -> None:
    assert all(release_named(release.patch) is release for release in RELEASES.values())


@pytest.mark.parametrize(
    ("versions", "patch"),
    [
        (["v1.30.10", "v1.30.10-gke.5", "v1.29.1"], "1.30.10"),
        (["v1.30.7+k3s1", "v1.31.9"], "1.31.9"),
        (["v1.19.4"], "1.18.2"),
        (["v1.99.0"], "1.37.0"),
    ],
)
def test_most_kubelets_choose_the_release_and_its_patch(versions: list[str], patch: str) -> None:
    release = release_of_kubelets(versions)
    assert release is not None
    assert release.patch == patch


def a_cluster(version: str) -> list[dict[str, Any]]:
    objects = [node("n1"), node("n2"), pod("a", cpu=1)]
    for item in objects[:2]:
        item["status"]["nodeInfo"] = {"kubeletVersion": version}
    return objects


SHAPES: dict[str, Callable[[list[dict[str, Any]]], str]] = {
    "documents": lambda objects: scenario(*objects),
    "yaml": lambda objects: "\n---\n".join(as_yaml(item) for item in objects),
    "list": lambda objects: as_yaml(listed(objects)),
    "json list": lambda objects: json.dumps(listed(objects)),
    "json lines": lambda objects: "\n".join(map(json.dumps, objects)),
    "with a scenario": lambda objects: scenario(*objects, seed=1),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("version", ["v1.30.10", "v1.30.1", "v1.27.3", "v1.36.0"])
def test_the_shape_of_the_text_does_not_decide_the_release(shape: str, version: str) -> None:
    text = SHAPES[shape](a_cluster(version))
    read = read_scenario(text, Conversion(), parse_scenario, lenient=True)
    assert read.scenario.release == release_named(version)


def test_a_text_that_names_its_release_keeps_it() -> None:
    text = scenario(*a_cluster("v1.30.10"), kubernetesVersion="1.33")
    assert parse_scenario(text).release is RELEASES["1.33"]
    assert parse_scenario(text, release=RELEASES["1.25"]).release is RELEASES["1.25"]
    assert parse_scenario(scenario(node("n1"), kubernetesVersion="1.30.8")).release == release_named("1.30.8")
