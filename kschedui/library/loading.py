"""Stores the files of the library in the database by slug; only a changed text creates a new version."""

from collections.abc import Iterator

from django.db import IntegrityError, transaction

from kschedui.library import challenges, digest_of, files
from kschedui.models import Run, Scenario, Version
from kschedui.runs import store as runs
from kschedui.runs.turns import length_of
from kschedui.scenarios import engine
from kschedui.scenarios import store as scenarios
from kschedui.scenarios.digest import Digest, digest_of_read
from kschedui.scenarios.parsed import sha256
from kschedui.scenarios.prose import clean_title
from scheduler_core import ENGINE_VERSION, ScenarioErrors


class BadLesson(Exception):
    """A lesson that is not a valid scenario; the text names the file and the reason."""


def load() -> Iterator[tuple[str, Version | None]]:
    """Store every lesson and challenge. Yield (slug, the new version, or None if unchanged). Raises BadLesson.

    Lessons whose file no longer exists become unlisted and lose their slug.
    """
    loaded = {}  # digests by slug
    for path in (*files(), *challenges()):
        text = path.read_text(encoding="utf-8")
        try:
            yield path.stem, load_text(path.stem, text)
        except ScenarioErrors as errors:
            raise BadLesson(f"{path.name}: {errors}") from None
        loaded[path.stem] = digest_of(text)
    lessons = list(Scenario.objects.filter(slug__in=loaded))
    for lesson in lessons:
        lesson.loaded = loaded[str(lesson.slug)]
    Scenario.objects.bulk_update(lessons, ["loaded"])
    gone = Scenario.objects.filter(slug__isnull=False, deleted_at=None).exclude(slug__in=loaded)
    gone.update(slug=None, visibility=Scenario.Visibility.UNLISTED)  # links to it go on working; no page lists it


def load_text(slug: str, text: str) -> Version | None:
    """Store a lesson. Return the new version, or None if the stored one is up to date. Raises ScenarioErrors.

    A trace of another engine also creates a new version, so that old links keep the old trace.
    """
    scenario = Scenario.objects.filter(slug=slug).first()
    last = scenarios.newest(scenario) if scenario else None
    if last and last.sha256 == sha256(text) and not is_by_old_engine(last):
        return None
    parsed = engine.read(text)
    digest = digest_of_read(text, parsed)
    if last and has_same_challenge(last, digest) and not is_by_old_engine(last):
        return None
    try:
        with transaction.atomic():
            if scenario is None:
                scenario = Scenario.objects.create(slug=slug, visibility=Scenario.Visibility.PUBLIC)
            scenario.title = clean_title(parsed.title) or slug
            scenario.save(update_fields=["title"])
            number = last.number + 1 if last else 1
            return scenarios.add_version(scenario, number, digest)
    except IntegrityError:  # another process has just stored it
        return None


def has_same_challenge(version: Version, digest: Digest) -> bool:
    """Return whether the version has the text and the challenge of the digest; False if it has no challenge."""
    return bool(digest.challenge) and (version.text, version.challenge) == (digest.text, digest.challenge)


def is_by_old_engine(version: Version) -> bool:
    """Return whether the trace behind the lesson's links was made by another engine."""
    run = runs.find_run(version)
    return run is not None and run.state == Run.State.DONE and run.engine_version != ENGINE_VERSION


def queue_runs() -> list[Run]:
    """Create the missing runs of the lessons' newest versions. Return those that are queued, new or old."""
    unfinished = []
    for scenario in Scenario.objects.filter(slug__isnull=False, deleted_at=None):
        version = scenarios.newest(scenario)
        about = {"length": length_of(version)}
        run, _ = Run.objects.get_or_create(
            version=version, engine_version=ENGINE_VERSION, kubernetes_version="", defaults=about
        )
        if run.state == Run.State.QUEUED:
            unfinished.append(run)
    return unfinished
