"""Removes the fields that scheduling does not read from plain data, by the rules of `reading_table`.

`static/js/intake/pruning.js` does the same in the browser; a test requires equal output of both.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from kschedui.scenarios.importers.reading.left_out import LeftOut
from kschedui.scenarios.importers.reading.reading_table import DROP, KEEP, Rule, reading_table

Manifest = dict[str, Any]
MAX_SLIPS = 2


def type_of(manifest: Manifest) -> str:
    """Return the name of the object's type in the table; "" if the object is not read."""
    table = reading_table()
    version, kind = manifest.get("apiVersion"), manifest.get("kind")
    if kind is None and any(isinstance(manifest.get(name), list) for name in table["types"]["Export"]):
        return str(table["export"])
    if not isinstance(kind, str):
        return ""
    return type_of_kind(version if isinstance(version, str) else "", kind)


def type_of_kind(version: str, kind: str) -> str:
    """Return the name of the type for an apiVersion ("": unknown) and a kind; "" if it is not read."""
    kind_row = reading_table()["kinds"].get(kind)
    if kind_row is None or (version and version not in kind_row["versions"]):
        return ""
    return str(kind_row["type"])


def name_of_kind(version: str, kind: str) -> str:
    """Return the name of a dropped object's kind, with its group if the same kind exists in a group that is read.

    For a kind of the group that is read, the name includes the version.
    """
    kind_row = reading_table()["kinds"].get(kind)
    if not version or kind_row is None:
        return kind or "?"
    group = group_of(version)
    return f"{version if group in map(group_of, kind_row['versions']) else group}/{kind}"


def group_of(version: str) -> str:
    return version.rpartition("/")[0]


def prune(manifest: Manifest, left_out: LeftOut) -> Manifest | None:
    """Return the object without the fields that are not read, which are counted; None if the object is not read."""
    name = type_of(manifest)
    if not name:
        version, kind = (
            value if isinstance(value, str) else "" for value in (manifest.get("apiVersion"), manifest.get("kind"))
        )
        left_out.kinds[name_of_kind(version, kind)] += 1
        return None
    fields: Manifest = _fields(manifest, name, left_out)
    return fields


def _prune(value: Any, rule: Rule, left_out: LeftOut) -> Any:
    if rule == KEEP or not isinstance(value, dict | list):
        return value
    if isinstance(value, list):
        if "l" not in rule:
            return value if not value else [_prune(item, rule, left_out) for item in value]
        where = rule.get("where")
        items = [item for item in value if not where or _is_wanted(item, where)]
        return [_prune(item, rule["l"], left_out) for item in items]
    if "t" in rule:
        return _fields(value, rule["t"], left_out)
    if "m" in rule:
        return {key: _prune(item, rule["m"], left_out) for key, item in value.items()}
    if "k" in rule:
        return {key: item for key, item in value.items() if key in rule["k"]}
    if "with" in rule:
        kept, words = rule.get("or", ()), rule["with"]
        return {key: item for key, item in value.items() if key in kept or any(text in str(item) for text in words)}
    return _prune(value, rule["l"], left_out)


def _is_wanted(item: Any, where: list[Any]) -> bool:
    return isinstance(item, dict) and item.get(where[0]) in where[1]


def _fields(value: Manifest, name: str, left_out: LeftOut) -> Manifest:
    fields = {}
    for key, item in value.items():
        rule = rule_of(name, key)
        if rule is None:
            left_out.unknown[unknown_name(name, str(key))] += 1
        elif rule == DROP:
            left_out.fields[str(key)] += 1
        else:
            fields[key] = _prune(item, rule, left_out)
            if rule != KEEP and isinstance(item, dict) and "k" in rule and len(fields[key]) < len(item):
                left_out.fields[str(key)] += 1
    return fields


def unknown_name(name: str, key: str) -> str:
    """Return the name of an unknown field; a field of a pod's spec in another place is prefixed with the type there."""
    return f"{name}.{key}" if name != "PodSpec" and key in reading_table()["types"]["PodSpec"] else key


@lru_cache(maxsize=65536)
def rule_of(name: str, key: str) -> Rule | None:
    """Return the rule of a type's field, or for a misspelled field that of the intended one; None if it is unknown."""
    fields = reading_table()["types"][name]
    if key in fields:
        return fields[key]
    if "*" in fields:
        return fields["*"]
    best = min((slips(key, field), field) for field in fields)
    return fields[best[1]] if best[0] <= min(MAX_SLIPS, (len(str(key)) - 1) // 2) else None


def slips(word: str, other: str) -> int:
    """Return the edit distance of two names, ignoring case."""
    word, other = str(word).lower(), str(other).lower()
    before = list(range(len(other) + 1))
    for i, letter in enumerate(word, 1):
        row = [i]
        for j, other_letter in enumerate(other, 1):
            row.append(min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other_letter)))
        before = row
    return before[-1]
