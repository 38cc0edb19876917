"""The number of devices that a selector matches equals the result of evaluating it for each device."""

from __future__ import annotations

import pytest

from scheduler_core import parse_scenario
from scheduler_core.ask import selector_matches
from scheduler_core.ask.selector_matches import match_selectors
from tests.builders import (
    Manifest,
    claims,
    device,
    device_claim,
    device_class,
    device_request,
    node,
    parse,
    pod,
    resource_slice,
    scenario,
)
from tests.core.devices.drawn import Drawn
from tests.core.devices.exhaustive import SELECTORS

LARGE = 'device.capacity["gpu.example.com"].memory.compareTo(quantity("80Gi")) >= 0'


def cluster(*expressions: str) -> list[Manifest]:
    devices = [device(f"gpu-{number}", memory="80Gi" if number % 2 else "40Gi", index=number) for number in range(8)]
    request = device_request("gpu", "gpu", *expressions)
    return [
        node("n1"),
        device_class(),
        resource_slice("old", ["gone"], pool="n1", generation=1),
        resource_slice("n1", devices, pool="n1", generation=2),
        device_claim("c", request),
        pod("p", resourceClaims=claims("c")),
    ]


def test_the_devices_that_match_are_counted_and_the_first_are_named() -> None:
    of_class, large = match_selectors(parse(*cluster(LARGE)))
    assert (of_class.matching, of_class.devices) == (8, 8)
    assert of_class.names == [f"n1/gpu-{number}" for number in range(6)]
    assert (large.matching, large.names) == (4, ["n1/gpu-1", "n1/gpu-3", "n1/gpu-5", "n1/gpu-7"])


def test_a_selector_that_fails_says_why_and_one_that_does_not_compile_is_left_to_the_warnings() -> None:
    broken, wrong = 'device.attributes["gpu.example.com"].colour == "red"', "device.driver =="
    scenario_ = parse(*cluster(broken, wrong))
    found = match_selectors(scenario_)
    assert [(one.matching, one.error) for one in found[1:]] == [(0, "no such key: colour")]
    assert any("ERROR: <input>:1:17" in str(one.message) for one in scenario_.warnings)


def test_without_devices_there_is_nothing_to_count() -> None:
    assert match_selectors(parse(node("n1"), device_class(), device_claim("c"))) == []


def test_evaluating_ends_where_it_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(match_selectors(parse(*cluster(LARGE)))) == 2
    monkeypatch.setattr(selector_matches, "MAX_COST", 15)
    assert len(match_selectors(parse(*cluster(LARGE)))) == 1


@pytest.mark.parametrize("seed", range(14))
def test_each_selector_matches_what_it_says_of_each_device(seed: int) -> None:
    drawn = Drawn(seed, 36)
    devices = [
        one
        for piece in drawn.slices
        if piece["spec"]["driver"] == "gpu.example.com" and piece["spec"]["pool"]["generation"] > 0
        for one in piece["spec"].get("devices", [])
        if not one["name"].startswith("old") or piece["spec"]["pool"]["name"] not in newer(drawn)
    ]
    others = sum(
        len(one["spec"].get("devices", [])) for one in drawn.slices if one["spec"]["driver"] != "gpu.example.com"
    )
    for found in match_selectors(parse_scenario(scenario(*drawn.objects()))):
        if found.expression in SELECTORS and found.expression != "true" and not found.error:
            assert found.matching == sum(map(SELECTORS[found.expression], devices))
            assert found.devices == len(devices) + others


def newer(drawn: Drawn) -> set[str]:
    return {one["spec"]["pool"]["name"] for one in drawn.slices if one["spec"]["pool"]["generation"] > 1}
