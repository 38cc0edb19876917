"""CEL selectors of classes and requests, compiled once and evaluated once per distinct device.

kube-scheduler: allocator_*.go, `selectorsMatch`, with k8s.io/dynamic-resource-allocation/cel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from scheduler_core.apis.devices import Device, DeviceClass, DeviceRequest
from scheduler_core.plugins.dynamic_resources.contents import Contents
from scheduler_core.releases import Release

if TYPE_CHECKING:  # imported with the first selector, since runs without devices need no compiler
    from scheduler_core.cel.device import AttributeValue, CelDevice, CompiledSelector
    from scheduler_core.cel.reads import Attributes

Answer = bool | str  # the text of an error, with "{claim}" for the name of the claim
MAX_ANSWERS = 100_000  # per selector
MAX_MISMATCHES = 10_000


class Selector(msgspec.Struct):
    """A compiled expression, or the compiler's error, with its results by the numbers of the devices in `contents`.

    `reads`: the attributes that it can read; None: any.
    """

    compiled: CompiledSelector | str
    reads: Attributes
    contents: Contents
    answers: dict[int, Answer] = {}
    mismatches: dict[int, str] = {}


_RUNTIME_ERROR = "CEL runtime error: "
# cel/errors.go: EnhanceRuntimeError
_MISSING_KEY_ADVICE = (
    ". consider using CEL optional chaining (.? followed by orValue()) or guarding the check with has() "
    "for optional fields"
)


class Selectors:
    """The selectors of a plugin, kept between cycles."""

    def __init__(self, release: Release, *, consumable_capacity: bool) -> None:
        self._names_devices = release.rules.selector_errors_name_the_device
        self._minor = int(release.version.partition(".")[2])
        self._consumable_capacity = consumable_capacity
        self._selectors: dict[str, Selector] = {}
        self._contents: dict[Attributes, Contents] = {}

    def answer(self, device_class: DeviceClass, request: DeviceRequest, driver: str, device: Device) -> Answer:
        """Evaluate the selectors, those of the class first, up to the first that is false or fails.

        Return True if all match, False if one does not, or the text of the failure.
        """
        for index, expression in enumerate(device_class.selectors):
            answer = self._answer(expression, driver, device)
            if isinstance(answer, str):
                return f"class {_escaped(device_class.name)}: selector #{index}{self._device_suffix(answer)}: {answer}"
            if not answer:
                return False
        for index, expression in enumerate(request.selectors):
            answer = self._answer(expression, driver, device)
            if isinstance(answer, str):
                return f"claim {{claim}}: selector #{index}{self._device_suffix(answer)}: {answer}"
            if not answer:
                return False
        return True

    def _device_suffix(self, failure: str) -> str:
        return " on device {device}" if self._names_devices and failure.startswith(_RUNTIME_ERROR) else ""

    def objection(
        self, device_class: DeviceClass, request: DeviceRequest, driver: str, device: Device
    ) -> tuple[bool, int, str] | None:
        """Return the selector that rejects the device: whether the class has it, its number, and the decisive part.

        None: all selectors match.
        """
        for of_class, selectors in ((True, device_class.selectors), (False, request.selectors)):
            for index, expression in enumerate(selectors):
                if self._answer(expression, driver, device) is not True:
                    return of_class, index, self._mismatch(expression, driver, device)
        return None

    def reads(self, expression: str) -> Attributes:
        """Return the attributes that an expression can read; None: any."""
        return self._selector(expression).reads

    def contents(self, reads: Attributes) -> Contents:
        """Return the numbering of devices by these attributes."""
        contents = self._contents.get(reads)
        if contents is None:
            contents = self._contents[reads] = Contents(reads)
        return contents

    def _answer(self, expression: str, driver: str, device: Device) -> Answer:
        selector = self._selector(expression)
        number = selector.contents.number(driver, device)
        answer = selector.answers.get(number)
        if answer is None:
            if len(selector.answers) >= MAX_ANSWERS:
                selector.answers.clear()
            advises = self._names_devices
            answer = selector.answers[number] = _evaluate(selector.compiled, driver, device, advises=advises)
        return answer

    def _mismatch(self, expression: str, driver: str, device: Device) -> str:
        selector = self._selector(expression)
        number = selector.contents.number(driver, device)
        text = selector.mismatches.get(number)
        if text is None:
            if len(selector.mismatches) >= MAX_MISMATCHES:
                selector.mismatches.clear()
            text = selector.mismatches[number] = self._explain(expression, driver, device)
        return text

    def _selector(self, expression: str) -> Selector:
        selector = self._selectors.get(expression)
        if selector is None:
            compiled = self._compile(expression)
            reads = frozenset() if isinstance(compiled, str) else compiled.reads
            selector = self._selectors[expression] = Selector(compiled, reads, self.contents(reads))
        return selector

    def _compile(self, expression: str) -> CompiledSelector | str:
        from scheduler_core.cel.device import compile_device_selector
        from scheduler_core.cel.environment import CompileError

        try:
            return compile_device_selector(expression, self._minor, consumable_capacity=self._consumable_capacity)
        except CompileError as error:
            return str(error)

    def _explain(self, expression: str, driver: str, device: Device) -> str:
        from scheduler_core.cel.device import explain_mismatch
        from scheduler_core.cel.environment import CompileError

        in_cel, shared = cel_device(driver, device), self._consumable_capacity
        try:
            return explain_mismatch(expression, self._minor, in_cel, consumable_capacity=shared)
        except CompileError as error:
            return str(error)


def _evaluate(compiled: CompiledSelector | str, driver: str, device: Device, *, advises: bool) -> Answer:
    if isinstance(compiled, str):
        return _escaped(f"CEL compile error: {compiled}")
    result = compiled.evaluate(cel_device(driver, device))
    if result.matches is not None:
        return result.matches
    advice = _MISSING_KEY_ADVICE if advises and "no such key:" in str(result.error) else ""
    return _escaped(f"{_RUNTIME_ERROR}{result.error}{advice}")


def cel_device(driver: str, device: Device) -> CelDevice:
    """Return the device as CEL sees it."""
    from scheduler_core.cel.device import CelDevice

    attributes: dict[str, AttributeValue] = {
        name: (attribute.kind, attribute.value) for name, attribute in device.attributes.items()
    }
    capacity = {name: str(amount.value) for name, amount in device.capacity.items()}
    return CelDevice(driver, attributes, capacity, device.allow_multiple_allocations)


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
