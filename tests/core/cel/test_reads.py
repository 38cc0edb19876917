"""The attributes that an expression can read: its result does not change without all others."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from scheduler_core.cel.device import CelDevice, compile_device_selector
from scheduler_core.cel.environment import CompileError
from tests.core.cel.test_devices import COST_IS_DRAWN, RECORDED

GPU = "gpu.example.com"
DOMAIN = f'device.attributes["{GPU}"]'


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("true", ()),
        (f'device.driver == "{GPU}"', ()),
        (f'{DOMAIN}.model == "a100"', ("model",)),
        (f'{DOMAIN}["model"] == "a100" && has({DOMAIN}.numa)', ("model", "numa")),
        (f'device.attributes[?"{GPU}"].?model.orValue("a100") == "a100"', ("model",)),
        (f'"model" in {DOMAIN}', ("model",)),
        (f'cel.bind(gpu, {DOMAIN}, gpu.model == "a100" && gpu.numa == 1)', ("model", "numa")),
        (f'["a100"].exists(gpu, {DOMAIN}.model == gpu)', ("model",)),
        (f'device.capacity["{GPU}"].memory.compareTo(quantity("40Gi")) >= 0', ()),
    ],
)
def test_attributes_that_are_named_are_read(expression: str, names: tuple[str, ...]) -> None:
    assert compile_device_selector(expression, 36).reads == {(GPU, name) for name in names}


@pytest.mark.parametrize(
    "expression",
    [
        f'{DOMAIN}.exists(name, name == "model")',
        f"size({DOMAIN}) > 1",
        "device.attributes.exists(domain, true)",
        f'{DOMAIN}[device.driver == "a" ? "model" : "numa"] == 1',
        f"cel.bind(gpu, {DOMAIN}, size(gpu) > 1)",
        "cel.bind(it, device, size(it.attributes) > 1)",
        f'"{GPU}" in device.attributes',
    ],
)
def test_an_expression_that_goes_through_the_names_may_read_all(expression: str) -> None:
    assert compile_device_selector(expression, 36).reads is None


def test_no_recorded_expression_notices_that_the_other_attributes_are_gone() -> None:
    table = json.loads((RECORDED / "input.json").read_text())
    narrowed = 0
    for expression in table["expressions"]:
        try:
            selector = compile_device_selector(expression, 36)
        except CompileError:
            continue
        if selector.reads is None or expression in COST_IS_DRAWN:
            continue
        for one in table["devices"]:
            attributes = {name: next(iter(value.items())) for name, value in one.get("attributes", {}).items()}
            capacity = {name: value["value"] for name, value in one.get("capacity", {}).items()}
            device = CelDevice(one["driver"], attributes, capacity)
            narrow = {
                name: value
                for name, value in attributes.items()
                if value[0] == "version" or tuple((f"{device.driver}/{name}").split("/")[-2:]) in selector.reads
            }
            narrowed += narrow != attributes
            assert selector.evaluate(replace(device, attributes=narrow)) == selector.evaluate(device), expression
    assert narrowed > 100
