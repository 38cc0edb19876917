"""The number of copies that fit equals the number that a run places one after another."""

from __future__ import annotations

import pytest

from scheduler_core import simulate
from scheduler_core.ask.capacity import Capacity, capacity
from scheduler_core.ask.editing.edits import NotPossible
from scheduler_core.ask.moments.moment import at_end
from tests.builders import Manifest, node, parse, pod, spread
from tests.core.runs import bound

NODES = (node("n1", cpu=4, zone="a"), node("n2", cpu=2, zone="b"), node("n3", cpu=3, zone="b", pods=2))


def fitting(*objects: Manifest, wanted: int | None = None) -> Capacity:
    return capacity(at_end(parse(*objects)), "default/web", wanted)


@pytest.mark.parametrize("seed", [None, 3])
@pytest.mark.parametrize(
    "fields",
    [
        {"cpu": "700m"},
        {"cpu": "100m", "memory": "1Gi"},
        {"cpu": "500m", "labels": {"app": "web"}, "topologySpreadConstraints": [spread({"app": "web"})]},
        {"cpu": "10m", "host_port": 80},
    ],
)
def test_as_many_fit_as_a_run_places_one_by_one(fields: Manifest, seed: int | None) -> None:
    found = capacity(at_end(parse(*NODES, pod("web", **fields), seed=seed)), "default/web")
    copies = [pod(f"web-{number}", **fields) for number in range(1, 60)]
    placed = bound(list(simulate(parse(*NODES, pod("web", **fields), *copies, seed=seed))))
    del placed["web"]
    counts = {name: list(placed.values()).count(name) for name in placed.values()}
    assert found.fit == len(placed)
    assert found.by_node == counts
    assert found.message.startswith("0/3 nodes are available")


def test_zones_add_up_their_nodes() -> None:
    found = fitting(*NODES, pod("web", cpu=1))
    assert found.by_node == {"n1": 3, "n2": 2, "n3": 2}
    assert found.by_zone == {"a": 3, "b": 4}


def test_the_nodes_that_are_missing_are_the_fewest_that_do() -> None:
    found = fitting(node("n1", cpu=2), pod("web", cpu=1), wanted=6)
    assert found.fit == 1
    assert [(one.like, one.count) for one in found.more] == [("n1", 3)]


def test_a_pod_that_no_such_node_takes_needs_another_kind() -> None:
    found = fitting(node("small", cpu=1), node("large", cpu=8), pod("web", cpu=5), wanted=2)
    assert [(one.like, one.count) for one in found.more] == [("large", 2), ("small", None)]


def test_no_more_than_wanted_are_placed() -> None:
    found = fitting(*NODES, pod("web", cpu="100m"), wanted=3)
    assert (found.fit, found.message, found.more) == (3, "", [])


def test_a_pod_that_is_not_there_is_named() -> None:
    with pytest.raises(NotPossible, match="there is no Pod default/web"):
        fitting(node("n1"))


def test_nobody_asks_for_a_million() -> None:
    with pytest.raises(NotPossible, match="between 1 and 10,000"):
        fitting(*NODES, pod("web"), wanted=1_000_000)


def test_what_fills_up_first_on_each_node_comes_first() -> None:
    found = fitting(node("n1", cpu=4, memory="1Gi"), node("n2", cpu=2, memory="9Gi"), pod("web", cpu=1, memory="512Mi"))
    first = {name: rooms[0] for name, rooms in found.rooms.items()}
    assert {name: one.resource for name, one in first.items()} == {"n1": "memory", "n2": "cpu"}
    assert [one.further for one in first.values()] == [0, 0]
    assert found.by_node == {"n1": first["n1"].copies // 2**29, "n2": first["n2"].copies // 1000}
    assert all(one.before >= 0 and one.before + one.copies == one.allocatable for one in first.values())


def test_the_reason_that_keeps_copies_off_a_node_with_free_resources_is_named() -> None:
    found = fitting(*NODES, node("n4", cpu=8, unschedulable=True), pod("web", cpu=1))
    assert found.rejected["n4"] == "NodeUnschedulable: node(s) were unschedulable"
    assert found.rejected["n1"] == "NodeResourcesFit: Insufficient cpu"
