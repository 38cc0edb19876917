"""Finds the lines and columns of field paths in a YAML or JSON text, in one pass over its parse events."""

from __future__ import annotations

from typing import Any

import yaml
from yaml.events import CollectionEndEvent, CollectionStartEvent, MappingStartEvent, ScalarEvent, SequenceStartEvent

from scheduler_core.scenario.reading.problems import Path

Mark = tuple[int, int]  # line and column, from 0
Trie = dict[str | int, "Trie"]


def find_marks(text: str, paths: set[Path]) -> dict[Path, Mark | None]:
    """Return the mark of the deepest existing key or item of each path; None if no part of the path exists.

    Only the first document of the text is searched, up to a syntax error.
    """
    finder = _Finder(text, paths)
    finder.run()
    return {path: finder.deepest(path) for path in paths}


class _Done(Exception):
    """Raised when all paths are found or known to be missing."""


class _Finder:
    """Finds the marks of paths in the parse events of a text."""

    def __init__(self, text: str, paths: set[Path]) -> None:
        self._parser = yaml.CSafeLoader(text)
        self._marks: dict[Path, Mark] = {}
        self._wanted: Trie = {}
        for path in paths:
            level = self._wanted
            for part in path:
                level = level.setdefault(part, {})
        self._open = _count(self._wanted)

    def run(self) -> None:
        """Read the text until all paths are found, or up to a syntax error."""
        try:
            while not isinstance(event := self._parser.get_event(), CollectionStartEvent | ScalarEvent):
                if event is None:
                    return
            self._visit(event, (), self._wanted)
        except (_Done, yaml.YAMLError):
            pass
        finally:
            self._parser.dispose()

    def deepest(self, path: Path) -> Mark | None:
        """Return the mark of the deepest part of a path that was found; None if none was."""
        for length in range(len(path), 0, -1):
            if mark := self._marks.get(path[:length]):
                return mark
        return None

    def _visit(self, event: Any, path: Path, trie: Trie) -> None:
        """Read the node that starts with `event`, and find the paths in it."""
        if not trie:
            self._skip(event)
        elif isinstance(event, MappingStartEvent):
            self._mapping(path, dict(trie))
        elif isinstance(event, SequenceStartEvent):
            self._sequence(path, dict(trie))
        else:  # a scalar or an alias: paths below it do not exist
            self._close(_count(trie))

    def _mapping(self, path: Path, trie: Trie) -> None:
        while not isinstance(key := self._parser.get_event(), CollectionEndEvent):
            part = key.value if isinstance(key, ScalarEvent) else None
            self._skip(key)
            self._part(part, key, self._parser.get_event(), path, trie)
        self._close(_count(trie) if trie else 0)

    def _sequence(self, path: Path, trie: Trie) -> None:
        index = 0
        while not isinstance(event := self._parser.get_event(), CollectionEndEvent):
            self._part(index, event, event, path, trie)
            index += 1
        self._close(_count(trie) if trie else 0)

    def _part(self, part: str | int | None, marked: Any, event: Any, path: Path, trie: Trie) -> None:
        """Read the node of a key or item, `part`, and remember its mark if it is in a wanted path.

        `marked` is the event of the key, or of the item itself; `event` starts the value.
        """
        if part is None or part not in trie:
            self._skip(event)
            return
        below = trie.pop(part)
        here = (*path, part)
        self._marks[here] = (marked.start_mark.line, marked.start_mark.column)
        if not below:
            self._close(1)
        self._visit(event, here, below)

    def _skip(self, event: Any) -> None:
        """Read up to the end of the node that starts with `event`."""
        depth = 0
        while True:
            if isinstance(event, CollectionStartEvent):
                depth += 1
            elif isinstance(event, CollectionEndEvent):
                depth -= 1
            if depth == 0:
                return
            event = self._parser.get_event()

    def _close(self, number: int) -> None:
        """Subtract leaves that are found, or known to be missing. Raises _Done after the last one."""
        self._open -= number
        if self._open <= 0:
            raise _Done


def _count(trie: Trie) -> int:
    """Return the number of leaves of a trie; an empty one is a leaf itself."""
    return sum(map(_count, trie.values())) or 1
