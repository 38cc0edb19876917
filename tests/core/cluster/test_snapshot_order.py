"""The order of the nodes in the snapshot (backend/cache/cache.go: UpdateSnapshot, updateNodeInfoSnapshotList)."""

from __future__ import annotations

from tests.builders import Manifest, node, pod
from tests.core.runs import bound, run


def chosen(*events: Manifest) -> str:
    """Return the node of a pod created at 5 s that fits on three empty nodes in zones a, b and b: the first in the
    list."""
    nodes = [node("n1", zone="a"), node("n2", zone="b"), node("n3", zone="b")]
    warm_up = {"at": 1, "create": pod("first")}
    gone = {"at": 1.5, "delete": {"kind": "Pod", "name": "first"}}
    found = run(*nodes, events=[warm_up, gone, *events, {"at": 5, "create": pod("second", cpu="100m")}])
    return bound(found)["second"]


def in_zone_b(name: str) -> Manifest:
    return node(name, zone="b")


def test_the_search_comes_round_to_the_first_node_after_three():
    assert chosen() == "n1"


def test_a_node_that_moves_to_another_zone_keeps_its_place_in_the_list():
    assert chosen({"at": 2, "update": in_zone_b("n1")}) == "n1"


def test_the_new_zone_counts_once_a_node_has_come():
    small = node("n4", zone="b", cpu="50m")
    assert chosen({"at": 2, "update": in_zone_b("n1")}, {"at": 3, "create": small}) == "n2"


def test_a_node_that_went_and_came_back_between_two_attempts_keeps_its_place():
    gone = {"at": 2, "delete": {"kind": "Node", "name": "n1"}}
    assert chosen(gone, {"at": 3, "create": in_zone_b("n1")}) == "n1"


def test_a_node_that_was_seen_to_be_gone_comes_back_at_the_end():
    gone = {"at": 2, "delete": {"kind": "Node", "name": "n1"}}
    seen = {"at": 2.5, "create": pod("third")}
    leaves = {"at": 2.6, "delete": {"kind": "Pod", "name": "third"}}
    assert chosen(gone, seen, leaves, {"at": 3, "create": in_zone_b("n1")}) == "n2"
