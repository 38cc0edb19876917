"""Storage limits: bytes of an author, bytes of an address in a day, free disk space, and size of the database."""

import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import Q, QuerySet, Sum
from django.db.models.functions import Length
from django.utils import timezone

from kschedui.models import Experiment, Run, Scenario, Upload, Version
from kschedui.scenarios.access import Visitor
from scheduler_core import ENGINE_VERSION
from scheduler_core.apis.messages import Message

MEGABYTE = 1024 * 1024
DAY = timedelta(days=1)
TEXT = "bytes", Length("parsed__packed")
DISK_IS_FULL = Message(
    "The storage of this site for runs and scenarios is full. Its administrator has to free some space."
)


class StorageFull(Exception):
    """A storage limit is reached; the sentence says which. `here`: the site's disk is full, not a visitor's share."""

    def __init__(self, sentence: Message, *, here: bool = False) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.here = here


def require_storage(visitor: Visitor, address: str) -> None:
    """Require that the visitor, and their address, can store more. Raises StorageFull."""
    require_disk_space()
    limits = settings.LIMITS
    most = limits["account_bytes"] if visitor.user else limits["browser_bytes"]
    if kept_by(visitor) > most:
        sentence = Message(
            "Your scenarios and the runs that you started take more than {most:,} MB, which is the limit. Delete some "
            "of them.",
            most=megabytes(most),
        )
        raise StorageFull(sentence)
    if address and kept_today(address) > (most := limits["address_day_bytes"]):
        raise StorageFull(
            Message(
                "More than {most:,} MB came from your address within a day, which is the limit.", most=megabytes(most)
            )
        )


def megabytes(size: int) -> float:
    """Return bytes as megabytes for a sentence: a whole number, or two digits if it is less than one."""
    return size // MEGABYTE or float(f"{size / MEGABYTE:.2g}")


def kept_by(visitor: Visitor) -> int:
    """Return the bytes that count for the visitor.

    These are their texts, uploads, runs of any scenario that they started, and results of their experiments.
    """
    mine = Q(scenario__owner=visitor.user) if visitor.user else Q(scenario__editor_hash=visitor.editor_hash)
    if not visitor.user and not visitor.editor_hash:
        return 0
    results = total(experiments_of(visitor), "bytes") + total(uploads_of(visitor), "bytes")
    return results + total(Version.objects.filter(mine), *TEXT) + total(runs_of(visitor), "bytes")


def uploads_of(visitor: Visitor) -> QuerySet[Upload]:
    """Return the uploads that the visitor sent."""
    return Upload.objects.filter(author=visitor.author) if visitor.author else Upload.objects.none()


def runs_of(visitor: Visitor) -> QuerySet[Run]:
    """Return the runs that the visitor started, including previews."""
    return Run.objects.filter(author=visitor.author) if visitor.author else Run.objects.none()


def runs_of_others(visitor: Visitor) -> QuerySet[Run]:
    """Return the visitor's runs of other people's scenarios, largest first: they can be deleted and started again."""
    run_rows = runs_of(visitor).filter(bytes__gt=0, engine_version=ENGINE_VERSION, state__in=Run.ENDED)
    own = {"owner": visitor.user} if visitor.user else {"owner": None, "editor_hash": visitor.editor_hash}
    return (
        run_rows.exclude(version__scenario__in=Scenario.objects.filter(**own))
        .select_related("version__scenario")
        .defer(*Version.large("version__"))
        .order_by("-bytes")
    )


def experiments_of(visitor: Visitor) -> QuerySet[Experiment]:
    """Return the experiments that the visitor started."""
    if visitor.user:
        return Experiment.objects.filter(owner=visitor.user)
    mine = Experiment.objects.filter(owner=None, editor_hash=visitor.editor_hash)
    return mine if visitor.editor_hash else mine.none()


def kept_today(address: str) -> int:
    """Return the bytes of uploads, and of runs and their texts, that the (hashed) address stored within a day."""
    lately = {"address": address, "created__gt": timezone.now() - DAY}
    run_rows = Run.objects.filter(**lately)
    uploads = total(Upload.objects.filter(**lately), "bytes")
    return uploads + total(run_rows, "bytes", "version__bytes", Length("version__parsed__packed"))


def total(rows: QuerySet[Any], *columns: str | Length) -> int:
    """Return the sum of the columns; 0 without rows."""
    sums = {f"sum{number}": Sum(column) for number, column in enumerate(columns)}
    return sum(filter(None, rows.order_by().aggregate(**sums).values()))


def require_disk_space() -> None:
    """Require that the disk is not nearly full, and the database is below its limit. Raises StorageFull."""
    least, most = settings.LIMITS["free_disk_bytes"], settings.LIMITS["database_bytes"]
    free = free_disk()
    if (free is not None and free < least) or (most and database_size() > most):
        raise StorageFull(DISK_IS_FULL, here=True)


def free_disk() -> int | None:
    """Return the free bytes where the database is; None if it may be on another machine, or has no file."""
    if connection.vendor != "sqlite":
        return None
    file = Path(str(connection.settings_dict["NAME"]))
    return shutil.disk_usage(file.parent).free if file.exists() else None


def database_size() -> int:
    """Return the size of the database in bytes."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()")
        else:
            cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])
