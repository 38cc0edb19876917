"""If any field of any object is null, the text is rejected in a sentence, or it runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from kschedui.scenarios import lessons
from scheduler_core import RunEnded, parse_scenario, simulate
from scheduler_core.scenario.parse import ScenarioErrors
from tests.builders import node, parse, pod

LESSONS = sorted(Path(lessons.__file__).parents[1].glob("*/*.yaml"))
MOST_EVENTS = 2_000
TEXTS = {"title", "description", "lesson", "challenge"}  # of a scenario; no decision reads them

Shape = tuple[str, ...]


def leaves(value: Any, shape: Shape = ()) -> Iterator[tuple[dict[str, Any], str, Shape]]:
    """Yield each field with the mapping that contains it, and its path without the indexes of lists."""
    if isinstance(value, dict):
        for key, below in value.items():
            if not isinstance(below, dict | list):
                yield value, key, (*shape, key)
            yield from leaves(below, (*shape, key))
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item, (*shape, "*"))


@pytest.mark.slow
def test_null_in_any_field_of_a_lesson_is_refused_or_runs() -> None:
    seen: set[Shape] = set()
    for file in LESSONS:
        documents = [data for data in yaml.load_all(file.read_text("utf-8"), yaml.CSafeLoader) if data]
        for document in documents:
            for mapping, key, shape in list(leaves(document, (document["kind"],))):
                if shape not in seen and not TEXTS & set(shape):
                    seen.add(shape)
                    before, mapping[key] = mapping[key], None
                    run_or_refuse(documents, shape)
                    mapping[key] = before
    assert len(seen) > 300


def run_or_refuse(documents: list[Any], shape: Shape) -> None:
    try:
        text = yaml.dump_all(documents, Dumper=yaml.CSafeDumper)
        for number, _ in enumerate(simulate(parse_scenario(text))):
            if number == MOST_EVENTS:
                break
    except (ScenarioErrors, RunEnded):
        pass
    except Exception as error:
        pytest.fail(f"{'.'.join(shape)}: {error!r}")


@pytest.mark.parametrize("field", ["default", "defaultRequest", "min", "max", "maxLimitRequestRatio"])
def test_a_null_quantity_of_a_limit_range_or_quota_is_zero(field: str) -> None:
    limits = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "l"}}
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": {"pods": None}}}
    items = [{"type": kind, field: {"cpu": None}} for kind in ("Container", "Pod")]
    late = {
        **pod("late"),
        "spec": {"containers": [{"name": "c", "image": "c", "resources": {"requests": {"cpu": None}}}]},
    }
    trace = simulate(
        parse(node("n1"), {**limits, "spec": {"limits": items}}, quota, events=[{"at": 1, "create": late}])
    )
    assert list(trace)


@pytest.mark.parametrize("reference", [{"group": None}, {"kind": ""}, {"name": None}, {"group": "a b"}])
def test_a_node_pool_needs_a_whole_reference_to_its_class(reference: dict[str, Any]) -> None:
    whole = {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"}
    template = {"spec": {"requirements": [], "nodeClassRef": {**whole, **reference}}}
    pool = {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": "p"},
        "spec": {"template": template},
    }
    with pytest.raises(ScenarioErrors) as refused:
        parse(node("n1"), {**pool, "spec": {"template": template}})
    assert "nodeClassRef" in str(refused.value)
