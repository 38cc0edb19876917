"""The comparison that made a selector false, with the values of the device."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scheduler_core.cel.device import CelDevice, compile_device_selector, explain_mismatch
from scheduler_core.cel.environment import CompileError

GPU = 'device.attributes["gpu.example.com"]'
MEMORY = 'device.capacity["gpu.example.com"].memory'
DEVICE = CelDevice(
    "gpu.example.com",
    {
        "model": ("string", "a100"),
        "index": ("int", 3),
        "nvlink": ("bool", False),
        "driverVersion": ("version", "535.161.8"),
    },
    {"memory": "40Gi", "bandwidth": "100G"},
)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (f'{MEMORY}.compareTo(quantity("80Gi")) >= 0', "memory 40Gi < 80Gi"),
        (
            f'device.driver == "gpu.example.com" && {GPU}.model in ["h100", "h200"]',
            'model "a100" not in ["h100", "h200"]',
        ),
        (f'{GPU}.model == "h100" || {GPU}.index < 2', 'model "a100" ≠ "h100" and index 3 ≥ 2'),
        (f'!({GPU}.model == "a100")', 'model "a100" = "a100"'),
        (f"{GPU}.nvlink", "nvlink = false"),
        (f'{GPU}.driverVersion.isGreaterThan(semver("550.0.0"))', "driverVersion 535.161.8 ≤ 550.0.0"),
        (f"has({GPU}.numa)", f"{GPU}.numa is missing"),
        (f'{MEMORY}.isLessThan(quantity("1Gi"))', "memory 40Gi ≥ 1Gi"),
        (f'{GPU}.model.startsWith("h")', 'model "a100".startsWith("h") is false'),
        ('device.capacity["gpu.example.com"].bandwidth.isGreaterThan(quantity("200G"))', "bandwidth 100G ≤ 200G"),
        (f"{GPU}.index % 2 == 0", "1 ≠ 0"),
        (f'{GPU}.index > 1 ? {GPU}.model == "h100" : true', 'model "a100" ≠ "h100"'),
        (f'{GPU}.exists(k, k == "numa")', f'{GPU}.exists(k, k == "numa") is false'),
    ],
)
def test_the_decisive_comparison_is_shown_with_its_values(expression: str, text: str) -> None:
    assert compile_device_selector(expression, 36).evaluate(DEVICE).matches is False
    assert explain_mismatch(expression, 36, DEVICE) == text


def test_every_recorded_expression_that_is_false_says_why() -> None:
    table = json.loads((Path(__file__).parent / "devices" / "input.json").read_text())
    devices = [
        CelDevice(
            one["driver"],
            {name: next(iter(value.items())) for name, value in (one.get("attributes") or {}).items()},
            {name: value["value"] for name, value in (one.get("capacity") or {}).items()},
            one.get("allowMultipleAllocations", False),
        )
        for one in table["devices"]
    ]
    explained = 0
    for expression in table["expressions"]:
        try:
            selector = compile_device_selector(expression, 36)
        except CompileError:
            continue
        for device in devices:
            if selector.evaluate(device).matches is False:
                text = explain_mismatch(expression, 36, device)
                assert text, expression
                assert "Expr(" not in text, expression
                explained += 1
    assert explained > 100
