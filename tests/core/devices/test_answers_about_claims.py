"""Answers about clusters with claims agree with runs in which they are applied."""

from __future__ import annotations

import json
import os
from random import Random
from typing import Any

import pytest

from scheduler_core import decisions, parse_scenario, simulate
from scheduler_core.ask.capacity import capacity
from scheduler_core.ask.editing.edits import AddNodes
from scheduler_core.ask.editing.text import append_events, apply_edits
from scheduler_core.ask.moments.moment import at_end, before_attempt
from scheduler_core.ask.operations.helping import FULL, helping
from scheduler_core.ask.operations.questions import Add, Drain, Lose, Question, Reschedule, carried_out
from scheduler_core.ask.operations.upgrade import upgrade
from scheduler_core.ask.smallest.smallest_change import smallest_changes
from scheduler_core.releases import RELEASES
from scheduler_core.trace.events import RunFinished
from tests.builders import Manifest, pod, scenario
from tests.core.ask.operations.test_answers_against_applying_them import problems
from tests.core.devices.drawn import Drawn
from tests.sampling import rest_slow

CASES = int(os.environ.get("KSCHEDUI_DEVICE_ANSWERS", "10"))
FIRST = int(os.environ.get("KSCHEDUI_DEVICES_FROM", "0"))
SEEDS = range(FIRST, FIRST + CASES)


def owned(one: Manifest) -> Manifest:
    """Return the pod with a ReplicaSet as its owner, so that it is created again after an eviction."""
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "u-web", "controller": True}
    return {**one, "metadata": {**one["metadata"], "ownerReferences": [owner]}}


def cluster(seed: int) -> tuple[Drawn, list[Manifest]]:
    drawn = Drawn(seed, 36)
    return drawn, [owned(one) if one["kind"] == "Pod" else one for one in drawn.objects()]


def question(seed: int, drawn: Drawn) -> Question:
    names = [one["metadata"]["name"] for one in drawn.nodes]
    random = Random(-seed - 1)
    name = random.choice(names)
    return random.choice(
        (Drain([name]), Drain([name], remove=True), Lose([name]), Add(name, 1), Add(name, 2), Reschedule())
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_answered_about_nodes_happens(seed: int) -> None:
    drawn, objects = cluster(seed)
    asked = question(seed, drawn)
    found = problems(scenario(*objects), asked)
    assert not found, f"{asked}: " + "\n".join(found)


@pytest.mark.parametrize("seed", SEEDS)
def test_as_many_copies_fit_as_a_run_places(seed: int) -> None:
    drawn, objects = cluster(seed)
    with_template = [one for one in drawn.pods if "resourceClaimTemplateName" in json.dumps(one)]
    chosen = (with_template or drawn.pods)[0]
    name = chosen["metadata"]["name"]
    text = scenario(*objects)
    found = capacity(at_end(parse_scenario(text)), f"default/{name}", 30)
    copies = []
    for number in range(1, found.fit + 2):
        copy = pod(f"{name}-{number}", resourceClaims=chosen["spec"]["resourceClaims"])
        copies.append({"at": 1000 + number, "create": copy})
    placed = dict[str, str]()
    for record in decisions(simulate(parse_scenario(append_events(text, copies, json.dumps)))):
        if record.get("outcome") == "Scheduled" and record["pod"].startswith(f"default/{name}-"):
            placed[record["pod"]] = record["node"]
    assert len(placed) == (found.fit if found.fit < 30 else found.fit + 1)
    nodes = list(placed.values())[: found.fit]
    assert {node: nodes.count(node) for node in nodes} == found.by_node


@pytest.mark.parametrize("seed", SEEDS)
def test_a_decision_taken_again_is_the_one_of_the_run(seed: int) -> None:
    drawn, objects = cluster(seed)
    parsed = parse_scenario(scenario(*objects, events=drawn.events))
    for record in decisions(simulate(parsed)):
        if "final" in record or record["outcome"] == "Error":
            continue
        decision = before_attempt(parsed, record["attempt"]).world().decide(record["pod"])
        assert decision.record == {name: record[name] for name in decision.record}
        assert decision.message == (record["message"] or "")


@pytest.mark.parametrize("seed", rest_slow(5, SEEDS))
def test_the_smallest_changes_place_the_pod(seed: int) -> None:
    """Both where the change is tried, and in a run of the text that it is written into."""
    _, objects = cluster(seed)
    text = scenario(*objects)
    parsed = parse_scenario(text)
    failed = [one for one in decisions(simulate(parsed)) if one.get("outcome") == "Unschedulable"]
    for record in failed[:2]:
        for change in smallest_changes(before_attempt(parsed, record["attempt"])):
            world = before_attempt(parsed, record["attempt"]).world()
            world.apply_edits(change.edits, {})
            decision = world.decide(record["pod"], all_nodes=True)
            assert change.node in decision.record["feasible"] or decision.nominated == change.node, change
            if all(isinstance(edit, AddNodes) for edit in change.edits):
                again = parse_scenario(apply_edits(text, change.edits, json.dumps))
                records = list(decisions(simulate(again)))
                assert (
                    change.node in {one["node"] for one in records if one.get("pod")}
                    or record["pod"] in (records[-1]["final"]["bound"])
                )


@pytest.mark.parametrize("seed", SEEDS)
def test_so_many_nodes_of_a_group_schedule_the_pods(seed: int) -> None:
    drawn, objects = cluster(seed)
    for one in drawn.nodes:
        one["metadata"].setdefault("labels", {})["eks.amazonaws.com/nodegroup"] = "pool"
    text = scenario(*objects)
    for one in helping(parse_scenario(text)).helps:
        if not one.pods or one.why == FULL:
            continue
        asked = Add(group=one.group, zone=one.zone, like=one.like, count=one.nodes)
        _, timeline = carried_out(parse_scenario(text), asked)
        events = list(simulate(parse_scenario(append_events(text, timeline, json.dumps))))
        final = next(event for event in events if isinstance(event, RunFinished))
        assert not set(one.pods) & set(final.pending)
        assert any("ResourceSlice" in json.dumps(event) for event in timeline)


@pytest.mark.parametrize("seed", SEEDS)
def test_an_upgrade_decides_as_each_release_would(seed: int) -> None:
    drawn = Drawn(seed, 34)
    objects = drawn.objects()
    old, new = (parse_scenario(scenario(*objects), release=RELEASES[name]) for name in ("1.34", "1.36"))
    found = upgrade(old, new)
    for change in found.changes:
        for side, version in ((change.before, "1.34"), (change.after, "1.36")):
            assert (side.node, side.message) == decided(old, objects, change.pod, version)


def decided(old: Any, objects: list[Manifest], key: str, version: str) -> tuple[str, str]:
    """Return a release's decision about the pod alone, with all other pods and claims as at the end of the run."""
    final = list(decisions(simulate(old)))[-1]["final"]
    kept: list[Manifest] = []
    own = {name for name, claim in final["claims"].items() if claim["reservedFor"] == [key.partition("/")[2]]}
    for one in objects:
        name = f"default/{one['metadata']['name']}"
        if one["kind"] == "Pod":
            if name != key and name not in final["bound"]:
                continue
            spec = {**one["spec"], **({"nodeName": final["bound"][name]} if name != key else {})}
            one = {**one, "spec": spec}
        if one["kind"] == "ResourceClaim" and name not in own:
            one = {**one, **status_of(final["claims"].get(name))}
        kept.append(one)
    first = next(decisions(simulate(parse_scenario(scenario(*kept), release=RELEASES[version]))))
    return first["node"] or "", first["message"] or ""


def status_of(claim: Any) -> Manifest:
    if not claim or not claim["allocation"]:
        return {}
    allocation: Manifest = {"devices": {"results": claim["allocation"]["results"]}}
    if claim["allocation"]["nodeSelector"]:
        allocation["nodeSelector"] = claim["allocation"]["nodeSelector"]
    users = [{"resource": "pods", "name": name} for name in claim["reservedFor"]]
    return {"status": {"allocation": allocation, "reservedFor": users}}
