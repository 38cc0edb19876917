"""Whose run is next: parties take turns, and in a party its authors; small runs have a lane that no large one fills.

A party is an account, or everybody without one at one address. First served are those of whom the fewest runs are going
on, then those who were served longest ago, so that nobody waits for more than one run of each other party.
"""

from datetime import timedelta
from typing import NamedTuple

from django.conf import settings
from django.db.models import Avg, Count, F, Max, Min, Q, QuerySet
from django.utils import timezone

from kschedui.models import Run, Version

SHORT, LONG = Run.Lane.SHORT, Run.Lane.LONG
SHORT_WORK = 50_000  # nodes times pods
SHORT_PODS = 2_000
LOOKED_BACK = timedelta(hours=1)  # when a party was served last, and how long runs take


class Asker(NamedTuple):
    """Who asks for a run: the party and the author whose turn it takes, and the hashed address they ask from."""

    party: str = ""
    author: str = ""
    address: str = ""


class Ahead(NamedTuple):
    """What a queued run waits for: so many runs before it, and about so many seconds (None: nobody knows yet)."""

    runs: int
    seconds: int | None


def lane_of(version: Version) -> str:
    """By size, which a version's summary has; a run that proves to be long changes lanes (see worker)."""
    nodes, pods = version.summary.get("nodes", 0), version.summary.get("pods", 0)
    return SHORT if pods <= SHORT_PODS and nodes * pods <= SHORT_WORK else LONG


def next_run(*, long: bool) -> str | None:
    """The id of the queued run whose turn it is; with `long` false only of the short lane."""
    queued = Run.objects.filter(state=Run.State.QUEUED)
    if not long:
        queued = queued.filter(lane=SHORT)
    full = full_parties() if long else set()
    party = first_served("party", queued.exclude(party__in=full, lane=LONG))
    if party is None:
        return None
    mine = queued.filter(party=party)
    if party in full:
        mine = mine.filter(lane=SHORT)
    author = first_served("author", mine, party=party)
    next_of: str | None = mine.filter(author=author).order_by("-lane", "pk").values_list("public_id", flat=True).first()
    return next_of


def full_parties() -> set[str]:
    """Those that hold as many of the places for long runs as one party may: one is always left for another."""
    going_on = Run.objects.filter(state=Run.State.RUNNING, lane=LONG).exclude(party="")
    most = max(1, settings.LONG_PLACES - 1)
    return {row["party"] for row in going_on.values("party").annotate(runs=Count("pk")) if row["runs"] >= most}


def first_served(of: str, queued: QuerySet[Run], **within: str) -> str | None:
    """The party (or author) among those with a queued run whose turn it is."""
    oldest = {row[of]: row["oldest"] for row in queued.order_by().values(of).annotate(oldest=Min("pk"))}
    if len(oldest) < 2:
        return next(iter(oldest), None)
    recent = Run.objects.filter(Q(started__gt=timezone.now() - LOOKED_BACK), **within, **{f"{of}__in": list(oldest)})
    going_on = Count("pk", filter=Q(state=Run.State.RUNNING))
    known = {
        row[of]: (row["going_on"], row["served"].timestamp())
        for row in recent.order_by().values(of).annotate(going_on=going_on, served=Max("started"))
    }
    served_first: str = min(oldest, key=lambda one: (*known.get(one, (0, 0.0)), oldest[one]))
    return served_first


def ahead_of(run: Run) -> Ahead:
    """What the run waits for, when every party goes on taking turns."""
    queued = Run.objects.filter(state=Run.State.QUEUED, lane=run.lane)
    own = queued.filter(party=run.party, pk__lt=run.pk).count()
    others = queued.exclude(party=run.party).order_by().values("party").annotate(runs=Count("pk"))
    before = own + sum(min(row["runs"], own + 1) for row in others)
    return Ahead(before, seconds_for(run.lane, before + 1))


def seconds_for(lane: str, runs: int) -> int | None:
    """How long so many runs of the lane take, by those that ended lately."""
    ended = Run.objects.filter(lane=lane, finished__gt=timezone.now() - LOOKED_BACK, started__isnull=False)
    mean = ended.aggregate(mean=Avg(F("finished") - F("started")))["mean"]
    if mean is None:
        return None
    places = settings.LONG_PLACES + (lane == SHORT)
    seconds: float = mean.total_seconds() * runs / places
    return max(1, round(seconds))
