"""CEL selectors of devices: expressions over `device` (`k8s.io/dynamic-resource-allocation/cel/compile.go`)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TypeAlias

import msgspec

from scheduler_core.cel import types
from scheduler_core.cel.decisive import decisive_part
from scheduler_core.cel.environment import CompileError, Environment, make_environment
from scheduler_core.cel.estimate import Shape, estimate_cost
from scheduler_core.cel.libraries.quantity import QuantityError, parse_quantity
from scheduler_core.cel.libraries.semver import Semver, SemverError, parse_semver
from scheduler_core.cel.plan import Program
from scheduler_core.cel.reads import Attributes, attributes_read
from scheduler_core.cel.recursion import deep_recursion
from scheduler_core.cel.types import Kind
from scheduler_core.cel.values import Error, Map, Value, type_of

MAX_COST = 1_000_000
MAX_EXPRESSION = 10 * 1024  # bytes
_DEVICE = types.struct("kubernetes.DRADevice")
_DOMAIN, _ID, _ATTRIBUTE, _QUANTITY = Shape(63), Shape(32), Shape(64), Shape()
_MAX_NAMES = 32  # attributes and capacities of a device
_SHAPE = Shape(
    fields={
        "driver": Shape(63),
        "allowMultipleAllocations": Shape(1),
        "attributes": Shape(
            _MAX_NAMES,
            key=_DOMAIN,
            element=Shape(_MAX_NAMES, key=_ID, element=_ATTRIBUTE, any_field=_ATTRIBUTE),
        ),
        "capacity": Shape(_MAX_NAMES, key=_DOMAIN, element=Shape(_MAX_NAMES, key=_ID, element=_QUANTITY)),
    }
)

AttributeValue: TypeAlias = "tuple[str, bool | int | str]"
"""The kind of an attribute ("string", "int", "bool" or "version") and its value."""


class CelDevice(msgspec.Struct, frozen=True):
    """A device for selectors: attributes and capacity by name, qualified or not, as in a ResourceSlice."""

    driver: str
    attributes: Mapping[str, AttributeValue] = {}
    capacity: Mapping[str, str] = {}
    allow_multiple_allocations: bool = False


class Evaluation(msgspec.Struct, frozen=True):
    """The result of a selector for a device: whether it matches (None after an error), the error, and the cost."""

    matches: bool | None
    error: str | None
    cost: int


class CompiledSelector:
    """A compiled selector. `max_cost` is the maximum cost that Kubernetes estimates.

    `reads` are the attributes that it can read (None: any); an invalid version in any other attribute is an error, too.
    """

    __slots__ = ("_program", "expression", "max_cost", "reads")

    def __init__(self, expression: str, program: Program, max_cost: int, reads: Attributes) -> None:
        self.expression = expression
        self._program = program
        self.max_cost = max_cost
        self.reads = reads

    def evaluate(self, device: CelDevice, *, cost_limit: int = MAX_COST) -> Evaluation:
        """Evaluate the expression on a device; return the result or the error, and the cost."""
        try:
            variables = {"device": _device_value(device)}
        except (SemverError, QuantityError) as error:
            return Evaluation(None, str(error), 0)
        with deep_recursion():
            result, cost = self._program.evaluate(variables, limit=cost_limit)
        if type(result) is bool:
            return Evaluation(result, None, cost)
        return Evaluation(None, result.message if type(result) is Error else _not_bool(result), cost)


@lru_cache(maxsize=1024)
def compile_device_selector(text: str, minor: int, *, consumable_capacity: bool = True) -> CompiledSelector:
    """Compile a selector for Kubernetes 1.`minor`. Raises CompileError with Kubernetes' message.

    `consumable_capacity` is the feature gate DRAConsumableCapacity, which adds `device.allowMultipleAllocations`.
    """
    environment = _environment(minor, consumable_capacity)
    with deep_recursion():
        checked = environment.check(text)
        if checked.result.kind not in (Kind.BOOL, Kind.ANY):
            raise CompileError(f"must evaluate to bool or the unknown type, not {checked.result}")
        program, cost = environment.plan(checked), estimate_cost(checked, {"device": _SHAPE})
        return CompiledSelector(text, program, cost, attributes_read(checked))


def explain_mismatch(text: str, minor: int, device: CelDevice, *, consumable_capacity: bool = True) -> str:
    """Return the part that makes a selector false for a device ("memory 40Gi < 80Gi").

    Raises CompileError, and SemverError or QuantityError for an invalid device.
    """
    environment = _environment(minor, consumable_capacity)
    with deep_recursion():
        return decisive_part(environment, environment.check(text), {"device": _device_value(device)})


@lru_cache(maxsize=32)
def _environment(minor: int, consumable_capacity: bool) -> Environment:
    fields = {
        "driver": types.STRING,
        "attributes": types.map_of(types.STRING, types.map_of(types.STRING, types.ANY)),
        "capacity": types.map_of(types.STRING, types.map_of(types.STRING, types.QUANTITY)),
    }
    if consumable_capacity:
        fields["allowMultipleAllocations"] = types.BOOL
    return make_environment(minor, {"device": _DEVICE}, {_DEVICE.name: fields})


def _device_value(device: CelDevice) -> Map:
    """Return the value of `device`. Raises SemverError and QuantityError."""
    attributes: dict[str, Map] = {}
    for name, (kind, value) in device.attributes.items():
        domain, id_ = _split(name, device.driver)
        try:
            parsed = parse_semver(value) if kind == "version" else value
        except SemverError as error:
            raise SemverError(f"attribute {name}: parse semantic version: {error}") from None
        attributes.setdefault(domain, Map(named=True))[id_] = parsed
    capacity: dict[str, Map] = {}
    for name, text in device.capacity.items():
        domain, id_ = _split(name, device.driver)
        capacity.setdefault(domain, Map(named=True))[id_] = parse_quantity(text)
    empty = Map(named=True)
    return Map(
        {
            "driver": device.driver,
            "allowMultipleAllocations": device.allow_multiple_allocations,
            "attributes": Map(attributes, empty, named=True),
            "capacity": Map(capacity, empty, named=True),
        },
        named=True,
    )


def _split(name: str, driver: str) -> tuple[str, str]:
    domain, slash, id_ = name.partition("/")
    return (domain, id_) if slash else (driver, name)


def _not_bool(value: Value) -> str:
    """Return Kubernetes' error for a result that is not a bool."""
    kind = type_of(value).name
    if type(value) is str:
        why = "unsupported native conversion from string to 'bool'"
    elif type(value) is Semver:
        why = "type conversion error from 'Semver' to 'bool'"
    else:
        why = f"unsupported type conversion from '{kind}' to bool"
    return f"CEL result of type {kind} could not be converted to bool: {why}"
