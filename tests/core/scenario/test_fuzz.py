"""The parser returns a scenario or located errors for any text, and always the same for the same text."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from scheduler_core.releases import RELEASES
from scheduler_core.scenario.parse import Scenario, ScenarioErrors, parse_scenario
from scheduler_core.scenario.reading.limits import Limits
from scheduler_core.scenario.reading.yaml_composer import Composer
from tests.builders import budget, configuration, node, pod, priority_class, required_affinity, scenario, spread

VOLUME = {"name": "v", "persistentVolumeClaim": {"claimName": "c"}}
CLAIM = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "c"},
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "volumeName": "pv"},
}
EXTENDER = {"urlPrefix": "http://e", "filterVerb": "f", "managedResources": [{"name": "example.com/gpu"}]}
RICH = [
    priority_class("high", 100),
    node("n1", taints=["a=b:NoSchedule"], images={"x": 5}),
    budget("b", {"app": "web"}, minAvailable="50%"),
    CLAIM,
    pod(
        "a",
        cpu="500m",
        limits={"example.com/gpu": "1"},
        labels={"app": "web"},
        priority_class="high",
        gates=["example.com/g"],
        tolerations=[{"key": "a", "operator": "Exists", "effect": "NoSchedule"}],
        affinity=required_affinity({"app": "db"}, anti=True),
        topologySpreadConstraints=[spread({"app": "web"})],
        volumes=[VOLUME],
        host_port=80,
        overhead={"cpu": "1m"},
        resources={"limits": {"cpu": "2"}},
    ),
    configuration(
        profiles=[
            {
                "plugins": {"score": {"enabled": [{"name": "ImageLocality", "weight": 3}]}},
                "pluginConfig": [{"name": "DefaultPreemption", "args": {"minCandidateNodesAbsolute": 5}}],
            }
        ],
        extenders=[EXTENDER],
    ),
    json.loads(
        scenario(
            seed=1,
            events=[{"at": 1, "create": pod("b")}, {"at": 2, "delete": {"kind": "Pod", "name": "b"}}],
            faults=[{"pod": "a", "point": "Bind"}],
            expect={"pods": {"a": "n1"}},
            extenders=[{"urlPrefix": "http://e", "filter": [{"reject": "no", "pods": {"matchLabels": {"a": "b"}}}]}],
        )
    ),
]

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.sampled_from(
        ["v1", "Pod", "Node", "List", "1Gi", "-5", "In", "default/a", "50%", "2025-01-01T00:00:00Z", "5s"]
    ),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=6), below, max_size=3),
    max_leaves=8,
)


def outcome(text: str) -> Scenario | str:
    try:
        return parse_scenario(text, Limits(bytes=200_000))
    except ScenarioErrors as errors:
        for error in errors.errors:
            assert error.message
            assert 0 <= error.line <= text.count("\n") + 1
        return str(errors)


def paths_of(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(below for key, item in items for below in paths_of(item, (*path, key)))]


PATHS = paths_of(RICH)[1:]


def test_the_rich_scenario_has_no_problem() -> None:
    found = outcome("\n---\n".join(map(json.dumps, RICH)))
    assert isinstance(found, Scenario)
    assert found.warnings == ()


@settings(max_examples=300, deadline=None)
@given(st.text())
@example("---\n...\n---")
@example("%YAML 1.1\n--- a\n...\n")
@example("- &a [*a]")
@example("a: &a {b: *a}")
@example("{a: 1, <<: [{b: 1}, 5]}")
@example("apiVersion: v1\nkind: List\nitems: [null, 5, {}]")
def test_any_text_is_answered(text: str) -> None:
    assert outcome(text) == outcome(text)


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="abk:[]{}&*!%@#|>-?,'\"~<. \n\t01", max_size=60))
def test_any_yaml_punctuation_is_answered(text: str) -> None:
    outcome(text)


@settings(max_examples=600, deadline=None)
@given(st.sampled_from(PATHS), JSON_VALUES, st.sampled_from(list(RELEASES)))
@example((4, "spec", "containers"), [], "1.18")
@example((5, "profiles", 0, "pluginConfig", 0, "args"), [{}], "1.19")
def test_any_value_in_any_place_is_answered_in_any_release(path: tuple[Any, ...], value: Any, release: str) -> None:
    documents = copy.deepcopy(RICH)
    documents[-1]["spec"]["kubernetesVersion"] = release
    place: Any = documents
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = value
    outcome("\n---\n".join(json.dumps(document, allow_nan=False) for document in documents))


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(PATHS), st.text(min_size=1, max_size=8), JSON_VALUES)
@example((5, "profiles", 0, "plugins"), "filters", 1)
@example((4, "spec", "volumes", 0), "unknown", 1)
def test_any_further_field_is_answered(path: tuple[Any, ...], key: str, value: Any) -> None:
    documents = copy.deepcopy(RICH)
    place: Any = documents
    for part in path:
        place = place[part]
    if isinstance(place, dict):
        place[key] = value
    outcome("\n---\n".join(json.dumps(document, allow_nan=False) for document in documents))


PLAIN_TEXT = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=12)
PLAIN_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | PLAIN_TEXT,
    lambda below: st.lists(below, max_size=4) | st.dictionaries(PLAIN_TEXT, below, max_size=4),
    max_leaves=20,
)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(PLAIN_TEXT, PLAIN_VALUES))
def test_json_is_read_the_same_by_the_yaml_reader(data: dict[str, Any]) -> None:
    composer = Composer(json.dumps(data), Limits(), 0)
    assert composer.documents() == [data]


def test_numbers_beyond_all_bounds_are_answered() -> None:
    for text in ('{"at": 1e999, "delete": {"kind": "Pod", "name": "a"}}', '{"at": 1, "create": {"spec": 1e999}}'):
        assert isinstance(outcome(scenario(events=[]).replace("[]", f"[{text}]")), str)
    for quantity in ("1e999", '"1e999"'):  # both are text, as in YAML
        assert isinstance(outcome(json.dumps(node("n1")).replace('"4"', quantity)), Scenario)
