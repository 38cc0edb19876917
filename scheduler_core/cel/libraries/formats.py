"""Named formats, and Kubernetes' messages for strings that do not match them.

Sources: `k8s.io/apiserver/pkg/cel/library/format.go`, `k8s.io/apimachinery/pkg/util/validation`.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable

import msgspec

from scheduler_core.cel.declarations import Function, Library, Overload
from scheduler_core.cel.libraries.url import why_not_uri
from scheduler_core.cel.types import FORMAT, STRING, list_of, optional_of
from scheduler_core.cel.values import NO_SUCH_OVERLOAD, NONE, Error, Optional, Value, register

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_LABEL_1035 = "[a-z]([-a-z0-9]*[a-z0-9])?"
_QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_BODY = "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
_UUID = re.compile("[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}", re.IGNORECASE | re.ASCII)
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)
_TIME = re.compile(r"(\d\d):(\d\d):(\d\d)(.[0-9]+)?(z|([+-]\d\d:\d\d))", re.ASCII)
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class Format(msgspec.Struct, frozen=True):
    """A named format. `pattern_length` determines the cost; `problems` returns the errors of a string, [] if none."""

    name: str
    pattern_length: int
    problems: Callable[[str], list[str]]


def _too_long(limit: int) -> str:
    return f"must be no more than {limit} characters"


def _unlike(message: str, pattern: str, *examples: str) -> str:
    shown = " or ".join(f"'{example}', " for example in examples)
    return f"{message} (e.g. {shown}regex used for validation is '{pattern}')"


def _label(text: str) -> list[str]:
    problems = [_too_long(63)] if len(text.encode()) > 63 else []
    if not re.fullmatch(_LABEL, text, re.ASCII):
        if re.fullmatch(_SUBDOMAIN, text, re.ASCII):
            return [*problems, "must not contain dots"]
        problems.append(
            _unlike(
                "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
                "and must start and end with an alphanumeric character",
                _LABEL,
                "my-name",
                "123-abc",
            )
        )
    return problems


def _subdomain(text: str) -> list[str]:
    problems = [_too_long(253)] if len(text.encode()) > 253 else []
    if not re.fullmatch(_SUBDOMAIN, text, re.ASCII):
        problems.append(
            _unlike(
                "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
                "and must start and end with an alphanumeric character",
                _SUBDOMAIN,
                "example.com",
            )
        )
    return problems


def _label_1035(text: str) -> list[str]:
    problems = [_too_long(63)] if len(text.encode()) > 63 else []
    if not re.fullmatch(_LABEL_1035, text, re.ASCII):
        problems.append(
            _unlike(
                "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
                "character, and end with an alphanumeric character",
                _LABEL_1035,
                "my-name",
                "abc-123",
            )
        )
    return problems


def _qualified_name(text: str) -> list[str]:
    unlike = _unlike(f"must consist of {_BODY}", _QUALIFIED, "MyName", "my.name", "123-abc")
    parts = text.split("/")
    if len(parts) > 2:
        return [f"a qualified name {unlike} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"]
    problems: list[str] = []
    if len(parts) == 2:
        prefix = _subdomain(parts[0]) if parts[0] else ["must be non-empty"]
        problems += [f"prefix part {problem}" for problem in prefix]
    name = parts[-1]
    if not name:
        problems.append("name part must be non-empty")
    elif len(name.encode()) > 63:
        problems.append(f"name part {_too_long(63)}")
    if not re.fullmatch(_QUALIFIED, name, re.ASCII):
        problems.append(f"name part {unlike}")
    return problems


def _label_value(text: str) -> list[str]:
    problems = [_too_long(63)] if len(text.encode()) > 63 else []
    pattern = f"({_QUALIFIED})?"
    if not re.fullmatch(pattern, text, re.ASCII):
        message = f"a valid label must be an empty string or consist of {_BODY}"
        problems.append(_unlike(message, pattern, "MyValue", "my_value", "12345"))
    return problems


def _as_prefix(problems: Callable[[str], list[str]]) -> Callable[[str], list[str]]:
    """Return the same check for the prefix of a name, which may end with a dash."""
    return lambda text: problems(text[:-2] + "a" if len(text) > 1 and text.endswith("-") else text)


def _uri(text: str) -> list[str]:
    wrong = why_not_uri(text)
    return [] if wrong is None else [wrong]


def _is_base64(text: str) -> bool:
    try:
        return bool(text) and base64.b64decode(text, validate=True) is not None
    except (binascii.Error, ValueError):
        return False


def _is_date(text: str) -> bool:
    match = _DATE.fullmatch(text)
    if match is None:
        return False
    year, month, day = (int(part) for part in match.groups())
    leap = month == 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 1 <= month <= 12 and 1 <= day <= _DAYS[month - 1] + leap


def _is_datetime(text: str) -> bool:
    parts = text.lower().split("t")
    if len(text) < 4 or len(parts) < 2 or not _is_date(parts[0]):
        return False
    match = _TIME.fullmatch(parts[1])
    return match is not None and match[1] <= "23" and match[2] <= "59" and match[3] <= "59"


def _unless(holds: Callable[[str], bool], problem: str) -> Callable[[str], list[str]]:
    return lambda text: [] if holds(text) else [problem]


_FORMATS = {
    "dns1123Label": Format("DNS1123Label", 30, _label),
    "dns1123Subdomain": Format("DNS1123Subdomain", 60, _subdomain),
    "dns1035Label": Format("DNS1035Label", 30, _label_1035),
    "qualifiedName": Format("QualifiedName", 60, _qualified_name),
    "dns1123LabelPrefix": Format("DNS1123LabelPrefix", 30, _as_prefix(_label)),
    "dns1123SubdomainPrefix": Format("DNS1123SubdomainPrefix", 60, _as_prefix(_subdomain)),
    "dns1035LabelPrefix": Format("DNS1035LabelPrefix", 30, _as_prefix(_label_1035)),
    "labelValue": Format("LabelValue", 40, _label_value),
    "uri": Format("URI", 1103, _uri),
    "uuid": Format(
        "uuid", 70, _unless(lambda text: _UUID.fullmatch(text) is not None, "does not match the UUID format")
    ),
    "byte": Format("byte", 84, _unless(_is_base64, "invalid base64")),
    "date": Format("date", 71, _unless(_is_date, "invalid date")),
    "datetime": Format("datetime", 71, _unless(_is_datetime, "invalid datetime")),
}


def _validate(format_: Format, text: Value) -> Value:
    assert isinstance(text, str)
    problems: list[Value] = list(format_.problems(text))
    return Optional(problems, present=True) if problems else NONE


def _format_named(name: Value) -> Value:
    format_ = _FORMATS.get(name)
    return NONE if format_ is None else Optional(format_, present=True)


def _equal(first: Format, other: Value) -> Value:
    if type(other) is not Format:
        return other if type(other) is Error else NO_SUCH_OVERLOAD
    return first.name == other.name


register(Format, FORMAT, equal=_equal, unhashable="cel.Format")


def _constant(name: str, format_: Format) -> Function:
    return Function(f"format.{name}", (Overload(f"format.{name}", (), FORMAT, False, lambda: format_),))


FORMATS = Library(
    (
        Function(
            "validate",
            (Overload("format-validate", (FORMAT, STRING), optional_of(list_of(STRING)), True, _validate),),
        ),
        Function("format.named", (Overload("format-named", (STRING,), optional_of(FORMAT), False, _format_named),)),
        *(_constant(name, format_) for name, format_ in _FORMATS.items()),
    )
)
