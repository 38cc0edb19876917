"""Plain data written as YAML, with the line of each value."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

Path = tuple[str | int, ...]

_PLAIN = re.compile(r"[A-Za-z_/][\w./-]*(?: [\w./()<>=-]+)*", re.ASCII)
_WORDS = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}


class YamlLines:
    """Plain data as the lines of a YAML document (`lines`), with the line on which each value begins."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.lines: list[str] = []
        self._places: dict[Path, int] = {(): 0}
        self._write_mapping(data, (), "")

    def line_of(self, path: Path) -> int:
        """Return the line, from 0, of the value at the path, or of its nearest existing parent."""
        while path not in self._places:
            path = path[:-1]
        return self._places[path]

    def _write_mapping(self, data: Mapping[str, Any], path: Path, indent: str, first: str | None = None) -> None:
        for key, value in data.items():
            before = indent if first is None else first
            first = None
            self._write(f"{before}{_scalar(str(key))}:", value, (*path, key), indent)

    def _write(self, start: str, value: Any, path: Path, indent: str) -> None:
        self._places[path] = len(self.lines)
        if isinstance(value, Mapping) and value:
            self.lines.append(start)
            self._write_mapping(value, path, f"{indent}  ")
        elif isinstance(value, list | tuple) and value:
            self.lines.append(start)
            for number, item in enumerate(value):
                self._write_item(item, (*path, number), indent)
        elif isinstance(value, str) and "\n" in value.strip():
            self.lines.append(f"{start} |-")
            self.lines += [f"{indent}  {line}" for line in value.rstrip("\n").split("\n")]
        else:
            self.lines.append(f"{start} {_scalar(value)}")

    def _write_item(self, item: Any, path: Path, indent: str) -> None:
        self._places[path] = len(self.lines)
        if isinstance(item, Mapping) and item:
            self._write_mapping(item, path, f"{indent}  ", first=f"{indent}- ")
        else:
            self.lines.append(f"{indent}- {_scalar(item)}")


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return value if _PLAIN.fullmatch(value) and value.lower() not in _WORDS else _quoted(value)
    return json.dumps(value, ensure_ascii=False)


def _quoted(text: str) -> str:
    """Return the text in single quotes, or in double quotes if a control character has to be escaped."""
    if any(ord(letter) < 32 for letter in text):
        return json.dumps(text, ensure_ascii=False)
    return "'" + text.replace("'", "''") + "'"
