"""The editor's catalogue contains every field that the parser reads of a scenario, workload or event."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scheduler_core import parse_scenario
from scheduler_core.scenario.catalogue import field_catalogue
from scheduler_core.scenario.fields.scenario_fields import EVENT
from scheduler_core.scenario.fields.schema import Anything
from scheduler_core.scenario.parse import ScenarioErrors
from scheduler_core.scenario.settings.controllers import CONTROLLERS
from scheduler_core.scenario.settings.timeline import VERBS
from tests.conftest import ROOT
from tests.core.controllers.worlds import node, text

READERS = [
    *(f"scenario/settings/{name}.py" for name in ("timeline", "controllers", "scenario_document", "cluster_state")),
    *(f"scenario/objects/{name}.py" for name in ("workloads", "admission", "availability", "pods", "nodes", "volumes")),
    *(f"controllers/{name}.py" for name in ("requests", "resize", "kubelet", "podautoscaler", "cronjob", "job")),
]
# Read as they are given: of statuses, of what is no field of a document, of objects that a controller writes.
NO_FIELDS = {
    "NodeClaim",  # a kind
    "storage",  # a resource
    "job",  # a word of a schedule
    "completedIndexes",  # of a status
    "nodes",  # of an event, after it was read
}
ANNOTATION = re.compile(r'kschedui\.io/([a-z-]+)"|PREFIX \+ "([a-z-]+)"|_numbers?\(pod, "([a-z-]+)"')


def fields_read(path: Path) -> Iterator[tuple[str, int]]:
    """Yield the constants that are looked up in a mapping, with their lines."""
    for found in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(found, ast.Call) and isinstance(found.func, ast.Attribute) and found.func.attr == "get":
            key = found.args[0] if found.args else None
        elif isinstance(found, ast.Subscript) and isinstance(found.ctx, ast.Load):
            key = found.slice
        else:
            continue
        if isinstance(key, ast.Constant) and isinstance(key.value, str) and key.value.isidentifier():
            yield key.value, found.lineno


def test_every_field_that_the_parser_reads_is_completed() -> None:
    known = {field for fields in field_catalogue()["types"].values() for field in fields}
    unknown = [
        f"{path}:{line}: {field}"
        for path in READERS
        for field, line in fields_read(ROOT / "scheduler_core" / path)
        if field not in known | NO_FIELDS
    ]
    assert not unknown


def test_every_annotation_that_is_read_is_completed() -> None:
    keys = set(field_catalogue()["types"]["ObjectMeta"]["annotations"]["keys"])
    read: set[str] = set()
    for path in sorted((ROOT / "scheduler_core").rglob("*.py")):
        if path.name not in ("common_fields.py", "node_lifecycle.py", "lesson_annotations.py"):
            found = ANNOTATION.findall(path.read_text(encoding="utf-8"))
            read |= {f"kschedui.io/{next(filter(None, names))}" for names in found}
    assert read == keys


def test_every_verb_of_the_timeline_completes_its_fields() -> None:
    assert set(VERBS) == set(EVENT.fields) - {"at"} == set(EVENT.hints) - {"at"}
    types = field_catalogue()["types"]
    free = {verb for verb in VERBS if types["TimelineEvent"][verb]["type"] == "any"}
    assert free == {"create", "update"}
    unchecked = {verb for verb in VERBS if isinstance(EVENT.fields[verb], Anything)}
    assert unchecked == free


def test_the_names_of_controllers_can_be_chosen() -> None:
    values = field_catalogue()["types"]["ScenarioSpec"]["controllers"]["values"]
    assert values == ["*", *(name.removesuffix("-controller") for name in CONTROLLERS)]


@pytest.mark.parametrize(
    ("event", "field"),
    [
        ({"drain": {"node": "n1", "forced": True}}, "forced"),
        ({"cordon": {"nodes": ["n1"]}}, "nodes"),
        ({"evict": {"pod": {"owner": "web", "number": 1}}}, "number"),
        ({"finish": {"pod": "web@1/0", "exitcode": 1}}, "exitcode"),
        ({"ready": {"pod": "web@1/0", "ready": False}}, "ready"),
        ({"pressure": {"node": "n1", "seconds": 5}}, "seconds"),
        ({"load": {"kind": "Node", "name": "n1", "use": {}}}, "use"),
    ],
)
def test_an_unknown_field_of_an_event_is_reported_with_its_line(event: dict[str, Any], field: str) -> None:
    written = text(node("n1"), events=[{"at": 1, **event}])
    with pytest.raises(ScenarioErrors) as raised:
        parse_scenario(written)
    error = next(error for error in raised.value.errors if f'unknown field "{field}"' in str(error))
    assert field in written.splitlines()[error.line - 1]
