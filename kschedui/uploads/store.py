"""Uploads: store a large request, find it, report its progress, store its response, delete it."""

import logging
from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Any, NamedTuple

import msgspec
from django.conf import settings
from django.db.models import Count, Q
from django.utils import timezone, translation

from kschedui.celery import app
from kschedui.models import Run, Upload, is_public_id
from kschedui.runs import leases, turns
from kschedui.runs.turns import Requester
from kschedui.scenarios.access import Visitor
from kschedui.scenarios.digest import Digest
from kschedui.uploads import parts
from scheduler_core.apis.messages import Message

logger = logging.getLogger(__name__)

TASK = "kschedui.tasks.answer_uploads"
RETENTION = timedelta(days=1)  # of a response, for a client that comes back
NOT_SENT = timedelta(hours=1)  # a body of which not everything came
PROGRESS_SECONDS = 0.5  # between two that are kept
LOST_TOO_OFTEN = Message("This was stopped after {tries} workers exited while working on it.", tries=leases.MAX_TRIES)
State = Run.State


class StoredRequest(NamedTuple):
    """The parts of a request that are stored in addition to its body."""

    method: str
    path: str
    query: str
    content_type: str
    key: str  # Idempotency-Key


class UploadWait(NamedTuple):
    """The number of uploads that are answered before a queued one."""

    others: int


class TooManyUploads(Exception):
    """The author or the address has reached the limit of unfinished uploads."""

    def __init__(self, most: int) -> None:
        self.sentence = Message(
            "You have {most} large requests in progress, which is the limit. Wait until one of them is done.",
            most=most,
        )
        super().__init__(self.sentence)


class NotDone(Exception):
    """The upload has no response, or none yet."""


# --- For the client -----------------------------------------------------------------------------------------------


def keep(visitor: Visitor, requester: Requester, stored: StoredRequest, body: Iterable[bytes]) -> Upload:
    """Store a request, queue it, and return the upload. Until it has arrived, its state is CANCELLED.

    Raises TooManyUploads or parts.TooManyBytes.
    """
    upload = Upload.objects.create(
        **owned_by(visitor),
        **requester._asdict(),
        language=translation.get_language() or settings.LANGUAGE_CODE,
        request=stored._asdict(),
        state=State.CANCELLED,
    )
    try:
        parts.write(upload, parts.Kind.BODY, body, settings.LIMITS["upload_bytes"])
        require_few(visitor, requester, before=upload.pk)
    except BaseException:
        upload.delete()
        raise
    upload.state = State.QUEUED
    upload.queued_at = timezone.now()
    upload.save(update_fields=["state", "queued_at"])
    request_worker()
    return upload


def require_few(visitor: Visitor, requester: Requester, before: int | None = None) -> None:
    """Require that the account, or without one the address, can have another upload. Raises TooManyUploads.

    `before`: the key of an upload that is already stored; only earlier ones count. So if two requests reach the limit
    at once, the later one fails.
    """
    most = settings.LIMITS["uploads_waiting"]
    going_on = Q(state__in=[State.QUEUED, State.RUNNING]) | Q(finished=None, state=State.CANCELLED)
    earlier = {} if before is None else {"pk__lt": before}
    mine = {"author": requester.author} if visitor.user else {"owner": None, "address": requester.address}
    if Upload.objects.filter(going_on, **earlier, **mine).count() >= most:
        raise TooManyUploads(most)


def owned_by(visitor: Visitor) -> dict[str, Any]:
    """Return the columns that identify the owner."""
    return {"owner": visitor.user, "editor_hash": "" if visitor.user else visitor.editor_hash}


def sender_of(upload: Upload) -> Visitor:
    """Return the visitor who sent the upload."""
    return Visitor(upload.owner, kept_hash=upload.editor_hash)


def by_id(visitor: Visitor, public_id: str) -> Upload:
    """Return an upload of the visitor. Raises Upload.DoesNotExist for any other."""
    if not is_public_id(public_id):
        raise Upload.DoesNotExist
    mine = Q(owner=None, editor_hash=visitor.editor_hash) if visitor.editor_hash else Q(pk=None)
    if visitor.user:
        mine |= Q(owner=visitor.user)
    return Upload.objects.select_related("owner").get(mine, public_id=public_id)


def ahead_of(upload: Upload) -> UploadWait | None:
    """Return the estimated number of uploads before this one, if parties continue to take turns; None unless it is
    queued.
    """
    if upload.state != State.QUEUED:
        return None
    queued = Upload.objects.filter(state=State.QUEUED)
    own = queued.filter(party=upload.party, pk__lt=upload.pk).count()
    others = queued.exclude(party=upload.party).order_by().values("party").annotate(waiting=Count("pk"))
    going_on = Upload.objects.filter(state=State.RUNNING).count()
    return UploadWait(going_on + own + sum(min(row["waiting"], own + 1) for row in others))


def cancel(upload: Upload) -> None:
    """Cancel the upload and delete its parts; its worker notices soon."""
    going_on = Upload.objects.filter(pk=upload.pk, state__in=[State.QUEUED, State.RUNNING])
    going_on.update(state=State.CANCELLED, finished=timezone.now(), lease_until=None)
    upload.parts.all().delete()
    Upload.objects.filter(pk=upload.pk).update(bytes=0)


def answer_of(upload: Upload) -> Iterator[bytes]:
    """Yield the bytes of the response. Raises NotDone."""
    if upload.state != State.DONE:
        raise NotDone
    return parts.read(upload, parts.Kind.ANSWER)


def digest_of(upload: Upload) -> Digest:
    """Return the parsed text of an import. Raises NotDone."""
    packed = b"".join(parts.read(upload, parts.Kind.DIGEST)) if upload.state == State.DONE else b""
    if not packed:
        raise NotDone
    return msgspec.msgpack.decode(packed, type=Digest)


def request_worker() -> None:
    """Notify a worker of a new upload. If the broker does not respond, `requeue_lost` does so later."""
    try:
        app.send_task(TASK, retry=False, expires=60)
    except Exception as error:  # any error of the broker's client; the row is the truth
        logger.warning("an upload was not announced to the workers: %s", error)


def has_queued() -> bool:
    """Return whether an upload is queued."""
    return Upload.objects.filter(state=State.QUEUED).exists()


# --- A worker's part ----------------------------------------------------------------------------------------------


def take_next_upload() -> Upload | None:
    """Take the upload whose turn it is, and return it; None if there is none."""
    queued = Upload.objects.filter(state=State.QUEUED)
    while (party := turns.first_served("party", queued)) is not None:
        mine = queued.filter(party=party)
        author = turns.first_served("author", mine, party=party)
        upload = mine.filter(author=author).select_related("owner").order_by("pk").first()
        if upload is None or leases.take(upload, leases.held_columns(upload)):
            return upload
    return None


def keep_digest(upload: Upload, digest: Digest) -> None:
    """Store the digest, so that saving the text need not parse it again."""
    parts.write(upload, parts.Kind.DIGEST, [msgspec.msgpack.encode(digest)])


def store_progress(upload: Upload, part: float) -> None:
    """Store the part of the work that is done, from 0 to 1."""
    Upload.objects.filter(pk=upload.pk, attempt=upload.attempt).update(progress=round(part, 3))


def finish(upload: Upload, status: int, content_type: str, answer: Iterable[bytes]) -> None:
    """Store the response. Raises leases.Lost."""
    leases.renew(upload)
    parts.write(upload, parts.Kind.ANSWER, answer)
    _end(upload, state=State.DONE, status=status, content_type=content_type, progress=1.0)


def fail(upload: Upload, sentence: Message) -> None:
    """End the upload without a response. Raises leases.Lost."""
    _end(upload, state=State.FAILED, error=sentence)


def _end(upload: Upload, **changes: Any) -> None:
    leases.update_mine(upload, finished=timezone.now(), lease_until=None, **changes)
    upload.parts.filter(kind=parts.Kind.BODY).delete()


def requeue_lost() -> None:
    """Queue uploads again whose worker is lost, and notify a worker if any are queued."""
    for upload in leases.requeue(Upload):
        logger.info("upload %s is queued again", upload.public_id)
    if has_queued():
        request_worker()


def forget() -> None:
    """Remove old uploads, and those that did not arrive completely."""
    now = timezone.now()
    ended = Upload.objects.filter(finished__lt=now - RETENTION)
    broken_off = Upload.objects.filter(state=State.CANCELLED, finished=None, created__lt=now - NOT_SENT)
    for old_uploads in (ended, broken_off):
        old_uploads.delete()
