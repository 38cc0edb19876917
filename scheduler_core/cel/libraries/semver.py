"""Semantic versions in expressions (`k8s.io/apiserver/pkg/cel/library/semverlib.go`, `blang/semver`)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, TypeAlias

import msgspec

from scheduler_core.cel.declarations import Function, Library, Overload
from scheduler_core.cel.libraries.quotes import quote
from scheduler_core.cel.types import BOOL, INT, SEMVER, STRING
from scheduler_core.cel.values import MAX_UINT, NO_SUCH_OVERLOAD, Error, Value, register

PreRelease: TypeAlias = "tuple[Any, ...]"  # int or str
_NUMBER = re.compile(r"[0-9]*", re.ASCII)
_ALPHANUMERIC = re.compile(r"[0-9A-Za-z-]*", re.ASCII)


class Semver(msgspec.Struct, frozen=True):
    """A semantic version; build metadata is ignored in comparisons."""

    major: int
    minor: int
    patch: int
    prerelease: PreRelease = ()
    build: tuple[str, ...] = ()


class SemverError(ValueError):
    """The text is not a valid version; the message is that of Kubernetes' library."""


@lru_cache(maxsize=4096)
def parse_semver(text: str) -> Semver:
    """Parse a version. Raises SemverError."""
    if not text:
        raise SemverError("Version string empty")
    parts = text.split(".", 2)
    if len(parts) != 3:
        raise SemverError("No Major.Minor.Patch elements found")
    major, minor = _number(parts[0], "major", "Major"), _number(parts[1], "minor", "Minor")
    version, plus, build = parts[2].partition("+")
    patch_text, minus, prerelease = version.partition("-")
    patch = _number(patch_text, "patch", "Patch")
    return Semver(
        major,
        minor,
        patch,
        tuple(_prerelease(each) for each in prerelease.split(".")) if minus else (),
        tuple(_build(each) for each in build.split(".")) if plus else (),
    )


def normalize(text: str) -> Semver:
    """Return the version of a text that may have a leading v, leading zeros or missing parts. Raises SemverError."""
    parts = text.removeprefix("v").split(".", 2)
    for index, part in enumerate(parts):
        if len(part) > 1:
            stripped = part.lstrip("0")
            parts[index] = stripped if stripped[:1].isdigit() and stripped[:1].isascii() else "0" + stripped
    if len(parts) < 3:
        if "+" in parts[-1] or "-" in parts[-1]:
            raise SemverError("short version cannot contain PreRelease/Build meta data")
        parts += ["0"] * (3 - len(parts))
    return parse_semver(".".join(parts))


def compare_versions(semver: Semver, other: Semver) -> int:
    """Return -1, 0 or 1 if the first version is lower than, equal to or higher than the second."""
    left, right = (semver.major, semver.minor, semver.patch), (other.major, other.minor, other.patch)
    if left != right:
        return 1 if left > right else -1
    if not semver.prerelease or not other.prerelease:
        return bool(other.prerelease) - bool(semver.prerelease)
    for a, b in zip(semver.prerelease, other.prerelease, strict=False):
        if a != b:
            if type(a) is not type(b):
                return -1 if type(a) is int else 1
            return 1 if a > b else -1
    return (len(semver.prerelease) > len(other.prerelease)) - (len(semver.prerelease) < len(other.prerelease))


def _number(text: str, name: str, title: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise SemverError(f"Invalid character(s) found in {name} number {quote(text)}")
    if len(text) > 1 and text[0] == "0":
        raise SemverError(f"{title} number must not contain leading zeroes {quote(text)}")
    return _parse_uint(text)


def _parse_uint(text: str) -> int:
    if not text:
        raise SemverError('strconv.ParseUint: parsing "": invalid syntax')
    number = int(text) if len(text) <= 20 else MAX_UINT + 1
    if number > MAX_UINT:
        raise SemverError(f"strconv.ParseUint: parsing {quote(text)}: value out of range")
    return number


def _prerelease(text: str) -> int | str:
    if not text:
        raise SemverError("Prerelease is empty")
    if _NUMBER.fullmatch(text):
        if len(text) > 1 and text[0] == "0":
            raise SemverError(f"Numeric PreRelease version must not contain leading zeroes {quote(text)}")
        return _parse_uint(text)
    if not _ALPHANUMERIC.fullmatch(text):
        raise SemverError(f"Invalid character(s) found in prerelease {quote(text)}")
    return text


def _build(text: str) -> str:
    if not text:
        raise SemverError("Build meta data is empty")
    if not _ALPHANUMERIC.fullmatch(text):
        raise SemverError(f"Invalid character(s) found in build meta data {quote(text)}")
    return text


def _semver(text: Value, normalized: Value = False) -> Value:
    assert isinstance(text, str)
    try:
        return normalize(text) if normalized else parse_semver(text)
    except SemverError as error:
        return Error(str(error))


def _is_semver(text: Value, normalized: Value = False) -> Value:
    return type(_semver(text, normalized)) is Semver


def _equal(semver: Semver, other: Value) -> Value:
    if type(other) is not Semver:
        return other if type(other) is Error else NO_SUCH_OVERLOAD
    return compare_versions(semver, other) == 0


def _as_int(number: int) -> Value:
    """Convert a 64-bit number to a signed one, as Go does."""
    return number if number < 2**63 else number - 2**64


register(Semver, SEMVER, equal=_equal, unhashable="cel.Semver")

_TWO = (SEMVER, SEMVER)
SEMVERS = Library(
    (
        Function(
            "semver",
            (
                Overload("string_to_semver", (STRING,), SEMVER, False, _semver),
                Overload("string_bool_to_semver", (STRING, BOOL), SEMVER, False, _semver),
            ),
        ),
        Function(
            "isSemver",
            (
                Overload("is_semver_string", (STRING,), BOOL, False, _is_semver),
                Overload("is_semver_string_bool", (STRING, BOOL), BOOL, False, _is_semver),
            ),
        ),
        Function(
            "isGreaterThan",
            (Overload("semver_is_greater_than", _TWO, BOOL, True, lambda a, b: compare_versions(a, b) > 0),),
        ),
        Function(
            "isLessThan", (Overload("semver_is_less_than", _TWO, BOOL, True, lambda a, b: compare_versions(a, b) < 0),)
        ),
        Function("compareTo", (Overload("semver_compare_to", _TWO, INT, True, compare_versions),)),
        Function("major", (Overload("semver_major", (SEMVER,), INT, True, lambda version: _as_int(version.major)),)),
        Function("minor", (Overload("semver_minor", (SEMVER,), INT, True, lambda version: _as_int(version.minor)),)),
        Function("patch", (Overload("semver_patch", (SEMVER,), INT, True, lambda version: _as_int(version.patch)),)),
    )
)
