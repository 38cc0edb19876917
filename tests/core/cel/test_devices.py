"""Device selectors have the results of k8s.io/dynamic-resource-allocation/cel."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest

from scheduler_core.cel.device import AttributeValue, CelDevice, compile_device_selector
from scheduler_core.cel.environment import CompileError

RECORDED = Path(__file__).parent / "devices"
# What these cost depends on the order of a map's keys, which Go draws anew each time.
COST_IS_DRAWN = frozenset(
    (
        'device.attributes["gpu.example.com"].exists(k, k == "model")',
        'device.attributes.exists(d, d == "gpu.example.com")',
        'device.attributes["gpu.example.com"].exists(k, device.attributes["gpu.example.com"][k] == "a100")',
    )
)


def _devices() -> dict[str, CelDevice]:
    given = json.loads((RECORDED / "input.json").read_text())["devices"]
    devices = {}
    for each in given:
        attributes: dict[str, AttributeValue] = {
            name: next(iter(value.items())) for name, value in each.get("attributes", {}).items()
        }
        capacity = {name: value["value"] for name, value in each.get("capacity", {}).items()}
        devices[each["name"]] = CelDevice(each["driver"], attributes, capacity)
    return devices


def _recorded(release: str) -> list[dict]:
    with lzma.open(RECORDED / f"expected-{release}.jsonl.xz", "rt") as lines:
        return [json.loads(line) for line in lines]


@pytest.mark.parametrize("release", ["1.34", "1.36"])
def test_every_recorded_expression_has_its_results_error_texts_and_costs(release: str) -> None:
    devices = _devices()
    for expected in _recorded(release):
        expression = expected["expression"]
        minor = int(release.partition(".")[2])
        if "compileError" in expected:
            with pytest.raises(CompileError) as refused:
                compile_device_selector(expression, minor)
            assert str(refused.value) == expected["compileError"]
            continue
        selector = compile_device_selector(expression, minor)
        assert selector.max_cost == expected["maxCost"], expression
        for name, device in devices.items():
            answer = selector.evaluate(device)
            known = expected["results"][name]
            assert (answer.matches, answer.error) == (known.get("matches"), known.get("error")), (expression, name)
            if expression not in COST_IS_DRAWN:
                assert answer.cost == known["cost"], (expression, name)
