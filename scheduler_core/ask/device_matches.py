"""Results of a CEL expression for each device: value, error and cost.

A file of devices has either `devices` (each with name, driver, attributes and capacity as in a ResourceSlice) and
`expressions`, or ResourceSlices as a cluster prints them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from scheduler_core.apis.messages import Message
from scheduler_core.cel.device import AttributeValue, CelDevice, compile_device_selector
from scheduler_core.cel.environment import CompileError
from scheduler_core.releases import Release
from scheduler_core.scenario.fields.schema import BOOLEAN, INT64, QUANTITY, STRING, Fields, ListOf, MapOf, check
from scheduler_core.scenario.reading.documents import Document, read_documents
from scheduler_core.scenario.reading.limits import Limits
from scheduler_core.scenario.reading.problems import (
    Path,
    Problems,
    ScenarioErrors,
    TooManyProblems,
    duplicate,
    invalid,
    required,
)

_ATTRIBUTE = Fields("DeviceAttribute", {"string": STRING, "version": STRING, "int": INT64, "bool": BOOLEAN})
_CAPACITY = Fields("DeviceCapacity", {"value": QUANTITY})
_DEVICE = Fields(
    "Device",
    {
        "name": STRING,
        "driver": STRING,
        "attributes": MapOf(_ATTRIBUTE),
        "capacity": MapOf(_CAPACITY),
        "allowMultipleAllocations": BOOLEAN,
    },
)
_DEVICE_IN_SLICE = Fields("DeviceInSlice", {**_DEVICE.fields, "basic": _DEVICE})
_POOL = Fields("ResourcePool", {"name": STRING})
_SLICE = Fields("ResourceSliceSpec", {"driver": STRING, "pool": _POOL, "devices": ListOf(_DEVICE_IN_SLICE)})
_TABLE = Fields("DeviceTable", {"devices": ListOf(_DEVICE), "expressions": ListOf(STRING)})


class DeviceTable(msgspec.Struct, frozen=True):
    """Devices by name, and the expressions of the same file."""

    devices: dict[str, CelDevice]
    expressions: tuple[str, ...] = ()


def read_devices(text: str, limits: Limits | None = None) -> DeviceTable:
    """Return the devices of a file; raises ScenarioErrors."""
    problems = Problems()
    table = DeviceTable({})
    try:
        for document in read_documents(text, limits or Limits(), problems):
            problems.enter(document.chunk, document.prefix)
            table = _read_document(document, table, problems)
    except TooManyProblems:
        pass
    if errors := problems.errors():
        raise ScenarioErrors(errors)
    return table


def match_devices(expression: str, devices: dict[str, CelDevice], release: Release) -> dict[str, Any]:
    """Return the result of the expression in a release: `compileError`, or `maxCost` and the `results` by device."""
    try:
        selector = compile_device_selector(expression, int(release.version.partition(".")[2]))
    except CompileError as error:
        return {"compileError": str(error), "expression": expression}
    results: dict[str, dict[str, object]] = {}
    for name, device in sorted(devices.items()):
        answer = selector.evaluate(device)
        result = {"matches": answer.matches} if answer.error is None else {"error": answer.error}
        results[name] = {"cost": answer.cost, **result}
    return {"expression": expression, "maxCost": selector.max_cost, "results": results}


def _read_document(document: Document, table: DeviceTable, problems: Problems) -> DeviceTable:
    data = document.data
    if "devices" in data and "kind" not in data:
        return _read_table(data, problems) if check(_TABLE, data, (), problems) else table
    if data.get("kind") == "ResourceSlice" and str(data.get("apiVersion")).startswith("resource.k8s.io/"):
        spec = data.get("spec") or {}
        if check(_SLICE, spec, ("spec",), problems):
            return DeviceTable({**table.devices, **dict(_devices_of_slice(spec, problems))}, table.expressions)
    return table


def _read_table(data: dict[str, Any], problems: Problems) -> DeviceTable:
    devices: dict[str, CelDevice] = {}
    for index, fields in enumerate(data.get("devices") or ()):
        path: Path = ("devices", index)
        name = _require(fields, "name", path, problems)
        if name in devices:
            problems.error((*path, "name"), duplicate(name))
        devices[name] = _read_device(fields, _require(fields, "driver", path, problems), path, problems)
    return DeviceTable(devices, tuple(data.get("expressions") or ()))


def _devices_of_slice(spec: dict[str, Any], problems: Problems) -> Iterator[tuple[str, CelDevice]]:
    """Yield the devices of a ResourceSlice by driver, pool and name; before v1beta2 their fields are under `basic`."""
    driver = _require(spec, "driver", ("spec",), problems)
    pool = _require(spec.get("pool") or {}, "name", ("spec", "pool"), problems)
    for index, fields in enumerate(spec.get("devices") or ()):
        path: Path = ("spec", "devices", index)
        name = _require(fields, "name", path, problems)
        yield f"{driver}/{pool}/{name}", _read_device({**fields, **(fields.get("basic") or {})}, driver, path, problems)


def _read_device(fields: dict[str, Any], driver: str, path: Path, problems: Problems) -> CelDevice:
    attributes: dict[str, AttributeValue] = {}
    for name, value in (fields.get("attributes") or {}).items():
        values = [
            (kind, each) for kind, each in (value or {}).items() if kind in _ATTRIBUTE.fields and each is not None
        ]
        if len(values) == 1:
            attributes[name] = values[0]
        else:
            message = Message("must have exactly one of string, version, int and bool")
            problems.error((*path, "attributes", name), invalid(value, message))
    capacity: dict[str, str] = {}
    for name, value in (fields.get("capacity") or {}).items():
        capacity[name] = str(_require(value or {}, "value", (*path, "capacity", name), problems))
    return CelDevice(driver, attributes, capacity, fields.get("allowMultipleAllocations") is True)


def _require(fields: dict[str, Any], name: str, path: Path, problems: Problems) -> Any:
    if (value := fields.get(name)) in (None, ""):
        problems.error((*path, name), required())
        return ""
    return value
