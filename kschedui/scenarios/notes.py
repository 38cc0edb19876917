"""Private notes at the steps of a version, visible only to their author (an account or a browser)."""

from django.db.models import Exists, OuterRef, Q, QuerySet

from kschedui.in_turn import in_turn
from kschedui.models import Note, Version
from kschedui.scenarios.access import Visitor
from scheduler_core.apis.messages import Message, WithSentence

LONGEST = 2000
MOST = 300  # of one person on one version
MAX_CARRIED = 1000  # notes of people other than the owner that are copied to the next version


class BadNote(WithSentence):
    """The note cannot be stored; the text is the sentence for the visitor."""


def notes_of(visitor: Visitor, version: Version) -> QuerySet[Note]:
    """Return the visitor's notes on a version."""
    if visitor.user:
        return Note.objects.filter(version=version, owner=visitor.user)
    mine = Note.objects.filter(version=version, owner=None, editor_hash=visitor.editor_hash)
    return mine if visitor.editor_hash else Note.objects.none()


def keep(visitor: Visitor, version: Version, step: int, text: str) -> str:
    """Replace the visitor's note at a step; "" deletes it. Return the stored text. Raises BadNote."""
    text = text.replace("\0", "").strip()
    if len(text) > LONGEST:
        raise BadNote(
            Message("A note can have at most {most:,} characters; this one has {n:,}.", most=LONGEST, n=len(text))
        )
    mine = notes_of(visitor, version)
    whose = {"owner": visitor.user, "editor_hash": "" if visitor.user else visitor.editor_hash}
    with in_turn(f"notes of {visitor.author}"):
        if not text:
            mine.filter(step=step).delete()
        elif mine.exclude(step=step).count() >= MOST:
            raise BadNote(Message("You have {most} notes on this version, which is the limit.", most=MOST))
        else:
            Note.objects.update_or_create({"text": text}, version=version, step=step, **whose)
    return text


def carry_over(before: Version, after: Version) -> None:
    """Copy the owner's notes, and the last MAX_CARRIED notes of others, to the same steps of a new version."""
    scenario, notes = before.scenario, Note.objects.filter(version=before)
    own = Q(owner=scenario.owner_id) if scenario.owner_id else Q(owner=None, editor_hash=scenario.editor_hash)
    columns = "owner_id", "editor_hash", "step", "text"
    rows = [*notes.filter(own).values(*columns), *notes.exclude(own).order_by("-pk").values(*columns)[:MAX_CARRIED]]
    Note.objects.bulk_create([Note(version=after, **row) for row in rows])


def claim_all(visitor: Visitor) -> None:
    """Move the notes of this browser to the account, except at steps where the account already has one."""
    of_account = Note.objects.filter(owner=visitor.user, version=OuterRef("version"), step=OuterRef("step"))
    of_browser = Note.objects.filter(~Exists(of_account), owner=None, editor_hash=visitor.editor_hash)
    of_browser.update(owner=visitor.user, editor_hash="")
