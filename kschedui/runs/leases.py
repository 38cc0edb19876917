"""Rows that a worker holds while it works on them: runs, batches of an experiment's cells, uploads.

A worker that takes a row increases its attempt number and holds it for the time of a lease, which it renews
(`holding.py`). All its writes are conditional on that number, so that a worker that was considered dead writes nothing
more.
"""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any, TypeVar

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from kschedui.models import Batch, Run, Upload

MAX_TRIES = 8  # workers that may die of a row, or be stopped while they hold it
MAX_TOLD = 16  # rows announced at once; a worker that responds goes on as long as rows are queued
MAX_AHEAD = 4  # leases, by which the clocks of two machines may differ
UNCLAIMED = timedelta(seconds=30)  # a queued row that no worker has taken is announced again after this time

Row = Run | Batch | Upload
Kind = TypeVar("Kind", Run, Batch, Upload)


class Lost(Exception):
    """The worker no longer holds the row: it was cancelled, or taken over after its lease expired."""


def lease() -> Any:
    """Return the time at which a lease that starts now expires."""
    return timezone.now() + timedelta(seconds=settings.RUN_LEASE_SECONDS)


def free() -> Q:
    """Return the condition for rows that no worker holds."""
    return Q(state=Run.State.QUEUED) | lost()


def lost() -> Q:
    """Return the condition for rows of lost workers: the lease expired, or ends too late because a clock was
    set back.
    """
    now = timezone.now()
    longest = timedelta(seconds=MAX_AHEAD * settings.RUN_LEASE_SECONDS)
    return Q(state=Run.State.RUNNING) & (Q(lease_until__lt=now) | Q(lease_until__gt=now + longest))


def held_columns(row: Row) -> dict[str, Any]:
    """Return the columns that change when a worker takes the row."""
    return {"state": Run.State.RUNNING, "tries": row.tries + 1, "lease_until": lease(), "started": timezone.now()}


def take(row: Row, changes: dict[str, Any]) -> bool:
    """Take a row under the next attempt number. Return False if another worker was faster."""
    as_seen = type(row).objects.filter(free(), pk=row.pk, attempt=row.attempt)
    row.attempt += 1
    return bool(as_seen.update(attempt=row.attempt, **changes))


def update_mine(row: Row, **changes: Any) -> None:
    """Write if this worker still holds the row. Raises Lost."""
    mine = type(row).objects.filter(pk=row.pk, attempt=row.attempt, state=Run.State.RUNNING)
    if not mine.update(**changes):
        raise Lost(str(row))


def renew(row: Row) -> None:
    """Extend the lease of the row. Raises Lost."""
    update_mine(row, lease_until=lease())


def requeue(kind: type[Kind]) -> Iterator[Kind]:
    """Queue rows again whose worker is lost.

    Yield the rows to notify workers of: these, and queued ones that no worker has taken for a while.
    """
    now = timezone.now()
    kind.objects.filter(lost()).update(state=Run.State.QUEUED, lease_until=None, queued_at=now - 2 * UNCLAIMED)
    untold = Q(queued_at__lt=now - UNCLAIMED) | Q(queued_at__gt=now + UNCLAIMED)  # by a clock that was set back
    waiting = kind.objects.filter(untold, state=Run.State.QUEUED)
    for row in list(waiting[:MAX_TOLD]):
        if waiting.filter(pk=row.pk).update(queued_at=now):  # of several concurrent callers, one yields the row
            yield row
