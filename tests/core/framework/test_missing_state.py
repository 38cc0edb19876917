"""Profiles in which a plugin's Filter or Score runs without the PreFilter or PreScore that it needs."""

from __future__ import annotations

import pytest

from scheduler_core import decisions, simulate
from scheduler_core.trace.events import NodesFiltered
from tests.builders import Manifest, configuration, node, parse, pod

CLAIM = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "data"},
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "volumeName": "pv"},
    "status": {"phase": "Bound"},
}
VOLUME = {
    "apiVersion": "v1",
    "kind": "PersistentVolume",
    "metadata": {"name": "pv", "labels": {"topology.kubernetes.io/zone": "a"}},
    "spec": {
        "accessModes": ["ReadWriteOnce"],
        "capacity": {"storage": "1Gi"},
        "csi": {"driver": "csi.example.com", "volumeHandle": "pv"},
    },
}
USES_IT = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]


def first_record(plugins: Manifest, *objects: Manifest) -> dict[str, object]:
    profile = {"schedulerName": "default-scheduler", "plugins": plugins}
    nodes = node("n1", zone="a"), node("n2", zone="b")
    return next(decisions(simulate(parse(*nodes, *objects, configuration(profiles=[profile])))))


@pytest.mark.parametrize(
    ("plugin", "reason"),
    [
        ("NodePorts", 'reading "PreFilterNodePorts" from cycleState: not found'),
        ("NodeResourcesFit", 'error reading "PreFilterNodeResourcesFit" from cycleState: not found'),
        ("VolumeRestrictions", 'cannot read "PreFilterVolumeRestrictions" from cycleState'),
        ("VolumeBinding", "not found"),
        ("PodTopologySpread", 'reading "PreFilterPodTopologySpread" from cycleState: not found'),
        ("InterPodAffinity", 'error reading "PreFilterInterPodAffinity" from cycleState: not found'),
    ],
)
def test_a_filter_without_its_pre_filter_ends_the_attempt_with_an_error(plugin, reason):
    found = first_record({"preFilter": {"disabled": [{"name": plugin}]}}, pod("p"))
    assert (found["outcome"], found["message"]) == ("Error", f'running "{plugin}" filter plugin: {reason}')


def test_volume_zone_and_volume_limits_find_out_for_themselves():
    disabled = [{"name": "VolumeZone"}, {"name": "NodeVolumeLimits"}]
    driver = {"name": "csi.example.com", "nodeID": "n1", "allocatable": {"count": 0}}
    csi_node = {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": "n1"}}
    objects = [VOLUME, CLAIM, csi_node | {"spec": {"drivers": [driver]}}, pod("p", volumes=USES_IT)]
    found = first_record({"preFilter": {"disabled": disabled}}, *objects)
    assert {name: status["plugin"] for name, status in found["filter"].items()} == {
        "n1": "NodeVolumeLimits",
        "n2": "VolumeZone",
    }
    assert first_record({"preFilter": {"disabled": disabled}}, pod("p"))["outcome"] == "Scheduled"


@pytest.mark.parametrize(
    ("plugin", "reason"),
    [
        ("TaintToleration", 'failed to read "PreScoreTaintToleration" from cycleState: not found'),
        ("PodTopologySpread", 'error reading "PreScorePodTopologySpread" from cycleState: not found'),
        ("InterPodAffinity", 'failed to read "PreScoreInterPodAffinity" from cycleState: not found'),
    ],
)
def test_a_score_without_its_pre_score_ends_the_attempt_with_an_error(plugin, reason):
    found = first_record(only(plugin), pod("p"))
    message = f'running Score plugins: plugin "{plugin}" failed with: {reason}'
    assert (found["outcome"], found["message"]) == ("Error", message)


def test_other_scores_do_without_and_a_pod_without_requests_is_not_balanced():
    for plugin in ("NodeAffinity", "NodeResourcesFit", "ImageLocality", "VolumeBinding"):
        assert list(first_record(only(plugin), pod("p"))["scores"]) == [plugin]
    balanced = first_record(only("NodeResourcesBalancedAllocation"), pod("p"))["scores"]
    assert balanced == {"NodeResourcesBalancedAllocation": {"n1": [0, 0, 0], "n2": [0, 0, 0]}}


def only(plugin: str) -> Manifest:
    """Return plugins with a single score plugin and no PreScore."""
    every = [{"name": "*"}]
    return {"preScore": {"disabled": every}, "score": {"disabled": every, "enabled": [{"name": plugin}]}}


def test_nodes_that_were_asked_before_the_error_count_for_where_the_next_search_starts():
    """schedule_one.go updates nextStartNodeIndex "regardless of whether an error has occurred"."""
    broken = {"schedulerName": "broken", "plugins": {"preFilter": {"disabled": [{"name": "NodeResourcesFit"}]}}}
    both = configuration(profiles=[{"schedulerName": "default-scheduler"}, broken])
    nodes = node("a", unschedulable=True), node("b", unschedulable=True), node("c"), node("d")
    events = list(simulate(parse(*nodes, both, pod("p", schedulerName="broken"), pod("q"))))
    assert [event.start for event in events if isinstance(event, NodesFiltered) and not event.error] == [2]


@pytest.mark.parametrize(
    ("volumes", "reason"),
    [([], 'no pod volume found for node "n1"'), (USES_IT, 'failed to get cached bindings for pod "default/p"')],
)
def test_volume_binding_without_its_reserve_binds_no_pod(volumes, reason):
    found = first_record(
        {"reserve": {"disabled": [{"name": "VolumeBinding"}]}}, VOLUME, CLAIM, pod("p", volumes=volumes)
    )
    assert (found["outcome"], found["message"]) == ("Error", f'running PreBind plugin "VolumeBinding": {reason}')


def test_volume_binding_without_its_pre_filter_reserves_for_no_pod():
    disabled = {"disabled": [{"name": "VolumeBinding"}]}
    found = first_record({"preFilter": disabled, "filter": disabled}, pod("p"))
    assert (found["outcome"], found["message"]) == ("Error", 'running Reserve plugin "VolumeBinding": not found')
    found = first_record({"preFilter": disabled, "filter": disabled, "reserve": disabled}, pod("p"))
    assert (found["outcome"], found["message"]) == ("Error", 'running PreBind plugin "VolumeBinding": not found')
