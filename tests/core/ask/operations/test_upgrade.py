"""The changes of an upgrade agree with the decisions of the other release's scheduler."""

from __future__ import annotations

import json
from collections.abc import Iterable
from random import Random
from typing import Any

import pytest

from scheduler_core import decisions, parse_scenario, simulate
from scheduler_core.ask.moments.judge import Side
from scheduler_core.ask.operations.upgrade import upgrade
from scheduler_core.releases import RELEASES
from scheduler_core.scenario.parse import Limits, Scenario
from tests.builders import node, pod, scenario
from tests.core.ask.operations import clusters


def read(text: str, version: str) -> Scenario:
    return parse_scenario(text, Limits(), {}, RELEASES[version])


def decided(documents: Iterable[Any], key: str, version: str) -> tuple[str, str]:
    """Return the node and message of the pod's first attempt if no other pod is pending."""
    kept = []
    for one in documents:
        if one["kind"] == "Pod":
            name = f"default/{one['metadata']['name']}"
            spec = {field: value for field, value in one["spec"].items() if field != "nodeName" or name != key}
            if name != key and "nodeName" not in spec:
                continue
            one = {**one, "spec": spec}
        kept.append(one)
    first = next(decisions(simulate(read("\n---\n".join(map(json.dumps, kept)), version))))
    assert first["pod"] == key
    return first["node"] or "", first["message"] or ""


def decision_of(side: Side) -> tuple[str, str]:
    return side.node, side.message


@pytest.mark.parametrize("seed", range(25))
def test_every_pod_is_decided_as_each_release_would(seed: int) -> None:
    random = Random(seed)
    text = clusters.text(seed)
    old, new = sorted(random.sample(list(RELEASES), 2), key=list(RELEASES).index)
    found = upgrade(read(text, old), read(text, new))
    final = list(decisions(simulate(read(text, old))))[-1]["final"]
    documents = []
    for one in map(json.loads, text.split("\n---\n")):
        key = f"default/{one['metadata'].get('name')}" if one["kind"] == "Pod" else ""
        if key in final["deleted"]:
            continue
        if key in final["bound"]:
            one["spec"]["nodeName"] = final["bound"][key]
        documents.append({**one, "spec": {k: v for k, v in one.get("spec", {}).items() if k not in ("events",)}})
    for change in {one.pod: one for one in (*found.changes, *found.pending)}.values():
        assert decision_of(change.before) == decided(documents, change.pod, old)
        assert decision_of(change.after) == decided(documents, change.pod, new)


def test_a_message_that_another_release_words_otherwise_is_no_move() -> None:
    text = scenario(node("n1", cpu=1, taints=["gpu=yes:NoSchedule"]), pod("web", cpu=1))
    found = upgrade(read(text, "1.34"), read(text, "1.35"))
    [change] = found.changes
    assert change.cause is not None
    assert change.cause.kind == "message"
    assert (change.before.node, change.after.node) == ("", "")
    assert change.before.message != change.after.message
    assert found.pending == found.changes


def test_releases_that_agree_change_nothing() -> None:
    text = scenario(node("n1"), node("n2"), pod("web", cpu=1, node="n2"))
    found = upgrade(read(text, "1.35"), read(text, "1.36"))
    assert (found.decided, found.changes, found.pending) == (1, [], [])
