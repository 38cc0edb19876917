"""Scenarios of older releases: the fields and feature gates that a release does not have."""

from __future__ import annotations

import pytest

from scheduler_core import RunEnded, parse_scenario, simulate
from scheduler_core.releases import DEFAULT_RELEASE, RELEASES
from scheduler_core.scenario.parse import Scenario, ScenarioErrors, field_catalogue

POD_LEVEL = """
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  containers: [{name: c, image: i}]
  resources:
    requests: {cpu: 2}
"""
POP_OFF = """
apiVersion: kschedui.io/v1alpha1
kind: Scenario
spec:
  featureGates: {SchedulerPopFromBackoffQ: false}
"""
NAMES_NO_NODE = """
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: 4, memory: 8Gi, pods: 110}}
---
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  containers: [{name: c, image: i}]
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [n2]}]}]
"""


CONFIGURATION = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
"""
ARGS = "profiles: [{{pluginConfig: [{{name: {}, args: {{{}: true}}}}]}}]"
LIMITS = (
    CONFIGURATION
    + "profiles: [{plugins: {filter: {enabled: [{name: CinderLimits}]}}, pluginConfig: [{name: EBSLimits}]}]"
)


def parsed(text: str, version: str) -> Scenario:
    return parse_scenario(text, release=RELEASES[version])


def test_a_field_whose_gate_is_off_is_ignored_with_a_warning() -> None:
    found = parsed(POD_LEVEL, "1.33")
    assert found.objects[-1].requests == {}  # type: ignore[union-attr]
    assert [str(one.message) for one in found.warnings] == [
        "ignored: feature gate PodLevelResources is off in Kubernetes 1.33"
    ]
    assert (found.warnings[0].path, found.warnings[0].line) == ("spec.resources", 7)
    assert parsed(POD_LEVEL, "1.34").objects[-1].requests == {"cpu": 2000}  # type: ignore[union-attr]


def test_a_gate_that_the_release_does_not_have_is_ignored_with_a_warning() -> None:
    found = parsed(POP_OFF, "1.32")
    assert dict(found.feature_gates) == {}
    assert [str(one.message) for one in found.warnings] == [
        "ignored: Kubernetes 1.32 has no feature gate SchedulerPopFromBackoffQ"
    ]
    assert parsed(POP_OFF, "1.33").feature_gates["SchedulerPopFromBackoffQ"] is False


def test_a_gate_that_no_release_has_is_refused() -> None:
    with pytest.raises(ScenarioErrors, match="unrecognized feature gate: SchedulerPopFromBakcoffQ"):
        parsed(POP_OFF.replace("Backoff", "Bakcoff"), "1.32")


def test_a_field_that_the_release_does_not_have_is_refused_with_its_line() -> None:
    with pytest.raises(ScenarioErrors, match=r"line 7, spec\.resources: Kubernetes 1\.31 has no such field"):
        parsed(POD_LEVEL, "1.31")


def test_a_panic_of_the_real_scheduler_ends_the_run_with_a_sentence() -> None:
    found = parsed(NAMES_NO_NODE, "1.30")
    with pytest.raises(RunEnded, match=r"kube-scheduler 1\.30 panics here \(integer divide by zero\)"):
        list(simulate(found))
    assert list(simulate(parsed(NAMES_NO_NODE, "1.31")))


def test_the_catalogue_says_what_each_release_lacks() -> None:
    lacking = {one["version"]: one for one in field_catalogue()["releases"]}
    assert list(lacking) == list(reversed(RELEASES))
    assert [version for version, one in lacking.items() if one["default"]] == [DEFAULT_RELEASE.version]
    default = lacking[DEFAULT_RELEASE.version]
    assert not default["plugins"]
    assert not default["gates"]
    assert {"Pod spec.schedulingGroup", "PodGroup spec.priority"} <= set(default["fields"])  # of gates that are off
    assert "Pod spec.resources" in lacking["1.33"]["fields"]
    assert "Pod spec.resources" not in lacking["1.34"]["fields"]
    assert "SchedulingGates" in lacking["1.25"]["plugins"]
    assert "SchedulerPopFromBackoffQ" in lacking["1.32"]["gates"]


@pytest.mark.parametrize(
    ("since", "text", "path"),
    [
        ("1.28", "delayCacheUntilActive: true", "delayCacheUntilActive"),
        (
            "1.27",
            ARGS.format("InterPodAffinity", "ignorePreferredTermsOfExistingPods"),
            "profiles[0].pluginConfig[0].args",
        ),
        ("1.26", "profiles: [{percentageOfNodesToScore: 5}]", "profiles[0].percentageOfNodesToScore"),
        ("1.26", "profiles: [{plugins: {preEnqueue: {disabled: [{name: '*'}]}}}]", "profiles[0].plugins.preEnqueue"),
    ],
)
def test_a_configuration_may_use_what_its_release_knows(since: str, text: str, path: str) -> None:
    for version in RELEASES:
        if version >= since:
            assert not parsed(CONFIGURATION + text, version).warnings
        else:
            with pytest.raises(ScenarioErrors, match=f"Kubernetes {version} has no such field") as caught:
                parsed(CONFIGURATION + text, version)
            assert caught.value.path.startswith(path)


def test_in_tree_limits_can_be_configured_as_long_as_they_exist() -> None:
    """From 1.31 on, `invalidPluginsByVersion` of apis/config/validation rejects them."""
    for version, release in RELEASES.items():
        if "NodeName" not in release.plugin_points:
            continue  # predicates, under other names
        if version <= "1.30":
            filters = parsed(LIMITS, version).config.profiles[0].plugins["filter"]
            assert "CinderLimits" in [one.name for one in filters]
        else:
            with pytest.raises(ScenarioErrors, match='"EBSLimits": was invalid in version'):
                parsed(LIMITS, version)
