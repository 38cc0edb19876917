"""Guarantees of the real API hold for random requests: surge, available pods, budgets, ordinals, one pod per node."""

from __future__ import annotations

import json
import os
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler_core import parse_scenario, simulate
from scheduler_core.apis.workloads import DeploymentSpec, scaled
from scheduler_core.controllers import daemonset, deployment, eviction, resize, statefulset
from scheduler_core.trace.actor_rows import actor_rows
from tests.core.controllers.worlds import node, template, text, workload

SEQUENCES = int(os.environ.get("KSCHEDUI_SEQUENCES", "225"))  # `make test-promises` draws 10,000
IMAGES = ("v1", "v2", "v3")
TIMES = st.integers(4, 40)
NODES = [node(f"n{number}") for number in range(3)]


def image(at: int, kind: str, name: str, version: str) -> dict[str, Any]:
    containers = [{"name": "c", "image": version}]
    return {
        "at": at,
        "patch": {"kind": kind, "name": name, "patch": {"spec": {"template": {"spec": {"containers": containers}}}}},
    }


def happened(*objects: Any, events: list[Any]) -> list[dict[str, Any]]:
    scenario = text(*objects, events=sorted(events, key=lambda event: event["at"]), untilSeconds=80)
    return list(actor_rows(simulate(parse_scenario(scenario))))


def images_of(name: str, kind: str) -> st.SearchStrategy[list[dict[str, Any]]]:
    return st.lists(st.builds(image, TIMES, st.just(kind), st.just(name), st.sampled_from(IMAGES)), max_size=4)


@st.composite
def rollouts(draw: st.DrawFn) -> tuple[int, Any, Any, list[dict[str, Any]]]:
    surge, unavailable = draw(st.sampled_from([(1, 0), (0, 1), (2, 1), ("25%", "25%"), ("50%", 0)]))
    return draw(st.integers(1, 6)), surge, unavailable, draw(images_of("web", "Deployment"))


def worst_rollout(replicas: int, surge: Any, unavailable: Any, events: list[dict[str, Any]]) -> tuple[int, int]:
    """Return by how many pods a rollout exceeded the replicas, and how many were unavailable at most, once all were
    available."""
    strategy = {"rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}
    rows = happened(
        *NODES,
        workload("Deployment", "web", template("web", "100m"), replicas=replicas, strategy=strategy),
        events=events,
    )
    active, ready = set[str](), set[str]()
    most, least, complete = 0, replicas, False
    for row, following in pairwise(rows):
        if row["kind"] == "Pod" and row["what"] == "created":
            active.add(row["name"])
        elif row["kind"] == "Pod" and row["what"] == "deletion-requested":
            active.discard(row["name"])
            ready.discard(row["name"])
        elif row["kind"] == "Pod" and row["what"] == "ready":
            ready.add(row["name"])
        if following["t"] > row["t"]:  # the controllers have done all that they do at this moment
            complete = complete or len(ready) == replicas
            most = max(most, len(active))
            least = min(least, len(ready)) if complete else least
    return most - replicas, replicas - least


@settings(max_examples=SEQUENCES // 3)
@given(rollouts())
def test_a_rollout_stays_within_surge_and_unavailable_pods(rollout: tuple[int, Any, Any, list[dict[str, Any]]]) -> None:
    replicas, surge, unavailable, events = rollout
    beyond, missing = worst_rollout(replicas, surge, unavailable, events)
    most, fewer = deployment.limits(DeploymentSpec(replicas, {}, max_surge=surge, max_unavailable=unavailable))
    assert beyond <= most
    assert missing <= fewer


ROLLOUT = [image(6, "Deployment", "web", "v2")]


def test_without_the_limit_of_surge_there_are_too_many_pods(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deployment._Sync, "_size_of_new", lambda sync, size: sync._spec.replicas)
    assert worst_rollout(4, 1, 0, ROLLOUT)[0] > 1


def test_without_the_limit_of_unavailable_pods_too_few_are_available(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        deployment._Sync,
        "_scale_down_available",
        lambda sync, least: all(
            sync._resize(old, 0, deployment.because("recreate-down", owner="")) for old in sync._old()
        ),
    )
    assert worst_rollout(4, 1, 0, [*ROLLOUT, image(9, "Deployment", "web", "v3")])[1] > 0


def budget(least: Any) -> dict[str, Any]:
    spec = {"selector": {"matchLabels": {"app": "web"}}, "minAvailable": least}
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "guard"}, "spec": spec}


def fewest_healthy(replicas: int, least: Any, drains: list[int], times: list[int]) -> int:
    """Return the smallest number of ready pods after a granted eviction of a ready pod."""
    events: list[Any] = [{"at": at, "drain": f"n{number}"} for number, at in zip(drains, times, strict=False)]
    events += [{"at": at + 1, "evict": {"owner": "web", "index": 0}} for at in times]
    rows = happened(
        *NODES, budget(least), workload("Deployment", "web", template("web", "100m"), replicas=replicas), events=events
    )
    ready, fewest = set[str](), replicas
    for row in rows:
        if row["what"] == "ready":
            ready.add(row["name"])
        elif row["what"] == "evicted" and row["details"]["code"] == 201 and row["name"] in ready:
            ready.discard(row["name"])
            fewest = min(fewest, len(ready))
        elif row["what"] == "deletion-requested":
            ready.discard(row["name"])
    return fewest


@settings(max_examples=SEQUENCES * 2 // 9)
@given(
    st.integers(1, 6),
    st.sampled_from([1, 2, "50%", "100%"]),
    st.lists(st.integers(0, 2), max_size=3),
    st.lists(TIMES, min_size=3, max_size=3),
)
def test_an_eviction_never_exceeds_its_budget(replicas: int, least: Any, drains: list[int], times: list[int]) -> None:
    if isinstance(least, int):
        least = min(least, replicas)
    assert fewest_healthy(replicas, least, drains, times) >= scaled(least, replicas, up=True)


def test_without_the_check_of_the_budget_it_is_exceeded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eviction, "_allowed", lambda budget, api: 1)
    assert fewest_healthy(3, 3, [0, 1, 2], [5, 6, 7]) < 3


def ordinals_are_kept(replicas: list[int], times: list[int], events: list[dict[str, Any]]) -> bool:
    """Return whether each pod of a StatefulSet was created after all below it were ready, and names were unique."""
    scales = [
        {"at": at, "scale": {"kind": "StatefulSet", "name": "db", "replicas": n}}
        for at, n in zip(times, replicas, strict=False)
    ]
    rows = happened(
        *NODES,
        workload("StatefulSet", "db", template("db", "100m"), replicas=3, serviceName="db"),
        events=[*scales, *events],
    )
    ready, existing = set[int](), Counter[str]()
    for row in rows:
        if row["kind"] != "Pod" or row["what"] not in ("created", "deleted", "ready", "deletion-requested"):
            continue
        number, real = int(row["name"][3:].partition("#")[0]), row["real"]
        if row["what"] == "created":
            existing[real] += 1
            if existing[real] > 1 or not set(range(number)) <= ready:
                return False
        elif row["what"] == "deleted":
            existing[real] -= 1
        elif row["what"] == "ready":
            ready.add(number)
        elif row["what"] == "deletion-requested":
            ready.discard(number)
    return True


@settings(max_examples=SEQUENCES * 2 // 9)
@given(st.lists(st.integers(0, 5), max_size=3), st.lists(TIMES, min_size=3, max_size=3), images_of("db", "StatefulSet"))
def test_pods_of_a_stateful_set_come_in_the_order_of_their_ordinals(
    replicas: list[int], times: list[int], events: list[dict[str, Any]]
) -> None:
    assert ordinals_are_kept(replicas, times, events)


def test_without_the_order_pods_come_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    run = statefulset._Sync._run_for_all
    monkeypatch.setattr(
        statefulset._Sync, "_run_for_all", lambda sync, count, process, monotonic: run(sync, count, process, False)
    )
    assert not ordinals_are_kept([], [], [])


def most_on_a_node(labels: list[tuple[int, int, bool]], events: list[dict[str, Any]]) -> int:
    patches: list[Any] = [
        {
            "at": at,
            "patch": {
                "kind": "Node",
                "name": f"n{number}",
                "patch": {"metadata": {"labels": {"disk": "ssd" if on else None}}},
            },
        }
        for at, number, on in labels
    ]
    daemon = workload("DaemonSet", "agent", template("agent", "100m", nodeSelector={"disk": "ssd"}))
    rows = happened(*NODES, daemon, events=[*patches, *events])
    living, most = set[str](), 0
    for row in rows:
        if row["kind"] == "Pod" and row["what"] == "created":
            living.add(row["name"])
        elif row["kind"] == "Pod" and row["what"] in ("phase", "deleted"):
            living.discard(row["name"])
        most = max(most, *Counter(name.partition("#")[0] for name in living).values(), 0)
    return most


@settings(max_examples=SEQUENCES * 2 // 9)
@given(st.lists(st.tuples(TIMES, st.integers(0, 2), st.booleans()), max_size=6), images_of("agent", "DaemonSet"))
def test_a_daemon_set_has_one_pod_on_a_node(labels: list[tuple[int, int, bool]], events: list[dict[str, Any]]) -> None:
    assert most_on_a_node(labels, events) <= 1


def test_without_waiting_for_the_old_pod_a_daemon_set_has_two_on_a_node(monkeypatch: pytest.MonkeyPatch) -> None:
    by_node = daemonset._Sync._by_node

    def staying(sync: Any) -> dict[str, Any]:
        pods = {
            name: [owned for owned in pods if daemonset._is_staying(owned[1])] for name, pods in by_node(sync).items()
        }
        return {name: left for name, left in pods.items() if left}

    monkeypatch.setattr(daemonset._Sync, "_by_node", staying)
    assert most_on_a_node([(5, 0, True)], [image(10, "DaemonSet", "agent", "v2")]) > 1


CPU = {"250m": 250, "500m": 500, "1": 1000, "2": 2000, "3": 3000}


def most_allocated(sizes: list[tuple[int, int, str]], leaves: list[int]) -> int:
    """Return the most cpu, in millicores, that a node with 4 cpu has allocated to its four pods at once."""
    pods = [
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"p{number}"}, "spec": template("p", "1")["spec"]}
        for number in range(4)
    ]
    events: list[Any] = [
        {
            "at": at,
            "patch": {
                "kind": "Pod",
                "name": f"p{number}",
                "patch": {"spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": cpu}}}]}},
            },
        }
        for at, number, cpu in sizes
    ]
    events += [{"at": at, "delete": {"kind": "Pod", "name": f"p{number}"}} for number, at in enumerate(leaves)]
    allocated = {f"p{number}": 1000 for number in range(4)}
    most = 0
    for row in happened(node("n1", cpu="4"), *pods, events=events):
        if row["what"] in ("phase", "deleted"):
            allocated.pop(row["name"], None)
        elif row["what"] == "event" and row["details"]["reason"] == "ResizeStarted":
            summary = json.loads(row["details"]["message"].partition(": ")[2])
            allocated[row["name"]] = CPU[summary["containers"][0]["resources"]["requests"]["cpu"]]
        most = max(most, sum(allocated.values()))
    return most


@settings(max_examples=SEQUENCES * 2 // 9)
@given(
    st.lists(st.tuples(TIMES, st.integers(0, 3), st.sampled_from([*CPU])), max_size=8),
    st.lists(TIMES, max_size=2),
)
def test_a_kubelet_never_allocates_more_than_its_node_has(sizes: list[tuple[int, int, str]], leaves: list[int]) -> None:
    assert most_allocated(sizes, leaves) <= 4000


def test_without_the_check_of_the_kubelet_it_allocates_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resize.Resizes, "_refusal", lambda resizes, desired: ("", ""))
    assert most_allocated([(5, 0, "3")], []) > 4000
