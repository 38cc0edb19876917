"""Names, labels and annotations as apimachinery's `util/validation` judges them: "" or the reason of refusal."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from scheduler_core.manifests.problems import Path, Problems, forbidden, invalid, required

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", re.ASCII)
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*", re.ASCII)
_QUALIFIED = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]", re.ASCII)
_PORT_NAME = re.compile(r"[-a-z0-9]+", re.ASCII)

_LABEL_RULE = (
    "must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character "
    "(such as my-name or 123-abc)"
)
_SUBDOMAIN_RULE = (
    "must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric "
    "character (such as example.com)"
)
_QUALIFIED_RULE = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(such as MyName, my.name or 123-abc)"
)
MAX_ANNOTATIONS = 256 * 1024  # bytes of all keys and values (ValidateAnnotationsSize)


@lru_cache(maxsize=65536)
def dns_label(text: str) -> str:
    """RFC 1123 label: namespaces, containers, volumes (`IsDNS1123Label`)."""
    if len(text) > 63:
        return "must be no more than 63 characters"
    return "" if _LABEL.fullmatch(text) else _LABEL_RULE


def dns_subdomain(text: str) -> str:
    """RFC 1123 subdomain: most object names (`IsDNS1123Subdomain`)."""
    if len(text) > 253:
        return "must be no more than 253 characters"
    return "" if _SUBDOMAIN.fullmatch(text) else _SUBDOMAIN_RULE


@lru_cache(maxsize=65536)
def qualified_name(text: str) -> str:
    """A name with an optional DNS prefix: label keys, resources, scheduling gates (`IsQualifiedName`)."""
    prefix, slash, name = text.rpartition("/")
    if "/" in prefix:
        return f"a qualified name {_QUALIFIED_RULE} with an optional DNS subdomain prefix and '/'"
    if slash and not prefix:
        return "prefix part must be non-empty"
    if prefix and (reason := dns_subdomain(prefix)):
        return f"prefix part {reason}"
    if not name:
        return "name part must be non-empty"
    if len(name) > 63:
        return "name part must be no more than 63 characters"
    return "" if _QUALIFIED.fullmatch(name) else f"name part {_QUALIFIED_RULE}"


@lru_cache(maxsize=65536)
def label_value(text: str) -> str:
    """`IsValidLabelValue`."""
    if len(text) > 63:
        return "must be no more than 63 characters"
    if not text or _QUALIFIED.fullmatch(text):
        return ""
    return f"a valid label must be an empty string or {_QUALIFIED_RULE.removeprefix('must ')}"


def port_name(text: str) -> str:
    """`IsValidPortName`."""
    if len(text) > 15:
        return "must be no more than 15 characters"
    if not _PORT_NAME.fullmatch(text):
        return "must contain only alphanumeric characters (a-z, 0-9), and hyphens (-)"
    if not re.search("[a-z]", text):
        return "must contain at least one letter (a-z)"
    if "--" in text:
        return "must not contain consecutive hyphens"
    return "must not begin or end with a hyphen" if text[0] == "-" or text[-1] == "-" else ""


def check_labels(labels: dict[str, str], path: Path, problems: Problems) -> None:
    """Keys are qualified names, values label values (`ValidateLabels`)."""
    for key, value in labels.items():
        if reason := qualified_name(key):
            problems.error((*path, key), invalid(key, reason))
        if reason := label_value(value):
            problems.error((*path, key), invalid(value, reason))


def check_metadata(metadata: dict[str, Any], path: Path, problems: Problems, *, dns_label_name: bool = False) -> None:
    """`ValidateObjectMeta`, of the fields that are read. `path` is that of the metadata."""
    name = metadata.get("name") or ""
    if not name:
        problems.error((*path, "name"), required("name or generateName is required; a scenario needs a name"))
    elif reason := (dns_label if dns_label_name else dns_subdomain)(name):
        problems.error((*path, "name"), invalid(name, f"a lowercase RFC 1123 name {reason}"))
    namespace = metadata.get("namespace") or ""
    if namespace and (reason := dns_label(namespace)):
        problems.error((*path, "namespace"), invalid(namespace, f"a lowercase RFC 1123 label {reason}"))
    check_labels(text_map(metadata.get("labels")), (*path, "labels"), problems)
    _check_annotations(text_map(metadata.get("annotations")), (*path, "annotations"), problems)
    _check_owners(metadata.get("ownerReferences") or (), (*path, "ownerReferences"), problems)


def text_map(value: dict[str, str | None] | None) -> dict[str, str]:
    """A string map; a null value is "" as in Go."""
    if not value:
        return {}
    return {key: text or "" for key, text in value.items()} if None in value.values() else value  # type: ignore[return-value]


def _check_annotations(annotations: dict[str, str], path: Path, problems: Problems) -> None:
    size = 0
    for key, value in annotations.items():
        size += len(key) + len(value)
        if reason := qualified_name(key.lower()):
            problems.error((*path, key), invalid(key, reason))
    if size > MAX_ANNOTATIONS:
        problems.error(path, f"too long: annotations may have at most {MAX_ANNOTATIONS} bytes")


def _check_owners(owners: Any, path: Path, problems: Problems) -> None:
    controllers = [index for index, owner in enumerate(owners) if owner.get("controller")]
    for index in controllers[1:]:
        problems.error((*path, index), forbidden("only one owner reference can have controller set to true"))
