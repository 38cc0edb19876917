"""NodeResourcesFit: the resources that a node lacks, up to very large amounts."""

from __future__ import annotations

import pytest

from tests.builders import node, pod
from tests.core.runs import attempts, message, run


def wishing(name, amounts):
    """Return a pod that requests extended resources, with equal limits, which they need."""
    return pod(name, requests=amounts, limits=amounts)


def wishes(count):
    """Return requests of `count` extended resources, in the order in which kube-scheduler lists them."""
    return {f"example.com/device-{i:03}": "1" for i in range(count)}


@pytest.mark.parametrize("lacking", [1, 2, *range(60, 71), 125, 200])
def test_a_pod_is_rejected_with_every_resource_that_its_node_lacks(lacking):
    events = run(node("n"), wishing("a", wishes(lacking)))
    assert [outcome for _, _, outcome in attempts(events)] == ["Unschedulable"]
    reasons = [f"1 Insufficient {name}" for name in wishes(lacking)]
    assert message(events, "a").startswith(f"0/1 nodes are available: {', '.join(reasons)}. ")


def test_nodes_that_lack_different_ones_of_many_resources_have_reasons_of_their_own():
    asked = wishes(90)
    nodes = [node(f"n{i}", resources={name: "1" for name in asked if name != lacked}) for i, lacked in enumerate(asked)]
    events = run(*nodes, wishing("a", asked))
    reasons = [f"1 Insufficient {name}" for name in asked]
    assert message(events, "a").startswith(f"0/90 nodes are available: {', '.join(reasons)}. ")


def test_a_node_that_has_all_of_many_resources_takes_the_pod():
    asked = wishes(90)
    events = run(node("without"), node("with", resources=asked), wishing("a", asked))
    assert [outcome for _, _, outcome in attempts(events)] == ["Scheduled"]
