"""The order of queued runs: parties take turns, and so do the authors within a party.

A party is an account, or all visitors without one at an address. The party with the fewest running runs is first, then
the one that was served longest ago, so that nobody waits for more than one run of each other party. Of an
author's runs, the short ones come first.
"""

from bisect import bisect_left
from datetime import timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import Avg, Count, F, Max, Min, Q, QuerySet
from django.utils import timezone

from kschedui.models import Run, Version

SHORT, LONG = Run.Length.SHORT, Run.Length.LONG
SHORT_WORK = 50_000  # nodes times pods
SHORT_PODS = 2_000
SKEW = timedelta(minutes=1)  # between the clocks of two machines
LOOKED_BACK = timedelta(hours=1)  # when a party was served last, and how long runs take


class Requester(NamedTuple):
    """The requester of a run: the party and the author for whom it counts, and the hashed address."""

    party: str = ""
    author: str = ""
    address: str = ""


class RunWait(NamedTuple):
    """The expected wait of a queued run: the number of runs before it, and the estimated seconds (None: unknown)."""

    runs: int
    seconds: int | None


def length_of(version: Version) -> str:
    """Return SHORT or LONG, as expected from the numbers of nodes and pods in the version's summary.

    A run that was expected to be short and is not becomes a long one (`worker.watch`).
    """
    nodes, pods = version.summary.get("nodes", 0), version.summary.get("pods", 0)
    return SHORT if pods <= SHORT_PODS and nodes * pods <= SHORT_WORK else LONG


def next_run(*, long: bool) -> str | None:
    """Return the id of the queued run whose turn it is, or None; with `long` false, only of a short run."""
    queued = Run.objects.filter(state=Run.State.QUEUED)
    if not long:
        queued = queued.filter(length=SHORT)
    full = full_parties() if long else set()
    party = first_served("party", queued.exclude(party__in=full, length=LONG))
    if party is None:
        return None
    mine = queued.filter(party=party)
    if party in full:
        mine = mine.filter(length=SHORT)
    author = first_served("author", mine, party=party)
    by_length = mine.filter(author=author).order_by("-length", "pk")  # "short" before "long"
    public_id: str | None = by_length.values_list("public_id", flat=True).first()
    return public_id


def full_parties() -> set[str]:
    """Return the parties whose long runs take all slots but the last, which is left for others."""
    going_on = Run.objects.filter(state=Run.State.RUNNING, length=LONG).exclude(party="")
    most = max(1, settings.LONG_PLACES - 1)
    return {row["party"] for row in going_on.values("party").annotate(runs=Count("pk")) if row["runs"] >= most}


def first_served(column: str, queued: QuerySet[Any], **within: str) -> str | None:
    """Return the party (or author) whose turn it is among the queued rows; None if there are none.

    `column`: that of the party or author. `within`: conditions for the rows that count as served.
    """
    oldest = {row[column]: row["oldest"] for row in queued.order_by().values(column).annotate(oldest=Min("pk"))}
    if len(oldest) < 2:
        return next(iter(oldest), None)
    now = timezone.now()  # a party that was served later than now, before the clock was set back, would wait until then
    lately = Q(started__gt=now - LOOKED_BACK, started__lte=now + SKEW) | Q(started__gt=now, state=Run.State.RUNNING)
    recent = queued.model.objects.filter(lately, **within, **{f"{column}__in": list(oldest)})
    going_on = Count("pk", filter=Q(state=Run.State.RUNNING))
    served = {
        row[column]: (row["going_on"], row["served"].timestamp())
        for row in recent.order_by().values(column).annotate(going_on=going_on, served=Max("started"))
    }
    served_first: str = min(oldest, key=lambda party: (*served.get(party, (0, 0.0)), oldest[party]))
    return served_first


class RunQueue:
    """All queued runs, read once to compute the place of several."""

    def __init__(self) -> None:
        self.waiting: dict[str, dict[str, list[int]]] = {SHORT: {}, LONG: {}}  # length, party, primary keys
        queued = Run.objects.filter(state=Run.State.QUEUED).order_by("pk")
        for pk, party, length in queued.values_list("pk", "party", "length"):
            self.waiting[length].setdefault(party, []).append(pk)
        self.seconds = {length: seconds_of(length) for length, parties in self.waiting.items() if parties}

    def ahead(self, pk: int, party: str, length: str) -> RunWait:
        """Return the wait of a queued run if every party continues to take turns."""
        own = bisect_left(self.waiting[length].get(party, []), pk)
        others = (len(runs) for name, runs in self.waiting[length].items() if name != party)
        before = own + sum(min(runs, own + 1) for runs in others)
        seconds_each = self.seconds.get(length)
        return RunWait(before, None if seconds_each is None else max(1, round(seconds_each * (before + 1))))


def ahead_of(run: Run) -> RunWait:
    """Return the wait of one queued run."""
    return RunQueue().ahead(run.pk, run.party, run.length)


def seconds_of(length: str) -> float | None:
    """Return the mean seconds until a process is free for a run of this length, estimated from recent runs; None if
    there are none.
    """
    ended = Run.objects.filter(length=length, finished__gt=timezone.now() - LOOKED_BACK, started__isnull=False)
    mean = ended.aggregate(mean=Avg(F("finished") - F("started")))["mean"]
    if mean is None:
        return None
    processes = settings.LONG_PLACES + (length == SHORT)
    seconds: float = mean.total_seconds() / processes
    return seconds
