"""Runs: a simulation of a version by an engine, reused instead of repeated; its stored trace is authoritative.

Only the worker whose attempt number is that of the run writes to it. Each chunk is committed together with the run's
counters, then announced; a lost announcement does no harm, since followers also poll every 2 seconds.
"""

import logging
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.db import transaction
from django.db.models import F, QuerySet, Sum
from django.db.models.functions import Length
from django.utils import timezone
from django.utils.translation import gettext_noop

from kschedui import tallies
from kschedui.celery import app
from kschedui.models import Chunk, Run, Scenario, Version, is_public_id
from kschedui.runs import frames, leases
from kschedui.runs.turns import Requester, RunQueue, RunWait, length_of
from scheduler_core import ENGINE_VERSION
from scheduler_core.apis.messages import Message
from scheduler_core.releases import DEFAULT_RELEASE

logger = logging.getLogger(__name__)

TASK = "kschedui.tasks.work_on_runs"
MESSAGE_SECONDS = 60  # a message to a worker expires after this time: queued runs are announced again
UNSEEN = timedelta(seconds=15)  # a preview that nobody has looked at for so long ends
MAX_AT_ONCE = 500  # chunks that are deleted before others may write
NOBODY = Requester()
ENGINES_OF_ONE_RELEASE = ("0.1.0", "0.2.0", "0.3.0")
THE_ONE_RELEASE = "1.34"
LOST_TOO_OFTEN = Message("The run was stopped after {tries} workers exited while running it.", tries=leases.MAX_TRIES)


class DamagedChunk(Exception):
    """A stored chunk is damaged. `repaired`: the run is repeated to compute it again."""

    def __init__(self, run: str, seq: int, *, repaired: bool) -> None:
        super().__init__(run, seq)
        self.run = run
        self.seq = seq
        self.repaired = repaired


REPAIRED = gettext_noop("A part of this trace was damaged. It is being computed again. Try again in a moment.")
NOT_REPAIRED = gettext_noop(
    "A part of this trace is damaged, and it was made by an earlier engine. Run the version again with the current one."
)


class Audience(NamedTuple):
    """The fields of a scenario that decide who can see its run."""

    deleted: datetime | None
    visibility: str
    owner: int | None
    sharing: int

    @property
    def open_to_all(self) -> bool:
        """Return whether everyone with the link can see the run (access.may_see)."""
        return self.deleted is None and self.visibility != Scenario.Visibility.PRIVATE


class Status(NamedTuple):
    """The state of a run as its followers see it."""

    run: str
    state: str
    attempt: int
    chunks: int
    steps: int
    time: float
    error: str
    preview: bool
    audience: Audience
    ahead: RunWait | None  # while it is queued

    @property
    def ended(self) -> bool:
        return self.state in Run.ENDED


# --- Start, find ------------------------------------------------------------------------------------------------


def start_run(
    version: Version, requester: Requester = NOBODY, *, retry: bool = False, kubernetes: str | None = None
) -> Run:
    """Return the run of the version by this engine; it is queued if it is new, and with `retry` if it was cancelled or
    failed.

    `kubernetes`: a release other than the text's; each release has a run of its own.
    """
    kubernetes = own_release(version) if kubernetes is None else kubernetes
    about = {**requester._asdict(), "length": length_of(version)}
    run, created = Run.objects.get_or_create(
        version=version, engine_version=ENGINE_VERSION, kubernetes_version=kubernetes, defaults=about
    )
    again = Run.objects.filter(pk=run.pk, state__in=[Run.State.CANCELLED, Run.State.FAILED] if retry else [])
    now = timezone.now()
    requeued = {"state": Run.State.QUEUED, "error": "", "finished": None, "queued_at": now, "seen": now, "tries": 0}
    if again.update(**requeued, **requester._asdict()) or created:
        run.refresh_from_db()
        transaction.on_commit(lambda: enqueue(run.public_id))
    return run


def enqueue(public_id: str) -> None:
    """Notify the workers of a queued run. The worker that responds takes the run whose turn it is, possibly another
    one.

    If the broker does not respond, the run stays queued, and `requeue_lost` notifies workers again.
    """
    try:
        app.send_task(TASK, retry=False, expires=MESSAGE_SECONDS)
    except Exception as error:  # any error of the broker's client; the row is the truth
        logger.warning("run %s was not announced to the workers: %s", public_id, error)


def find_run(version: Version, engine_version: str | None = None, kubernetes: str | None = None) -> Run | None:
    """Return the run of a version by that engine on that release, by default the version's own; None if there is none.

    Without an engine: the oldest complete run, to which links refer, otherwise the latest one. Few engines run a
    version, so all of its runs are read: one query, none for versions with prefetched `runs`.
    """
    all_runs = list(version.runs.all())
    kubernetes = _own_release(all_runs) if kubernetes is None else kubernetes
    matching = [run for run in all_runs if run.kubernetes_version == kubernetes]
    if engine_version is not None:
        return next((run for run in matching if run.engine_version == engine_version), None)
    return next((run for run in matching if run.state == Run.State.DONE), matching[-1] if matching else None)


def own_release(version: Version) -> str:
    """Return the release to which the version's links refer: "" for that of the text; older versions keep the only one
    there was.
    """
    return _own_release(version.runs.all())


def _own_release(matching: Iterable[Run]) -> str:
    return THE_ONE_RELEASE if any(run.engine_version in ENGINES_OF_ONE_RELEASE for run in matching) else ""


def release_of(version: Version, kubernetes: str) -> str:
    """Return the Kubernetes release that a run of the version simulates, such as "1.36"."""
    release: str = version.summary.get("kubernetes", DEFAULT_RELEASE.version)
    return kubernetes or release


def by_id(public_id: str) -> Run:
    """Return the run with its version (without text) and scenario. Raises Run.DoesNotExist."""
    if not is_public_id(public_id):
        raise Run.DoesNotExist
    rows = Run.objects.select_related("version__scenario").defer(*Version.large("version__"))
    return rows.get(public_id=public_id)


def status(public_id: str) -> Status:
    """Return the status of a run. Raises Run.DoesNotExist."""
    by_run = statuses([public_id])
    if not by_run:
        raise Run.DoesNotExist
    return by_run[public_id]


def statuses(public_ids: list[str]) -> dict[str, Status]:
    """Return the status of several runs in one query; runs that do not exist are missing."""
    counted = ("public_id", "state", "attempt", "chunks", "steps", "time", "error", "version__scenario__scratch")
    audience = tuple(f"version__scenario__{name}" for name in ("deleted_at", "visibility", "owner", "sharing"))
    by_run = {}
    queue: RunQueue | None = None
    rows = Run.objects.filter(public_id__in=public_ids).values_list(*counted, *audience, "pk", "party", "length")
    for row in rows:
        fields, seen, place = row[: len(counted)], row[len(counted) : -3], row[-3:]
        queue = queue or (RunQueue() if row[1] == Run.State.QUEUED else None)
        ahead = queue.ahead(*place) if queue and row[1] == Run.State.QUEUED else None
        by_run[row[0]] = Status._make((*fields, Audience._make(seen), ahead))
    return by_run


def frame(public_id: str, seq: int) -> bytes | None:
    """Return a stored frame; None if the run has not reached it. Raises DamagedChunk if it is damaged or lost."""
    stored = Chunk.objects.filter(run__public_id=public_id, seq=seq).values_list("frame", flat=True).first()
    if stored is not None:
        return intact_frame(public_id, seq, stored)
    if Run.objects.filter(public_id=public_id, chunks__gt=seq).exists():
        raise DamagedChunk(public_id, seq, repaired=repair(public_id, seq))
    return None


def frame_of(run: Run, seq: int) -> bytes:
    """Return an existing frame of the run. Raises DamagedChunk."""
    stored = frame(run.public_id, seq)
    if stored is None:  # somebody else found it damaged meanwhile
        raise DamagedChunk(run.public_id, seq, repaired=True)
    return stored


def first_frame(run: Run, most: int) -> bytes | None:
    """Return the first frame of the run; None if it is not stored, damaged, or larger than `most` bytes.

    A damaged one is computed again.
    """
    small = Chunk.objects.filter(run=run, seq=0).annotate(size=Length("frame")).filter(size__lte=most)
    stored = small.values_list("frame", flat=True).first()
    try:
        return None if stored is None else intact_frame(run.public_id, 0, stored)
    except DamagedChunk:
        return None


def frame_at(run: Run, step: int) -> bytes | None:
    """Return the stored frame that contains a step; None if there is none. Raises DamagedChunk."""
    chunk = Chunk.objects.filter(run=run, first_step__lte=step).order_by("-first_step").first()
    return None if chunk is None else intact_frame(run.public_id, chunk.seq, chunk.frame)


def intact_frame(public_id: str, seq: int, stored: bytes | memoryview) -> bytes:
    """Return a frame if it is intact. Otherwise, repair the run and raise DamagedChunk."""
    content = bytes(stored)
    try:
        frames.require_whole(content)
    except frames.DamagedFrame as error:
        logger.error("chunk %s of run %s is damaged: %s", seq, public_id, error)
        tallies.add(tallies.DAMAGED)
        raise DamagedChunk(public_id, seq, repaired=repair(public_id, seq)) from None
    return content


def repair(public_id: str, seq: int) -> bool:
    """Run again from a chunk on, which gives the same bytes, if this engine made the run. Return whether it did."""
    with transaction.atomic():
        gone = Chunk.objects.filter(run__public_id=public_id, seq__gte=seq)
        size = gone.aggregate(sum=Sum(Length("frame")))["sum"] or 0
        before = Chunk.objects.filter(run__public_id=public_id, seq__lt=seq).aggregate(sum=Sum("events"))["sum"] or 0
        mine = Run.objects.filter(public_id=public_id, engine_version=ENGINE_VERSION)
        requeued = {"state": Run.State.QUEUED, "queued_at": timezone.now(), "finished": None, "tries": 0, "error": ""}
        cut = {"chunks": seq, "steps": before, "bytes": F("bytes") - size, "attempt": F("attempt") + 1}
        if mine.filter(chunks__gt=seq).update(**requeued, **cut, lease_until=None):
            gone.delete()
            transaction.on_commit(lambda: enqueue(public_id))
            transaction.on_commit(lambda: announce(public_id))
    return mine.exists()


def all_frames(run: Run) -> Iterator[bytes]:
    """Yield every stored frame; they are read one by one, since each may be megabytes. Raises DamagedChunk."""
    for seq in range(run.chunks):
        yield frame_of(run, seq)


# --- A worker's part --------------------------------------------------------------------------------------------


def claim(public_id: str) -> Run | None:
    """Take a run that no worker holds. Return None if it has ended, does not exist, or is held.

    A run that repeatedly crashes its workers (because of too little memory, for example) fails.
    """
    run = Run.objects.select_related("version__scenario").filter(leases.free(), public_id=public_id).first()
    if run is None:
        return None
    hopeless = run.tries >= leases.MAX_TRIES
    if hopeless:
        changes = {"state": Run.State.FAILED, "error": LOST_TOO_OFTEN, "finished": timezone.now(), "lease_until": None}
    else:
        changes = leases.held_columns(run)
    if not leases.take(run, changes):
        return None
    announce(public_id)
    if run.attempt == 1:
        tallies.add(tallies.WAITS)
        tallies.add(tallies.WAIT_MILLISECONDS, amount=int((timezone.now() - run.created).total_seconds() * 1000))
    if hopeless:
        tallies.add(tallies.RUNS, Run.State.FAILED)
    return None if hopeless else run


def store_chunk(run: Run, chunk: Chunk, time: float) -> None:
    """Commit the run's next chunk. Raises leases.Lost if the worker no longer holds the run."""
    size = len(chunk.frame)
    with transaction.atomic():
        changes = {"chunks": chunk.seq + 1, "steps": chunk.first_step + chunk.events, "time": time}
        leases.update_mine(run, bytes=F("bytes") + size, lease_until=leases.lease(), **changes)
        chunk.save(force_insert=True)
    announce(run.public_id)
    tallies.add(tallies.CHUNKS)
    tallies.add(tallies.CHUNK_BYTES, amount=size)


def mark_long(run: Run) -> None:
    """Record that the run is a long one. Raises leases.Lost."""
    leases.update_mine(run, length=Run.Length.LONG)


def give_back(run: Run) -> None:
    """Let another worker continue the run, as a long one. Raises leases.Lost."""
    leases.update_mine(run, length=Run.Length.LONG, state=Run.State.QUEUED, lease_until=None, tries=run.tries)
    enqueue(run.public_id)
    announce(run.public_id)


def finish(run: Run, outcome: dict[str, Any]) -> None:
    """Mark the run as complete. Raises leases.Lost."""
    _end_mine(run, state=Run.State.DONE, outcome=outcome)


def fail(run: Run, sentence: Message) -> None:
    """End the run with an error and keep its trace so far. Raises leases.Lost."""
    _end_mine(run, state=Run.State.FAILED, error=sentence)


def _end_mine(run: Run, **changes: Any) -> None:
    leases.update_mine(run, finished=timezone.now(), lease_until=None, **changes)
    announce(run.public_id)
    tallies.add(tallies.RUNS, changes["state"])


# --- Everybody else's part --------------------------------------------------------------------------------------


def cancel(run: Run) -> bool:
    """Cancel a run, whose worker notices at its next write; stored chunks stay. Return False if it had already
    ended.
    """
    stopped = _cancel(Run.objects.filter(pk=run.pk))
    announce(run.public_id)
    return bool(stopped)


def _cancel(runs: QuerySet[Run]) -> int:
    """Cancel the runs that have not ended. Return their number."""
    open_runs = runs.filter(state__in=[Run.State.QUEUED, Run.State.RUNNING])
    stopped = open_runs.update(state=Run.State.CANCELLED, finished=timezone.now(), lease_until=None)
    tallies.add(tallies.RUNS, Run.State.CANCELLED, stopped)
    return stopped


def requeue_lost() -> int:
    """Queue runs again whose worker is lost, and notify workers of them and of runs that no worker has taken.

    Return the number of these runs.
    """
    requeued = 0
    for run in leases.requeue(Run):
        enqueue(run.public_id)
        requeued += 1
    return requeued


def touch(public_id: str) -> None:
    """Record that somebody views the run."""
    Run.objects.filter(public_id=public_id).update(seen=timezone.now())


def cancel_unseen_previews() -> int:
    """Cancel previews that nobody has viewed for a while, at most 100 at a time. Return their number."""
    unseen = Run.objects.filter(
        state__in=[Run.State.QUEUED, Run.State.RUNNING],
        version__scenario__scratch=True,
        seen__lt=timezone.now() - UNSEEN,
    )
    return sum(cancel(run) for run in unseen[:100])


def forget_traces(scenario: Scenario) -> None:
    """Stop the runs of a deleted scenario and free their storage; if it is restored, they are simulated again.

    Runs of other engines stay, since this one might have a different result. A visitor can have many runs, so chunks
    are deleted in groups, and other writers of SQLite get their turn in between.
    """
    runs = Run.objects.filter(version__scenario=scenario)
    _cancel(runs)
    chunks = Chunk.objects.filter(run__in=runs.filter(engine_version=ENGINE_VERSION))
    while keys := list(chunks.values_list("pk", flat=True)[:MAX_AT_ONCE]):
        Chunk.objects.filter(pk__in=keys).delete()
    _mark_forgotten(runs.filter(engine_version=ENGINE_VERSION))


def forget_trace(run: Run) -> None:
    """Delete the trace of an ended run.

    When the run is opened again, it is simulated to the same trace, so links keep their steps.
    """
    with transaction.atomic():
        _mark_forgotten(Run.objects.filter(pk=run.pk))
        Chunk.objects.filter(run=run).delete()


def _mark_forgotten(runs: QuerySet[Run]) -> None:
    gone = {"state": Run.State.CANCELLED, "chunks": 0, "steps": 0, "bytes": 0, "time": 0.0, "outcome": {}}
    runs.update(**gone, attempt=F("attempt") + 1, lease_until=None)


def prunable(before: datetime) -> QuerySet[Run]:
    """Return runs outside the library that ended before this time, are stored, and can be repeated by this engine."""
    ended = Run.objects.filter(state__in=Run.ENDED, finished__lt=before, chunks__gt=0)
    return ended.filter(engine_version=ENGINE_VERSION, version__scenario__slug=None).order_by("finished")


def group(public_id: str) -> str:
    """Return the channel layer's group for the followers of a run."""
    return f"run.{public_id}"


def announce(public_id: str) -> None:
    """Notify followers that the row has changed, so that they read it. Never fails."""
    layer = get_channel_layer()
    try:
        async_to_sync(layer.group_send)(group(public_id), {"type": "run.changed"})
    except Exception as error:  # the broker may be away; followers poll
        logger.info("followers of run %s were not notified: %s", public_id, error)
