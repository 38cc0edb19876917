"""What may be kept: bytes of a run, of an author, of an address in a day, and how much of the disk stays free."""

import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import Q, QuerySet, Sum
from django.utils import timezone

from kschedui.models import Experiment, Run, Version
from kschedui.scenarios.access import Visitor
from scheduler_core.apis.messages import Message

MEGABYTE = 1024 * 1024
DAY = timedelta(days=1)
DISK_IS_FULL = Message("This site has no room left for runs and scenarios; whoever runs it has to make some.")


class NoRoom(Exception):
    """Nothing more is kept; the sentence says for whom. `here`: the site's disk is full, and not somebody's share."""

    def __init__(self, sentence: Message, *, here: bool = False) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.here = here


def require_room(visitor: Visitor, address: str) -> None:
    """Before somebody keeps something; raises NoRoom."""
    require_disk()
    limits = settings.LIMITS
    most = limits["account_bytes"] if visitor.user else limits["browser_bytes"]
    if kept_by(visitor) > most:
        kept = Message(
            "Your scenarios and their runs hold more than {most:,} MB, which is the limit: delete some of them.",
            most=most // MEGABYTE,
        )
        raise NoRoom(kept)
    if address and kept_today(address) > (most := limits["address_day_bytes"]):
        raise NoRoom(
            Message("From your address came more than {most:,} MB in a day, which is the limit.", most=most // MEGABYTE)
        )


def kept_by(visitor: Visitor) -> int:
    """Bytes of the visitor's texts and of their runs, previews too, and of the results of their experiments."""
    mine = Q(scenario__owner=visitor.user) if visitor.user else Q(scenario__editor_hash=visitor.editor_hash)
    if not visitor.user and not visitor.editor:
        return 0
    found = Version.objects.filter(mine)
    results = total(experiments_of(visitor), "bytes")
    return results + total(found, "bytes") + total(Run.objects.filter(version__in=found.values("pk")), "bytes")


def experiments_of(visitor: Visitor) -> QuerySet[Experiment]:
    """That the visitor asked for."""
    if visitor.user:
        return Experiment.objects.filter(owner=visitor.user)
    mine = Experiment.objects.filter(owner=None, editor_hash=visitor.editor_hash)
    return mine if visitor.editor else mine.none()


def kept_today(address: str) -> int:
    """Bytes of the runs, and of their texts, that the (hashed) address asked for within a day."""
    found = Run.objects.filter(address=address, created__gt=timezone.now() - DAY)
    return total(found, "bytes") + total(found, "version__bytes")


def total(found: QuerySet[Any], field: str) -> int:
    """The sum of a column; 0 of no row."""
    return found.order_by().aggregate(sum=Sum(field))["sum"] or 0


def require_disk() -> None:
    """Raises NoRoom when the disk is nearly full, or the database as large as it may be."""
    floor, most = settings.LIMITS["free_disk_bytes"], settings.LIMITS["database_bytes"]
    free = free_disk()
    if (free is not None and free < floor) or (most and database_size() > most):
        raise NoRoom(DISK_IS_FULL, here=True)


def free_disk() -> int | None:
    """Bytes that are free where the database is; None when that is another machine's disk."""
    if connection.vendor != "sqlite":
        return None
    file = Path(str(connection.settings_dict["NAME"]))
    return shutil.disk_usage(file.parent).free if file.exists() else None


def database_size() -> int:
    """Bytes of the database."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()")
        else:
            cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])
