"""Scenarios of visitors: save, fork, rename, set visibility, delete and restore, claim, find."""

from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Func, JSONField, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, Substr
from django.utils import timezone
from django.utils.translation import gettext as _

from kschedui.in_turn import in_turn
from kschedui.language import language
from kschedui.models import Course, Experiment, ParsedText, Run, Scenario, Share, Version, is_public_id
from kschedui.scenarios import access, lessons, notes
from kschedui.scenarios.access import Visitor
from kschedui.scenarios.digest import Digest, digest_of
from kschedui.scenarios.parsed import sha256
from kschedui.scenarios.prose import LONGEST_TITLE, clean_title
from kschedui.work.fetched import Fetched
from scheduler_core.apis.messages import Message
from scheduler_core.ask.challenge import with_challenge

KEPT_AFTER_DELETE = timedelta(days=30)
KEPT_PREVIEW = timedelta(days=1)
PIECE = 3 << 18  # characters of a text that are read at once
MAX_LISTED = 200  # rows that a list has at once
IS_CHALLENGE = Q(slug__startswith="challenge-")  # of the library: scenarios/challenges


class Conflict(Exception):
    """Another version was saved in the meantime; `newest` is its number."""

    def __init__(self, newest: int) -> None:
        self.sentence = Message("Version {number} was saved from another window in the meantime.", number=newest)
        super().__init__(self.sentence)
        self.newest = newest


def create(
    visitor: Visitor,
    text: str | Digest,
    fork_of: Version | None = None,
    *,
    visibility: str | None = None,
    scratch: bool = False,
    change: str = "",
) -> Version:
    """Create a scenario, and return its version. Raises ScenarioErrors or NotAllowed.

    It belongs to the account, or without one to the browser. Output of a cluster is private by default, and stored
    without the fields that scheduling does not read. A copy is never more visible than its original
    (access.require_no_wider), and private by default if the original is. `change`: a description of the fork's edit,
    for its title.
    """
    digest = digest_of(text) if isinstance(text, str) else text
    origin = fork_of.scenario if fork_of else None
    secret = scratch or digest.hidden or (origin is not None and origin.visibility == Scenario.Visibility.PRIVATE)
    visibility = visibility or (Scenario.Visibility.PRIVATE if secret else Scenario.Visibility.UNLISTED)
    access.require_no_wider(visitor, origin, visibility)
    with transaction.atomic():
        scenario = Scenario.objects.create(
            owner=visitor.user,
            editor_hash="" if visitor.user else visitor.editor_hash,
            visibility=Scenario.Visibility(visibility),
            title=title_with(fork_of, change) if fork_of and change else digest.title or _("Untitled scenario"),
            renamed=bool(change),
            fork_of=fork_of,
            scratch=scratch,
        )
        version = add_version(scenario, 1, digest)
        if fork_of and not digest.text:
            copy_text(fork_of, version)
        return version


def copy_text(origin: Version, version: Version) -> None:
    """Copy the text of another version within the database, without reading it here."""
    source = Version.objects.filter(pk=origin.pk)
    columns = {name: Subquery(source.values(name)) for name in ("text", "bytes", "sha256")}
    Version.objects.filter(pk=version.pk).update(**columns)
    if ParsedText.objects.filter(version=origin).exists():
        parsed = ParsedText.objects.create(version=version, packed=b"")
        packed = ParsedText.objects.filter(version=origin).values("packed")
        ParsedText.objects.filter(pk=parsed.pk).update(packed=Subquery(packed))
    version.refresh_from_db(fields=["bytes", "sha256"])
    del version.text  # it is then read when it is needed


def save(scenario: Scenario, text: str | Digest, base: int | None = None) -> Version:
    """Save a new version. Raises ScenarioErrors, and Conflict if `base` is no longer the newest version.

    If the text equals that of the newest version, that one is returned, so that saving again after a lost response is
    not a conflict.
    """
    digest = digest_of(text) if isinstance(text, str) else text
    text = digest.text
    changes: dict[str, Any] = {"updated": timezone.now()}
    if not scenario.renamed:
        changes["title"] = digest.title or _("Untitled scenario")
    with in_turn(f"versions of {scenario.pk}"):
        last = newest(scenario)
        if last.sha256 == sha256(text) and last.challenge == digest.challenge:
            return last
        if base is not None and base != last.number:
            raise Conflict(last.number)
        Scenario.objects.filter(pk=scenario.pk).update(**changes)
        version = add_version(scenario, last.number + 1, digest)
        notes.carry_over(last, version)
        return version


def add_version(scenario: Scenario, number: int, digest: Digest) -> Version:
    """Add a version row. Raises IntegrityError if there is one with this number."""
    text = digest.text
    version = Version.objects.create(
        scenario=scenario,
        number=number,
        text=text,
        bytes=len(text.encode("utf-8", "surrogatepass")),
        sha256=sha256(text),
        summary=digest.summary,
        lesson=digest.lesson,
        description=digest.description,
        challenge=digest.challenge,
    )
    if digest.packed:
        ParsedText.objects.create(version=version, packed=digest.packed)
    return version


def text_for(visitor: Visitor, version: Version) -> str:
    """Return the text of a version; for people who can edit it, with its Challenge document."""
    if not version.challenge or not access.may_edit(visitor, version.scenario):
        return version.text
    return with_challenge(version.text, version.challenge)


def pieces_for(visitor: Visitor, version: Version) -> Iterator[str]:
    """Yield `text_for` in pieces."""
    if version.challenge and access.may_edit(visitor, version.scenario):
        yield text_for(visitor, version)
    else:
        yield from pieces_of(version)


def pieces_of(version: Version) -> Iterator[str]:
    """Yield the text in pieces; a short one as a whole.

    As a whole, a text of 24 MB may take 200 MB: with a single emoji, each of its characters takes four bytes.
    """
    if version.bytes <= PIECE:
        yield version.text
        return
    same, start = Version.objects.filter(pk=version.pk), 1
    while piece := same.values_list(Substr("text", start, PIECE), flat=True).get():
        yield piece
        start += PIECE


def preview(visitor: Visitor, text: str | Digest) -> Version:
    """Store an unsaved text for a day as a preview, or return the preview that the visitor recently stored of the same
    text.
    """
    mine = Q(scenario__owner=visitor.user) if visitor.user else Q(scenario__editor_hash=visitor.editor_hash)
    fresh = timezone.now() - KEPT_PREVIEW / 2
    digest = digest_of(text) if isinstance(text, str) else text
    same = {"sha256": sha256(digest.text), "challenge": digest.challenge}
    previews = Version.objects.filter(mine, **same, scenario__scratch=True, created__gt=fresh)
    return previews.first() or create(visitor, digest, scratch=True)


def example(text: str) -> Version:
    """Store one of the site's own texts, or return the version that was stored before. Nobody owns it, and no page
    lists it.
    """
    unowned = {"owner": None, "editor_hash": "", "slug": None, "deleted_at": None, "scratch": False}
    by_scenario = {f"scenario__{name}": value for name, value in unowned.items()}
    version = Version.objects.filter(sha256=sha256(text), **by_scenario).first()
    return version or create(Visitor(None, ""), text)


def fork(visitor: Visitor, origin: Version, digest: Digest | None = None) -> Version:
    """Save the text of a version, or that of the digest, as the visitor's own scenario. Return its version.

    With a digest without text, the database copies the original's text.
    """
    return create(visitor, digest or origin.text, fork_of=origin)


def title_with(origin: Version, change: str) -> str:
    """Return a title such as "Flash sale: n3 cordoned".

    If it is too long, the original title is shortened; the change is cut only if it does not fit alone.
    """
    change = clean_title(change)
    length = max(0, LONGEST_TITLE - len(change) - 2)
    lesson = lessons.load(origin.lesson)
    before = (lesson.text("title", language()) if origin.scenario.slug else "") or origin.scenario.title
    return clean_title(f"{before if len(before) <= length else before[: max(0, length - 1)] + '…'}: {change}")


def by_id(public_id: str) -> Scenario:
    """Return the scenario.

    Raises Scenario.DoesNotExist, also for an invalid id: PostgreSQL rejects queries for some texts.
    """
    if not is_public_id(public_id):
        raise Scenario.DoesNotExist
    scenarios = Scenario.objects.select_related("owner", "fork_of__scenario").defer(*Version.large("fork_of__"))
    return scenarios.get(public_id=public_id)


def by_slug(slug: str) -> Scenario:
    """Return the lesson or challenge with this slug. Raises Scenario.DoesNotExist."""
    return Scenario.objects.get(slug=slug)


def newest(scenario: Scenario) -> Version:
    """Return the last version. Raises Version.DoesNotExist only while a scenario is being created."""
    version = _without_text(scenario).order_by("-number").first()
    if version is None:
        raise Version.DoesNotExist
    return version


def version(scenario: Scenario, number: int) -> Version:
    """Return the version. Raises Version.DoesNotExist."""
    return _without_text(scenario).get(number=number)


def by_key(key: int) -> Version:
    """Return the version with this key, without its large columns. Raises Version.DoesNotExist."""
    return Version.objects.select_related("scenario").defer(*Version.large()).get(pk=key)


def _without_text(scenario: Scenario) -> QuerySet[Version]:
    """Return the versions of the scenario; their text, which few pages show, is loaded on access."""
    return scenario.versions.defer("text", "challenge")


def listed_versions(scenario: Scenario, before: int | None = None) -> list[Version]:
    """Return up to MAX_LISTED versions with their runs, newest first; only those before a number, if given."""
    older = scenario.versions.filter(**({"number__lt": before} if before else {}))
    return list(older.defer(*Version.large()).order_by("-number").prefetch_related("runs")[:MAX_LISTED])


def text_for_work(version: Version) -> Fetched:
    """Return the version's text as an argument of work, which reads it in its own process."""
    return Fetched(text_of, version.pk, version.bytes)


def text_of(version: int) -> str:
    """Return the text of the version with this key. Raises Version.DoesNotExist."""
    text: str = Version.objects.values_list("text", flat=True).get(pk=version)
    return text


LAST = Version.objects.filter(scenario=OuterRef("pk")).order_by("-number")
# A state that no index has: with the index of states, SQLite would go through all complete runs of the site, and their
# texts, for each scenario of a list.
RAN = (
    Run.objects.alias(unindexed_state=Coalesce("state", Value("")))
    .filter(version__scenario=OuterRef("pk"), unindexed_state=Run.State.DONE)
    .order_by("-version__number", "pk")
)


class WithoutRules(Func):
    """A summary without its rules, whose expressions may take 80 kB; lists do not show them."""

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, template="JSON_REMOVE(%(expressions)s, '$.rules')", **context)

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, template="(%(expressions)s - 'rules')", **context)


def with_newest(scenarios: QuerySet[Scenario]) -> QuerySet[Scenario]:
    """Annotate scenarios with the `number` and the `summary` of their newest version, without its rules.

    Also with the `outcome` of the newest version that has a complete run, and with `ran`, the number of that version.
    """
    return scenarios.annotate(
        number=Subquery(LAST.values("number")[:1]),
        summary=Subquery(LAST.values(short=WithoutRules("summary", output_field=JSONField()))[:1]),
        outcome=Subquery(RAN.values("outcome")[:1]),
        ran=Subquery(RAN.values("version__number")[:1]),
    )


def with_lesson(scenarios: QuerySet[Scenario]) -> QuerySet[Scenario]:
    """Annotate the library's scenarios as `with_newest` does, and with `lesson`: their texts, which are large."""
    return with_newest(scenarios).annotate(lesson=Subquery(LAST.values("lesson")[:1]))


def library() -> QuerySet[Scenario]:
    """Return the lessons."""
    return with_lesson(_lessons())


def named(slugs: Iterable[str]) -> QuerySet[Scenario]:
    """Return the lessons and challenges with these slugs, with the columns that `library` adds."""
    return with_lesson(Scenario.objects.filter(slug__in=slugs, deleted_at=None))


def lessons_named(slugs: Iterable[str]) -> QuerySet[Scenario]:
    """Return the lessons with these slugs, without the columns that `library` adds."""
    return _lessons().filter(slug__in=slugs)


def library_marks() -> QuerySet[Scenario, tuple[Any, ...]]:
    """Return a row for each lesson that changes whenever the result of `library` for that lesson does."""
    version, run = Subquery(LAST.values("pk")[:1]), Subquery(RAN.values("pk")[:1])
    return _lessons().order_by("pk").values_list("public_id", "slug", "title", version, run)


def _lessons() -> QuerySet[Scenario]:
    return Scenario.objects.filter(slug__isnull=False, deleted_at=None).exclude(IS_CHALLENGE)


def challenges() -> QuerySet[Scenario]:
    """Return the challenges of the library."""
    return with_lesson(Scenario.objects.filter(IS_CHALLENGE, deleted_at=None))


def saved_scenarios() -> QuerySet[Scenario]:
    """Return saved scenarios, deleted ones too, the most recently changed first."""
    scenarios = Scenario.objects.filter(slug=None, scratch=False)
    unread = scenarios.select_related("fork_of__scenario").defer(*Version.large("fork_of__"))
    return with_newest(unread).order_by("-updated", "-pk")


def public() -> QuerySet[Scenario]:
    """Return the scenarios that their authors made public."""
    return saved_scenarios().filter(deleted_at=None, visibility=Scenario.Visibility.PUBLIC)


def of_visitor(visitor: Visitor) -> QuerySet[Scenario]:
    """Return the scenarios of the visitor's account or browser, including deleted ones that can be restored."""
    if visitor.user:
        return saved_scenarios().filter(owner=visitor.user)
    return (
        saved_scenarios().filter(owner=None, editor_hash=visitor.editor_hash)
        if visitor.editor_hash
        else saved_scenarios().none()
    )


def shared_with(visitor: Visitor) -> QuerySet[Scenario]:
    """Return the scenarios shared with the account, or with one of its groups."""
    if not visitor.user:
        return saved_scenarios().none()
    mine = Q(user=visitor.user) | Q(group__in=visitor.user.groups.all())
    return saved_scenarios().filter(deleted_at=None, pk__in=Share.objects.filter(mine).values("scenario"))


def filter_by_title(scenarios: QuerySet[Scenario], search: str) -> QuerySet[Scenario]:
    """Return the scenarios whose titles contain all words of the search."""
    for word in search.replace("\0", "").split():
        scenarios = scenarios.filter(title__icontains=word)
    return scenarios


def after(scenarios: QuerySet[Scenario], public_id: str | None) -> QuerySet[Scenario]:
    """Return the scenarios that follow the given one in `saved_scenarios`; all without one.

    Raises Scenario.DoesNotExist if it is not in the list.
    """
    if public_id is None:
        return scenarios
    last = scenarios.get(public_id=public_id)
    return scenarios.filter(Q(updated__lt=last.updated) | Q(updated=last.updated, pk__lt=last.pk))


def rename(scenario: Scenario, title: str) -> None:
    """Rename the scenario; an empty title restores the title in the text."""
    own = lessons.load(newest(scenario).lesson).title
    scenario.renamed = bool(clean_title(title))
    scenario.title = clean_title(title) or clean_title(own) or _("Untitled scenario")
    scenario.save(update_fields=["title", "renamed"])


def set_visibility(visitor: Visitor, scenario: Scenario, visibility: str) -> None:
    """Set the visibility. Raises NotAllowed if a copy would be more visible than somebody's original."""
    if visibility != scenario.visibility:
        access.require_no_wider(visitor, scenario.fork_of.scenario if scenario.fork_of else None, visibility)
    scenario.visibility = Scenario.Visibility(visibility)
    scenario.save(update_fields=["visibility"])


def delete(scenario: Scenario) -> None:
    """Delete the scenario for everyone; `restore` undoes it until `purge` removes the scenario."""
    Scenario.objects.filter(pk=scenario.pk, deleted_at=None).update(deleted_at=timezone.now())


def restore(scenario: Scenario) -> None:
    """Undo `delete`."""
    Scenario.objects.filter(pk=scenario.pk).update(deleted_at=None)


def claim(visitor: Visitor, scenario: Scenario) -> bool:
    """Give a scenario without an owner to the visitor's account. Return False if somebody else owns it."""
    free = Scenario.objects.filter(pk=scenario.pk, owner=None, slug=None)
    if not free.update(owner=visitor.user, editor_hash=""):
        return bool(scenario.owner_id == visitor.user.pk)
    if scenario.editor_hash:
        runs = Run.objects.filter(version__scenario=scenario, author=scenario.editor_hash)
        runs.update(author=visitor.author)
    return True


def claim_all(visitor: Visitor) -> int:
    """Give the account everything that this browser created. Return the number of scenarios and courses."""
    if not visitor.editor_hash:
        return 0
    notes.claim_all(visitor)
    Run.objects.filter(author=visitor.editor_hash).update(author=visitor.author)
    Experiment.objects.filter(owner=None, editor_hash=visitor.editor_hash).update(owner=visitor.user, editor_hash="")
    mine = Scenario.objects.filter(owner=None, slug=None, editor_hash=visitor.editor_hash)
    courses = Course.objects.filter(owner=None, editor_hash=visitor.editor_hash)
    owned = {"owner": visitor.user, "editor_hash": ""}
    return mine.update(**owned) + courses.update(**owned)


def purge() -> int:
    """Remove scenarios that were deleted long ago, and old previews, permanently. Return their number."""
    now = timezone.now()
    old = Scenario.objects.filter(deleted_at__lt=now - KEPT_AFTER_DELETE)
    old_previews = Scenario.objects.filter(scratch=True, updated__lt=now - KEPT_PREVIEW)
    return sum(map(remove_all, (old, old_previews)))


def remove_all(scenarios: QuerySet[Scenario]) -> int:
    """Remove scenarios one by one, since SQLite accepts no other writes during a removal. Return the number."""
    removed = 0
    for key in list(scenarios.values_list("pk", flat=True)):
        _, counts = Scenario.objects.filter(pk=key).delete()
        removed += counts.get(Scenario._meta.label, 0)
    return removed
