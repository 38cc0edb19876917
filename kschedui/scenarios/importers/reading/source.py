"""A dump as a stream of text blocks; only the part being read is in memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kschedui.scenarios.importers.reading.left_out import LeftOut
from kschedui.scenarios.importers.reading.yaml_pieces import runs

# The lines around container logs in `kubectl cluster-info dump`. Fixed words come first: they are found fastest.
LOG = re.compile(r"==== START logs for (?<=^==== START logs for ).*$", re.MULTILINE)
LOG_END = re.compile(r"==== END logs for .*$", re.MULTILINE)
LONGEST_MARK = 700

# Terminal output around a dump, each part on a line of its own: messages of kubectl, its log, its command line.
_SAID = (
    r"(?:(Error from server(?: \(\w+\))?|Unable to connect to the server|The connection to the server"
    r"|No resources found|[Ee]rror(?=: )|Warning(?=: ))|([EWIF]\d{4} \d\d:\d\d:\d\d\.)"
    r"|((?:PS )?(?:[^\s#]\S{0,80} ?)?[$%>#] (?:kubectl|oc) )|```\w*(?=\s))[^\n]*"
)
SAID, SAID_FIRST = re.compile(r"\n(?! )" + _SAID), re.compile(_SAID)


class Source:
    """A dump. `text` is the part in memory, which begins at line `line` of the dump; it is read up to position `at`."""

    def __init__(self, blocks: Iterable[str], left_out: LeftOut) -> None:
        self._blocks = without_terminal_output(without_logs(blocks, left_out), left_out)
        self.text = ""
        self.at = 0
        self._last = 0
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
        """Drop the text that was read, and load at least as much as is left. Return False at the end."""
        rest = self.text[self.at :]
        parts, size = [rest], 0
        while size <= len(rest) and (block := next(self._blocks, None)) is not None:
            parts.append(block)
            size += len(block)
        if not size:
            return False
        self.line, self.at, self.text = self.line_here, 0, "".join(parts)
        return True

    def runs(self) -> Iterator[str]:
        """Yield the lines from the current position on; consecutive indented lines that are in memory come together."""
        while True:
            end = self.text.rfind("\n")
            for run in runs(self.text[self.at : end]) if end >= self.at else ():
                self._last, self.at = self.at, self.at + len(run) + 1
                yield _unix(run)
            if not self.more():
                if run := self.text[self.at :]:
                    self._last, self.at = self.at, len(self.text)
                    yield _unix(run)
                return

    def back(self) -> None:
        """Go back to before the last result of `runs`."""
        self.at = self._last


def _unix(lines: str) -> str:
    return lines.replace("\r\n", "\n").removesuffix("\r") if "\r" in lines else lines


def without_logs(blocks: Iterable[str], left_out: LeftOut) -> Iterator[str]:
    """Yield the blocks without container logs, of which only line ends stay; a marker may be split between blocks."""
    inside, tail = False, ""
    for block in blocks:
        whole = tail + block
        start = whole.rfind("\n") + 1
        whole, tail = (whole[:start], whole[start:]) if len(whole) - start < LONGEST_MARK else (whole, "")
        text, inside = _without_logs(whole, left_out, inside=inside)
        yield text
    yield _without_logs(tail, left_out, inside=inside)[0]


def _without_logs(text: str, left_out: LeftOut, *, inside: bool) -> tuple[str, bool]:
    lines, at = [], 0
    while True:
        mark = (LOG_END if inside else LOG).search(text, at)
        part = text[at : mark.start() if mark else len(text)]
        lines.append("\n" * part.count("\n") if inside else part)
        if mark is None:
            return "".join(lines), inside
        left_out.kinds["container log"] += not inside
        inside, at = not inside, mark.end()


def without_terminal_output(blocks: Iterable[str], left_out: LeftOut) -> Iterator[str]:
    """Yield the blocks without terminal output around a dump, which is counted; line ends stay."""

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
