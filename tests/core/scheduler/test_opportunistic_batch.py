"""Similar pods that each fill a node go to the next best node; anything else ends the batch."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from scheduler_core.trace.events import NodesFiltered
from tests.builders import configuration, node, pod
from tests.core.runs import bound, only, run

NO_DEFAULT_SPREADING = configuration(
    profiles=[
        {"pluginConfig": [{"name": "PodTopologySpread", "args": {"defaultingType": "List", "defaultConstraints": []}}]}
    ]
)
NODES = [node(f"n{i}", cpu=2) for i in range(4)]
PODS = [pod(f"p{i}", cpu=2) for i in range(3)]


def hints(*objects, **spec):
    """Return for each attempt whether a hint was tried."""
    return [event.hinted for event in only(NodesFiltered, run(NO_DEFAULT_SPREADING, *objects, **spec))]


def test_a_pod_like_the_one_before_looks_at_one_node_only():
    assert hints(*NODES, *PODS) == [False, True, True]


def test_default_spreading_makes_every_pod_one_of_its_own():
    events = run(*NODES, *PODS)
    assert [event.hinted for event in only(NodesFiltered, events)] == [False, False, False]


@pytest.mark.parametrize(
    "other", [pod("p1", cpu=2, labels={"app": "x"}), pod("p1", cpu="1900m"), pod("p1", cpu=2, host_port=80)]
)
def test_another_kind_of_pod_looks_at_all_nodes(other):
    assert hints(*NODES, pod("p0", cpu=2), other)[1] is False


def test_up_to_1_36_a_node_with_room_for_another_one_ends_the_batch():
    roomy = [node(f"n{i}", cpu=4) for i in range(3)]
    assert hints(*roomy, *PODS, kubernetesVersion="1.36") == [False, False, False]
    assert hints(*roomy, *PODS, kubernetesVersion="1.37") == [False, True, True]


@pytest.mark.parametrize("seed", range(30))
def test_from_1_37_on_a_node_that_is_scored_again_competes_as_if_all_nodes_were_checked(seed):
    random = Random(seed)
    nodes = [
        node(
            f"n{i:02}",
            cpu=random.choice((2, 4, 8)),
            memory=f"{random.choice((4, 8))}Gi",
            taints=["soft:PreferNoSchedule"] if random.random() < 0.3 else [],
        )
        for i in range(random.randint(2, 12))
    ]
    alike = [pod(f"p{i}", cpu="700m", memory="1Gi") for i in range(12)]
    runs = {
        gate: run(
            NO_DEFAULT_SPREADING, *nodes, *alike, kubernetesVersion="1.37", featureGates={"OpportunisticBatching": gate}
        )
        for gate in (True, False)
    }
    hinted = [event.hinted for event in only(NodesFiltered, runs[True])]
    assert any(hinted)
    totals = {gate: loads(nodes, bound(events)) for gate, events in runs.items()}
    assert totals[True] == totals[False]  # the same nodes but for the choice between equal ones


def test_from_1_37_on_a_nominated_pod_is_no_part_of_a_batch():
    nominated = pod("p1", cpu=2) | {"status": {"nominatedNodeName": "n3"}}
    assert hints(*NODES, pod("p0", cpu=2), nominated, kubernetesVersion="1.37")[1] is False
    assert hints(*NODES, pod("p0", cpu=2), pod("p1", cpu=2), kubernetesVersion="1.37")[1] is True


def loads(nodes, placements):
    """Return the number of nodes for each (kind of node, number of pods on it); nodes without pods are left out."""
    kinds = {one["metadata"]["name"]: str(one["status"]) + str(one["spec"].get("taints")) for one in nodes}
    return sorted(Counter((kinds[name], count) for name, count in Counter(placements.values()).items()).items())


def test_what_is_known_is_forgotten_after_half_a_second():
    later = [{"at": at, "create": one} for at, one in zip((0.4, 1.0), PODS[1:], strict=True)]
    assert hints(*NODES, PODS[0], events=later) == [False, True, False]


def test_without_the_gate_or_in_a_release_without_it_the_pods_go_to_the_same_nodes():
    expected = bound(run(NO_DEFAULT_SPREADING, *NODES, *PODS))
    for spec in ({"featureGates": {"OpportunisticBatching": False}}, {"kubernetesVersion": "1.34"}):
        events = run(NO_DEFAULT_SPREADING, *NODES, *PODS, **spec)
        assert not any(event.hinted for event in only(NodesFiltered, events))
        assert len(bound(events)) == len(expected)
