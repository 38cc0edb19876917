"""For the editor: the number of devices in a scenario that each CEL selector matches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from scheduler_core.apis.devices import (
    ClaimSpec,
    Device,
    DeviceClass,
    ResourceClaim,
    ResourceClaimTemplate,
    ResourceSlice,
)
from scheduler_core.plugins.dynamic_resources.contents import Contents
from scheduler_core.plugins.dynamic_resources.selectors import cel_device
from scheduler_core.scenario.types import Scenario

MAX_EXPRESSIONS = 50
MAX_NAMES = 6  # the number of matching devices that are named
MAX_COST = 1_000_000  # for all evaluations together, in CEL's cost units: about 0.1 s


class SelectorMatches(msgspec.Struct, frozen=True):
    """An expression, the number of `devices` in the scenario, and the number of `matching` ones.

    `names` are the first matching devices, "pool/device". `error`: the message of the first evaluation that fails.
    """

    expression: str
    matching: int
    devices: int
    names: list[str]
    error: str = ""


def match_selectors(scenario: Scenario) -> list[SelectorMatches]:
    """Return the matches of each expression that compiles; [] without devices.

    The first expression that takes too long to evaluate, and all after it or after MAX_EXPRESSIONS, are left out.
    """
    devices = list(
        _devices(resource_slice for resource_slice in scenario.objects if isinstance(resource_slice, ResourceSlice))
    )
    expressions = dict.fromkeys(expression for item in scenario.objects for expression in _expressions(item))
    if not devices or not expressions:
        return []
    results: list[SelectorMatches] = []
    left = MAX_COST
    for expression in list(expressions)[:MAX_EXPRESSIONS]:
        matches, cost = _match(expression, devices, scenario, left)
        left -= cost
        if left <= 0:
            break
        if matches is not None:
            results.append(matches)
    return results


def _match(
    expression: str, devices: list[tuple[str, str, Device]], scenario: Scenario, most: int
) -> tuple[SelectorMatches | None, int]:
    """Return the matches of a selector and their cost; None if it does not compile or costs at least `most`."""
    # Imported here: only scenarios with selectors need the compiler.
    from scheduler_core.cel.device import compile_device_selector
    from scheduler_core.cel.environment import CompileError

    release = scenario.release
    minor, shared = int(release.version.partition(".")[2]), release.has_on("DRAConsumableCapacity")
    try:
        selector = compile_device_selector(expression, minor, consumable_capacity=shared)
    except CompileError:
        return None, 0  # the error is reported as a warning
    contents = Contents(selector.reads)
    results: dict[int, bool | None] = {}  # by the number of the device's contents
    names: list[str] = []
    matching = spent = 0
    error = ""
    for pool, driver, device in devices:
        number = contents.number(driver, device)
        if number not in results:
            result = selector.evaluate(cel_device(driver, device), cost_limit=most)
            spent += 1 + result.cost
            if spent >= most:
                return None, spent
            results[number] = result.matches
            error = error or result.error or ""
        if results[number]:
            matching += 1
            if len(names) < MAX_NAMES:
                names.append(f"{pool}/{device.name}")
    return SelectorMatches(expression, matching, len(devices), names, error), spent


def _devices(slices: Iterable[ResourceSlice]) -> Iterator[tuple[str, str, Device]]:
    """Yield (pool, driver, device) of the newest generation of each pool."""
    all_slices = list(slices)
    newest: dict[tuple[str, str], int] = {}
    for piece in all_slices:
        key = piece.driver, piece.pool
        newest[key] = max(newest.get(key, 0), piece.generation)
    for piece in all_slices:
        if piece.generation == newest[piece.driver, piece.pool]:
            yield from ((piece.pool, piece.driver, device) for device in piece.devices)


def _expressions(item: object) -> Iterator[str]:
    if isinstance(item, DeviceClass):
        yield from item.selectors
    elif isinstance(item, (ResourceClaim, ResourceClaimTemplate)):
        yield from _of_claim(item.spec)


def _of_claim(spec: ClaimSpec) -> Iterator[str]:
    for request in spec.requests:
        for subrequest in request.first_available or (request,):
            yield from subrequest.selectors
