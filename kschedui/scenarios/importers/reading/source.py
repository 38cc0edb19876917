"""A dump as a stream: blocks of text, of which only the part being read is in memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kschedui.scenarios.importers.reading.left_out import LeftOut

# Around what containers wrote, in `kubectl cluster-info dump`.
LOG, LOG_END = re.compile(r"^==== START logs for .*$", re.MULTILINE), re.compile(r"==== END logs for .*$", re.MULTILINE)
LONGEST_MARK = 700

# What a terminal shows around a dump, each on a line of its own: what kubectl says, its own log, how it was called.
_SAID = (
    r"(?:(Error from server(?: \(\w+\))?|Unable to connect to the server|The connection to the server"
    r"|No resources found|[Ee]rror(?=: )|Warning(?=: ))|([EWIF]\d{4} \d\d:\d\d:\d\d\.)"
    r"|((?:PS )?(?:[^\s#]\S{0,80} ?)?[$%>#] (?:kubectl|oc) )|```\w*(?=\s))[^\n]*"
)
SAID, SAID_FIRST = re.compile(r"\n" + _SAID), re.compile(_SAID)


class Source:
    """A dump. `text` is the part in memory; it is read up to `at`, and begins on line `line` of the dump."""

    def __init__(self, blocks: Iterable[str], left_out: LeftOut) -> None:
        self._blocks = without_said(without_logs(blocks, left_out), left_out)
        self._lines: list[str] = []
        self._index = 0
        self.text = ""
        self.at = 0
        self.line = 1

    @property
    def line_here(self) -> int:
        """Return the number of the current line."""
        return self.line_of(self.at)

    def line_of(self, at: int) -> int:
        return self.line + self.text.count("\n", 0, at)

    @property
    def last_line(self) -> int:
        """Return the number of the last line in memory."""
        return self.line - 1 + self.text.count("\n") + (not self.text.endswith("\n"))

    def more(self) -> bool:
        """Drop the text that was read and load as much as is left, at least a block; False at the end."""
        rest = self.text[self.at :]
        parts, size = [rest], 0
        while size <= len(rest) and (block := next(self._blocks, None)) is not None:
            parts.append(block)
            size += len(block)
        if not size:
            return False
        self.line, self.at, self.text = self.line_here, 0, "".join(parts)
        return True

    def lines(self) -> Iterator[str]:
        """Yield the lines from the current position, without their ends."""
        while True:
            self._lines = self.text[self.at :].split("\n")
            for index, line in enumerate(self._lines[:-1]):
                self._index = index
                yield line[:-1] if line.endswith("\r") else line
            self.at = len(self.text) - len(self._lines[-1])
            if not self.more():
                if rest := self.text[self.at :]:
                    self._lines, self._index = [rest], 0
                    yield rest
                    self.at = len(self.text)
                return

    def back(self) -> None:
        """Unread the last line that `lines` returned."""
        self.at += sum(len(line) + 1 for line in self._lines[: self._index])


def without_logs(blocks: Iterable[str], left_out: LeftOut) -> Iterator[str]:
    """Remove container output except for line ends; lines that may be markers are checked as a whole."""
    inside, tail = False, ""
    for block in blocks:
        whole = tail + block
        start = whole.rfind("\n") + 1
        whole, tail = (whole[:start], whole[start:]) if len(whole) - start < LONGEST_MARK else (whole, "")
        text, inside = _without_logs(whole, left_out, inside=inside)
        yield text
    yield _without_logs(tail, left_out, inside=inside)[0]


def _without_logs(text: str, left_out: LeftOut, *, inside: bool) -> tuple[str, bool]:
    kept, at = [], 0
    while True:
        mark = (LOG_END if inside else LOG).search(text, at)
        part = text[at : mark.start() if mark else len(text)]
        kept.append("\n" * part.count("\n") if inside else part)
        if mark is None:
            return "".join(kept), inside
        left_out.kinds["container log"] += not inside
        inside, at = not inside, mark.end()


def without_said(blocks: Iterable[str], left_out: LeftOut) -> Iterator[str]:
    """Drop terminal output around a dump except for line ends, and count it."""

    def dropped(match: re.Match[str]) -> str:
        words, log, command = match.groups()
        if name := words or (log and "log line") or (command and "command line"):
            left_out.said[name] += 1
        return "\n" if match[0].startswith("\n") else ""

    at_start = True
    for block in blocks:
        text = SAID_FIRST.sub(dropped, block, count=1) if at_start and SAID_FIRST.match(block) else block
        yield SAID.sub(dropped, text)
        at_start = block.endswith("\n") if block else at_start
