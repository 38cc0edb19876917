"""Events, as a table of `kubectl get events` or `kubectl events`, or below `Events:` of a described object."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from kschedui.scenarios.importers.for_people.sections import Section, Table
from scheduler_core.apis.selectors import parse_int64

NOT_SCHEDULED = "FailedScheduling"
SCHEDULED = "Scheduled"
SECONDS = {"y": 31_536_000, "d": 86_400, "h": 3600, "m": 60, "s": 1}
AGE = re.compile(r"^(?:\d{1,9}[ydhms]){1,3}$")
SEEN = re.compile(r"^(?P<last>\S+)(?: \(x(?P<count>\d+) over (?P<first>\S+?)\))?$")
IN_OBJECT = re.compile(
    r"^\s*(?P<type>Normal|Warning)\s+(?P<reason>[A-Z]\w*)\s+"
    r"(?P<seen>\S+(?: \(x\d+ over \S+?\))?|<unknown>)\s+(?P<source>\S+(?:, \S+)?)\s+(?P<message>\S.*)$"
)
# Up to 1.9: FirstSeen LastSeen Count From SubObjectPath Type Reason Message.
IN_OLD_OBJECT = re.compile(
    r"^\s*(?P<first>\S+)\s+(?P<last>\S+)\s+(?P<count>\d+)\s+(?P<source>\{[^}]*\}|[\w.-]+(?:, \S+)?)\s+"
    r"(?:\S+\s+)?(?P<type>Normal|Warning)\s+(?P<reason>[A-Z]\w*)\s+(?P<message>\S.*)$"
)
RULER = re.compile(r"^\s*-+(?:\s+-+)+\s*$")
HEADS = re.compile(r"^\s*Type\s+Reason\s+")


class SeenEvent(msgspec.Struct, frozen=True):
    """A printed event. `last` and `first`: the number of seconds since it was last and first seen, None if not
    printed.
    """

    kind: str  # in lower case, as in pod/web
    namespace: str
    name: str
    type: str
    reason: str
    message: str
    source: str = ""
    count: int = 1
    last: float | None = None
    first: float | None = None


def is_of_events(table: Table) -> bool:
    return {"LAST SEEN", "REASON", "MESSAGE"} <= set(table.heads) and bool({"OBJECT", "KIND"} & set(table.heads))


def read_table(table: Table) -> Iterator[SeenEvent]:
    """Yield the events of a table; up to 1.13, kind and name had columns of their own."""
    for row in table.rows:
        kind, _, name = row.get("OBJECT", "").partition("/")
        if "OBJECT" not in row:
            kind, name = row.get("KIND", ""), row.get("NAME", "").partition(".")[0]
        seen = SEEN.match(row.get("LAST SEEN", ""))
        count = row.get("COUNT") or (seen["count"] if seen else "")
        last = seen["last"] if seen else ""
        first = row.get("FIRST SEEN") or (seen["first"] if seen else "") or last
        if kind and name and row.get("REASON"):
            yield SeenEvent(
                kind=kind.lower(), namespace=row.get("NAMESPACE") or "default", name=name, type=row.get("TYPE", ""),
                reason=row["REASON"], message=row.get("MESSAGE", ""), source=row.get("SOURCE", ""),
                count=parse_int64(count or "") or 1, last=seconds_of(last), first=seconds_of(first),
            )  # fmt: skip


def read_section(section: Section | None, kind: str, namespace: str, name: str) -> Iterator[SeenEvent]:
    """Yield the events of a described object. A line that is not the beginning of an event continues the message before
    it.
    """
    rows: list[tuple[dict[str, str | None], list[str]]] = []
    for line in section.lines if section else ():
        if match := IN_OBJECT.match(line):
            seen = SEEN.match(match["seen"])
            rows.append((match.groupdict() | (seen.groupdict() if seen else {}), [match["message"]]))
        elif match := IN_OLD_OBJECT.match(line):
            rows.append((match.groupdict(), [match["message"]]))
        elif rows and not RULER.match(line) and not HEADS.match(line):
            rows[-1][1].append(line)
    for fields, message in rows:
        last = fields.get("last") or ""
        yield SeenEvent(
            kind=kind, namespace=namespace, name=name, type=fields["type"] or "", reason=fields["reason"] or "",
            message=" ".join(part.strip() for part in message), source=(fields["source"] or "").strip("{} "),
            count=parse_int64(fields.get("count") or "") or 1, last=seconds_of(last),
            first=seconds_of(fields.get("first") or last),
        )  # fmt: skip


def seconds_of(age: str) -> float | None:
    """Return an age such as 3d4h or 40m (duration.HumanDuration) in seconds; None for any other text."""
    if not AGE.match(age):
        return None
    return sum(int(number) * SECONDS[unit] for number, unit in re.findall(r"(\d{1,9})([ydhms])", age))


def age_of(seconds: float | None) -> str:
    """Return an age for people, in the largest unit up to days: 3d, 40m; "?" if it is unknown."""
    if seconds is None:
        return "?"
    size, unit = next(((size, unit) for unit, size in SECONDS.items() if unit != "y" and seconds >= size), (1, "s"))
    return f"{seconds // size:.0f}{unit}"


def last_of_scheduler(events: list[SeenEvent]) -> SeenEvent | None:
    """Return the newest Scheduled or FailedScheduling event of a pod, or None.

    An event without an age counts as new. Of equally old events, return the last one.
    """
    decisive = [event for event in events if event.reason in (NOT_SCHEDULED, SCHEDULED)]
    return min(reversed(decisive), key=lambda event: event.last or 0, default=None)
