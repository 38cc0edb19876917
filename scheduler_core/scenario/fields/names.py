"""Validates names, labels and annotations as apimachinery's `util/validation` does.

A function of a text returns the reason why it is invalid, or None if it is valid.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container
from functools import lru_cache
from typing import Any

from scheduler_core.apis.messages import Message
from scheduler_core.scenario.reading.problems import Path, Problems, duplicate, forbidden, invalid, required

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", re.ASCII)
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*", re.ASCII)
_QUALIFIED = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]", re.ASCII)
_PORT_NAME = re.compile(r"[-a-z0-9]+", re.ASCII)

_LABEL_RULE = Message(
    "must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character "
    "(such as my-name or 123-abc)"
)
_SUBDOMAIN_RULE = Message(
    "must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric "
    "character (such as example.com)"
)
_QUALIFIED_RULE = Message(
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(such as MyName, my.name or 123-abc)"
)
_LABEL_VALUE_RULE = Message(
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (such as MyName, my.name or 123-abc)"
)
MAX_ANNOTATIONS = 256 * 1024  # the total length of keys and values (ValidateAnnotationsSize)


@lru_cache(maxsize=65536)
def dns_label(text: str) -> Message | None:
    """Return why the text is not an RFC 1123 label, as names of containers must be, or None (`IsDNS1123Label`)."""
    if len(text) > 63:
        return Message("must be no more than 63 characters")
    return None if _LABEL.fullmatch(text) else _LABEL_RULE


def dns_subdomain(text: str) -> Message | None:
    """Return why the text is no RFC 1123 subdomain, as most object names must be, or None (`IsDNS1123Subdomain`)."""
    if len(text) > 253:
        return Message("must be no more than 253 characters")
    return None if _SUBDOMAIN.fullmatch(text) else _SUBDOMAIN_RULE


@lru_cache(maxsize=65536)
def qualified_name(text: str) -> Message | None:
    """Return why the text is not a name with an optional DNS prefix, or None (`IsQualifiedName`).

    Such names are label keys, resources and scheduling gates.
    """
    prefix, slash, name = text.rpartition("/")
    if "/" in prefix:
        return Message(
            "a qualified name {rule} with an optional DNS subdomain prefix and '/'",
            rule=_QUALIFIED_RULE,
        )
    if slash and not prefix:
        return Message("prefix part must be non-empty")
    if prefix and (reason := dns_subdomain(prefix)):
        return Message("prefix part {reason}", reason=reason)
    if not name:
        return Message("name part must be non-empty")
    if len(name) > 63:
        return Message("name part must be no more than 63 characters")
    return None if _QUALIFIED.fullmatch(name) else Message("name part {rule}", rule=_QUALIFIED_RULE)


@lru_cache(maxsize=65536)
def label_value(text: str) -> Message | None:
    """Return the error of a label's value, or None (`IsValidLabelValue`)."""
    if len(text) > 63:
        return Message("must be no more than 63 characters")
    if not text or _QUALIFIED.fullmatch(text):
        return None
    return _LABEL_VALUE_RULE


def port_name(text: str) -> Message | None:
    """Return the error of a port's name, or None (`IsValidPortName`)."""
    if len(text) > 15:
        return Message("must be no more than 15 characters")
    if not _PORT_NAME.fullmatch(text):
        return Message("must contain only alphanumeric characters (a-z, 0-9), and hyphens (-)")
    if not re.search("[a-z]", text):
        return Message("must contain at least one letter (a-z)")
    if "--" in text:
        return Message("must not contain consecutive hyphens")
    return Message("must not begin or end with a hyphen") if text[0] == "-" or text[-1] == "-" else None


def check_name(
    name: str,
    path: Path,
    problems: Problems,
    missing: Message | None = None,
    validate: Callable[[str], Message | None] = dns_label,
    others: Container[str] = (),
) -> None:
    """Report a name that is missing, invalid, or one of `others`. `missing`: the reason why it is required."""
    if not name:
        problems.error(path, required(missing))
    elif reason := validate(name):
        problems.error(path, invalid(name, reason))
    elif name in others:
        problems.error(path, duplicate(name))


def rfc_1123_label(text: str) -> Message | None:
    """Return the error of an RFC 1123 label, or None; unlike that of `dns_label`, the message names RFC 1123."""
    reason = dns_label(text)
    return reason and Message("a lowercase RFC 1123 label {reason}", reason=reason)


def check_labels(labels: dict[str, str], path: Path, problems: Problems) -> None:
    """Report labels whose key is no qualified name, or whose value is no label value (`ValidateLabels`)."""
    for key, value in labels.items():
        if reason := qualified_name(key):
            problems.error((*path, key), invalid(key, reason))
        if reason := label_value(value):
            problems.error((*path, key), invalid(value, reason))


def check_metadata(metadata: dict[str, Any], path: Path, problems: Problems, *, dns_label_name: bool = False) -> None:
    """Report errors in the parts of metadata that are read (`ValidateObjectMeta`). `path` is its path.

    `dns_label_name`: the name must be an RFC 1123 label, not only a subdomain.
    """
    name = metadata.get("name") or ""
    if not name:
        problems.error((*path, "name"), required(Message("name or generateName is required; a scenario needs a name")))
    elif reason := (dns_label if dns_label_name else dns_subdomain)(name):
        problems.error((*path, "name"), invalid(name, Message("a lowercase RFC 1123 name {reason}", reason=reason)))
    namespace = metadata.get("namespace") or ""
    if namespace and (reason := rfc_1123_label(namespace)):
        problems.error((*path, "namespace"), invalid(namespace, reason))
    check_labels(text_map(metadata.get("labels")), (*path, "labels"), problems)
    _check_annotations(text_map(metadata.get("annotations")), (*path, "annotations"), problems)
    _check_owners(metadata.get("ownerReferences") or (), (*path, "ownerReferences"), problems)


def text_map(value: dict[str, str | None] | None) -> dict[str, str]:
    """Return a map of strings, {} for None; a null value becomes "", as in Go."""
    if not value:
        return {}
    return {key: text or "" for key, text in value.items()} if None in value.values() else value  # type: ignore[return-value]


def _check_annotations(annotations: dict[str, str], path: Path, problems: Problems) -> None:
    size = 0
    for key, value in annotations.items():
        size += len(key.encode()) + len(value.encode())
        if reason := qualified_name(key.lower()):
            problems.error((*path, key), invalid(key, reason))
    if size > MAX_ANNOTATIONS:
        problems.error(
            path,
            Message("too long: annotations may have at most {most} bytes", most=MAX_ANNOTATIONS),
        )


def _check_owners(owners: Any, path: Path, problems: Problems) -> None:
    """Report each owner reference after the first that has controller set to true."""
    controllers = [index for index, owner in enumerate(owners) if owner.get("controller")]
    for index in controllers[1:]:
        problems.error((*path, index), forbidden(Message("only one owner reference can have controller set to true")))
