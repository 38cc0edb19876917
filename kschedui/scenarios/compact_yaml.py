"""Objects as short YAML: values that fit on a line are written on one, as in manifests and in the lessons."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from scheduler_core.scenario.reading.yaml_composer import resolve_plain

WIDTH = 110
BARE = re.compile(r"(?!\d{4}-\d)[A-Za-z0-9_./][A-Za-z0-9_./@+-]*(?:[:=][A-Za-z0-9_./@+-]+)*", re.ASCII)
PRINTABLE = re.compile(r"[ -~\u00a1-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]*")


def write_all(objects: Iterable[dict[str, Any]]) -> str:
    """Return the objects as a stream of YAML documents."""
    return "---\n".join("\n".join([*_block(manifest, 0), ""]) for manifest in objects)


def _block(value: Any, indent: int) -> Iterator[str]:
    """Yield the lines of a non-empty mapping or list."""
    pad = " " * indent
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _entry(f"{pad}{scalar(key)}:", item, indent)
        return
    for item in value:
        short = _flow(item)
        if indent + len(short) <= WIDTH or not _has_parts(item) or isinstance(item, list):
            yield f"{pad}- {short}"
        else:
            first, *rest = _block(item, indent + 2)
            yield f"{pad}- {first[indent + 2 :]}"
            yield from rest


def _entry(start: str, item: Any, indent: int) -> Iterator[str]:
    """Yield the lines of a key and its value: one if both fit on it, or if the value has no parts."""
    short = _flow(item)
    if len(start) + len(short) < WIDTH or not _has_parts(item):
        yield f"{start} {short}"
    else:
        yield start
        yield from _block(item, indent + (2 if isinstance(item, dict) else 0))


def _has_parts(value: Any) -> bool:
    return isinstance(value, dict | list) and bool(value)


def _flow(value: Any) -> str:
    """Return the value in YAML's flow style, on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join([f"{scalar(key)}: {_flow(item)}" for key, item in value.items()]) + "}"
    if isinstance(value, list):
        return "[" + ", ".join([_flow(item) for item in value]) + "]"
    return scalar(value)


def scalar(value: Any) -> str:
    """Return a value other than a mapping or list as YAML; a text is quoted unless every parser reads it as a text."""
    return _text(value) if isinstance(value, str) else json.dumps(value)


@lru_cache(maxsize=1 << 17)
def _text(text: str) -> str:
    if BARE.fullmatch(text) and isinstance(resolve_plain(text), str):
        return text
    if PRINTABLE.fullmatch(text):
        return "'" + text.replace("'", "''") + "'"
    return json.dumps(text)
