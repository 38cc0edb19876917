"""The library: the files of its lessons and challenges, and whether the database has them.

Imports no engine: a start at which nothing has changed needs none.
"""

import hashlib
from pathlib import Path

from django.conf import settings
from django.db.models import Exists, OuterRef, Subquery

from kschedui.models import Run, Scenario, Version

FOLDER = settings.BASE_DIR / "kschedui" / "scenarios" / "lessons"
CHALLENGES = FOLDER.parent / "challenges"
ENGINE = settings.BASE_DIR / "scheduler_core" / "version.py"


def files() -> list[Path]:
    """Return the lesson files in the order of their slugs."""
    return sorted(FOLDER.glob("*.yaml"))


def challenges() -> list[Path]:
    """Return the challenge files, by slug."""
    return sorted(CHALLENGES.glob("*.yaml"))


def digest_of(text: str) -> str:
    """Return a digest of the text of a file and the engine's version."""
    return hashlib.sha256(ENGINE.read_bytes() + text.encode("utf-8")).hexdigest()


def is_loaded() -> bool:
    """Return whether the database has the present text of every file, loaded by this engine and with a run that has
    begun, and no other lesson.
    """
    newest = Version.objects.filter(scenario=OuterRef("pk")).order_by("-number").values("pk")[:1]
    run = Run.objects.filter(version=OuterRef("newest"), kubernetes_version="").exclude(state=Run.State.QUEUED)
    lessons = Scenario.objects.filter(slug__isnull=False).annotate(newest=Subquery(newest), is_run=Exists(run))
    wanted = {(path.stem, digest_of(path.read_text("utf-8")), True) for path in (*files(), *challenges())}
    return set(lessons.values_list("slug", "loaded", "is_run")) == wanted
