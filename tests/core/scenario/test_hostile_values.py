"""The parser returns a scenario or located errors for any value in any field of any kind."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from scheduler_core.scenario.catalogue import field_catalogue
from scheduler_core.scenario.parse import ScenarioErrors, parse_scenario
from tests.builders import node, pod

CATALOGUE = field_catalogue()
VALUES = {
    "string": "a",
    "integer": 1,
    "integer or percentage": "50%",
    "number": 1,
    "boolean": True,
    "quantity": "1",
    "time": "2025-01-01T00:00:00Z",
    "duration": "5s",
    "any": {"a": "b"},
}
HOSTILE: list[Any] = [
    *(None, True, 0, 5, -1, 2**31, 2**70, 1.5, 1e300),
    *(
        "",
        "a",
        "²",
        "0-30000000",
        "/a/²",
        "*",
        "(",
        "9999999999h",
        "1e400",
        "nan",
        "50%",
        "a" * 300,
        "9" * 5000,
        f"v1.{'9' * 5000}",
    ),
    *([], {}, [None], [5], ["²"], [[]], [{}], {"a": 5}, {"a": None}, {"": {}}, {"a": ["b"]}),
]
KARPENTER = {
    "apiVersion": "kschedui.io/v1alpha1",
    "kind": "Karpenter",
    "metadata": {"name": "karpenter"},
}
DOCUMENTS = [
    *CATALOGUE["kinds"],
    {"apiVersion": "v1", "kind": "ConfigMap", "type": "cluster-autoscaler-priority-expander"},
    {"apiVersion": "v1", "kind": "ConfigMap", "type": "scheduler-config"},
]
CONFIG_MAPS = {
    "cluster-autoscaler-priority-expander": {"priorities": "10: [a]"},
    "scheduler-config": {"policy.cfg": '{"kind": "Policy", "apiVersion": "v1"}'},
}


def sample(described: dict[str, Any], seen: set[str]) -> Any:
    """Return a value of a field's type. Each type with fields is filled in once in a document, `seen`."""
    if described.get("list"):
        return [sample({**described, "list": False}, seen)]
    if described.get("map"):
        return {"cpu": sample({**described, "map": False}, seen)}
    kind = described["type"]
    if kind == "enum":
        return described["values"][0]
    if kind in VALUES:
        return VALUES[kind]
    return full(kind, seen)


def full(name: str, seen: set[str]) -> dict[str, Any]:
    """Return a mapping with all fields of a type, {} if it is in the document already."""
    if name in seen:
        return {}
    seen.add(name)
    return {field: sample(described, seen) for field, described in CATALOGUE["types"][name].items()}


def document(kind: dict[str, str]) -> dict[str, Any]:
    """Return a document of a kind with all of its fields."""
    own = {"apiVersion": kind["apiVersion"], "kind": kind["kind"]}
    if kind["kind"] == "ConfigMap":
        return own | {"metadata": {"name": kind["type"]}, "data": CONFIG_MAPS[kind["type"]]}
    seen = set() if kind["kind"] == "Pod" else {"PodSpec"}
    return full(kind["type"], seen) | own


def paths_of(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from paths_of(item, (*path, key))


def changed(text: str, path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """Return the document with another value in one place."""
    copy = json.loads(text)
    place = copy
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = value
    return copy


def unanswered(kind: dict[str, str], every: int) -> list[str]:
    """Try each `every`-th place and value. Return those that raise another error than ScenarioErrors."""
    whole = document(kind)
    text, found = json.dumps(whole), []
    beside = [node("n1"), pod("p1"), *([KARPENTER] if "karpenter" in kind["apiVersion"] else [])]
    places = [path for path in paths_of(whole) if path not in (("apiVersion",), ("kind",))]
    tries = [(path, value) for path in places for value in HOSTILE]
    for path, value in tries[len(text) % every :: every]:
        documents = [*beside, changed(text, path, value)]
        try:
            parse_scenario("\n---\n".join(map(json.dumps, documents)))
        except ScenarioErrors:
            pass
        except Exception as error:
            found.append(f"{kind['kind']} {'.'.join(map(str, path))} = {json.dumps(value)[:40]}: {error!r}")
    return found


@pytest.mark.parametrize("kind", DOCUMENTS, ids=lambda kind: f"{kind['apiVersion']}-{kind['kind']}-{kind['type']}")
def test_any_value_in_any_field_is_answered(kind: dict[str, str]) -> None:
    assert unanswered(kind, 97) == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", DOCUMENTS, ids=lambda kind: f"{kind['apiVersion']}-{kind['kind']}-{kind['type']}")
def test_every_value_in_every_field_is_answered(kind: dict[str, str]) -> None:
    assert unanswered(kind, 1) == []
