"""Field tables: the type of each field of a document, checked in the same way as by the API server's decoder.

Checking a valid value takes one pass; the path to an invalid one is built only when an error is reported. The value
`null` is the same as an absent field, as in Go's JSON; as an item of a list it is an error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

from scheduler_core.apis.messages import Message
from scheduler_core.apis.quantity import QuantityError, parse_nano
from scheduler_core.scenario.reading.problems import Path, Problems, did_you_mean, name_of_type, not_supported, show
from scheduler_core.scenario.reading.times import is_time

# The suffix of a quantity, by common misspellings in lower case.
_SUFFIXES = {unit[0].lower() + end: unit for unit in ("Ki", "Mi", "Gi", "Ti") for end in ("", "i", "b", "ib")}
_MISSPELT = re.compile(r"(\d+(?:\.\d+)?)\s*([A-Za-z]+)", re.ASCII)
_HINTS = 20  # the number of unknown fields of a mapping for which a similar name is suggested

Finding = tuple[Path, Message, bool]  # path below the value, message, whether it is about an unknown field
Findings = list[Finding]


class Type(Protocol):
    """A type of the tables. `check` returns None for a valid value, otherwise the findings, at least one."""

    @property
    def name(self) -> str: ...

    def check(self, value: Any) -> Findings | None: ...


class Scalar(msgspec.Struct, frozen=True):
    """A type whose values have no parts; `low` and `high` are the bounds of integers."""

    name: str
    python: tuple[type, ...]
    expected: Message
    low: int = -(2**63)
    high: int = 2**63 - 1

    def check(self, value: Any) -> Findings | None:
        kind = type(value)
        if kind in self.python and (kind is not int or self.low <= value <= self.high):
            return None
        if value is None:
            return None
        hint = Message("; put it in quotes") if kind in (int, float, bool) and str in self.python else ""
        values: dict[str, object] = {"value": show(value), "expected": self.expected}
        if kind in self.python:
            return [((), Message("{value} is out of range; expected {expected}", **values), False)]
        values |= {"type": name_of_type(value), "hint": hint}
        return [((), Message("{value} is {type}; expected {expected}{hint}", **values), False)]


STRING = Scalar("string", (str,), Message("a string"))
BOOLEAN = Scalar("boolean", (bool,), Message("true or false"))
INT32 = Scalar("integer", (int,), Message("an integer of 32 bits"), -(2**31), 2**31 - 1)
INT64 = Scalar("integer", (int,), Message("an integer"))
NUMBER = Scalar("number", (int, float), Message("a number"))
INT_OR_STRING = Scalar("integer or percentage", (int, str), Message('an integer or a percentage such as "50%"'))


class Quantity(msgspec.Struct, frozen=True):
    """A Kubernetes quantity, as a string or a number. `milli`: it is usually in thousandths, such as 500m of cpu."""

    name: str = "quantity"
    milli: bool = False

    def check(self, value: Any) -> Findings | None:
        if value is None:
            return None
        if type(value) in (str, int, float):
            try:
                parse_nano(str(value))
            except QuantityError:
                pass
            else:
                return None
        expected = self._meant(value) or Message("expected a number with an optional suffix such as 500m or 2Gi")
        return [((), Message("{value} is not a quantity; {expected}", value=show(value), expected=expected), False)]

    def _meant(self, value: Any) -> Message | None:
        """Return a suggestion for a quantity with a misspelt suffix; None if the value is something else."""
        match = _MISSPELT.fullmatch(str(value))
        suffix = match and _SUFFIXES.get(match[2].lower())
        if not match or not suffix:
            return None
        return Message("did you mean {instead}?", instead=show(match[1] + ("m" if self.milli else suffix)))


class Time(msgspec.Struct, frozen=True):
    """An RFC 3339 time such as 2025-01-01T00:00:00Z."""

    name: str = "time"

    def check(self, value: Any) -> Findings | None:
        if value is None or (type(value) is str and is_time(value)):
            return None
        return [
            ((), Message("{value} is not a time; expected one such as 2025-01-01T00:00:00Z", value=show(value)), False)
        ]


_DURATION = re.compile(r"[-+]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)", re.ASCII)


class Duration(msgspec.Struct, frozen=True):
    """A Go duration such as 5s or 1m30s (`metav1.Duration`)."""

    name: str = "duration"

    def check(self, value: Any) -> Findings | None:
        if value is None or (type(value) is str and len(value) < 100 and _DURATION.fullmatch(value)):
            return None
        return [((), Message("{value} is not a duration; expected one such as 5s or 1m30s", value=show(value)), False)]


_PATCH = re.compile(r"1\.[0-9]{1,3}\.[0-9]{1,3}", re.ASCII)


class Anything(msgspec.Struct, frozen=True):
    """A value that the table does not check."""

    name: str = "any"

    def check(self, value: Any) -> Findings | None:
        return None


QUANTITY, TIME, DURATION, ANY = Quantity(), Time(), Duration(), Anything()


class Enum(msgspec.Struct, frozen=True):
    """A string of a fixed set, or "", which the reader of the field may reject.

    `patches`: the values are versions such as 1.34, which a patch number may follow, as in 1.34.2.
    """

    values: tuple[str, ...]
    name: str = "enum"
    patches: bool = False

    def check(self, value: Any) -> Findings | None:
        if value is None or value in self.values:
            return None
        if self.patches and type(value) is str and _PATCH.fullmatch(value) and value.rpartition(".")[0] in self.values:
            return None
        if type(value) is str:
            return [((), not_supported(value, self.values), False)] if value else None
        return STRING.check(value)


class ListOf(msgspec.Struct, frozen=True):
    """A list of values of one type, without null."""

    item: Type
    name: str = "list"

    def check(self, value: Any) -> Findings | None:
        if value is None:
            return None
        if type(value) is not list:
            message = Message("{value} is {type}; expected a list", value=show(value), type=name_of_type(value))
            return [((), message, False)]
        findings: Findings = []
        for index, item in enumerate(value):
            if item is None:
                findings.append(((index,), Message("null is not allowed in a list"), False))
            elif below := self.item.check(item):
                findings.extend(((index, *path), message, unknown) for path, message, unknown in below)
        return findings or None


def _not_a_mapping(value: Any) -> Finding:
    message = Message("{value} is {type}; expected a mapping", value=show(value), type=name_of_type(value))
    return (), message, False


class MapOf(msgspec.Struct, frozen=True):
    """A mapping from arbitrary keys to values of one type. `keys`: keys that editors suggest, with descriptions."""

    item: Type
    name: str = "map"
    keys: Mapping[str, str] = {}

    def check(self, value: Any) -> Findings | None:
        if value is None:
            return None
        if type(value) is not dict:
            return [_not_a_mapping(value)]
        findings: Findings = []
        for key, item in value.items():
            if below := self.item.check(item):
                findings.extend(((key, *path), message, unknown) for path, message, unknown in below)
        return findings or None


class ResourceList(MapOf, frozen=True):
    """Quantities by resource; a suggestion for a misspelt quantity of cpu is in thousandths."""

    def check(self, value: Any) -> Findings | None:
        findings = super().check(value)
        if findings and type(value) is dict and (of_cpu := _CPU.check(value.get("cpu"))):
            own = [finding for finding in findings if finding[0] != ("cpu",)]
            return [*own, *((("cpu", *path), message, unknown) for path, message, unknown in of_cpu)]
        return findings


_CPU = Quantity(milli=True)


class Fields(msgspec.Struct, frozen=True):
    """A mapping with known keys. `hints`: descriptions of the fields for editors."""

    name: str
    fields: Mapping[str, Type]
    hints: Mapping[str, str] = {}

    def check(self, value: Any) -> Findings | None:
        if value is None:
            return None
        if type(value) is not dict:
            return [_not_a_mapping(value)]
        findings: Findings = []
        for key, item in value.items():
            field = self.fields.get(key)
            if field is None:
                hint = did_you_mean(key, self.fields) if len(findings) < _HINTS else ""
                findings.append(((key,), Message("unknown field {key}{hint}", key=show(key), hint=hint), True))
            elif below := field.check(item):
                findings.extend(((key, *path), message, unknown) for path, message, unknown in below)
        return findings or None


class Shorthand(msgspec.Struct, frozen=True):
    """A mapping with known keys, or any other value, which stands for one of them; its reader checks such a value."""

    fields: Fields
    name: str = "any"

    def check(self, value: Any) -> Findings | None:
        return self.fields.check(value) if type(value) is dict else None


class Localized(msgspec.Struct, frozen=True):
    """A text: a string, or a mapping with the text in each language."""

    languages: Fields
    name: str = "string"

    def check(self, value: Any) -> Findings | None:
        return (self.languages if type(value) is dict else STRING).check(value)


LOCALIZED = Localized(
    Fields("LocalizedText", {"en": STRING, "zh": STRING}, {"en": "English", "zh": "Simplified Chinese"})
)


def unread(names: str) -> dict[str, Type]:
    """Return fields of any type, from names separated by spaces; code that reads one must check its type."""
    return dict.fromkeys(names.split(), ANY)


def strings(names: str) -> dict[str, Type]:
    """Return fields that are strings, from names separated by spaces."""
    return dict.fromkeys(names.split(), STRING)


def check(schema: Type, value: Any, path: Path, problems: Problems, *, strict: bool = False) -> bool:
    """Report invalid values as errors; an unknown field is a warning, or an error if `strict`.

    Return True if every known field is valid, whether or not there are unknown ones.
    """
    fits = True
    for below, message, unknown in schema.check(value) or ():
        if unknown and not strict:
            problems.warn(path + below, message)
        else:
            problems.error(path + below, message)
            fits = fits and unknown
    return fits
