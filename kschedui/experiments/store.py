"""Experiments of visitors: start, follow, cancel, remove, and read results."""

import logging
from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, QuerySet, Sum
from django.utils import timezone

from kschedui.celery import app
from kschedui.experiments.plan import Planned, batch_sizes
from kschedui.in_turn import in_turn
from kschedui.models import Batch, Experiment, Result, Run, Scenario, Version, is_public_id
from kschedui.runs import leases
from kschedui.runs.storage_limits import experiments_of
from kschedui.runs.store import MESSAGE_SECONDS
from kschedui.scenarios import access
from kschedui.scenarios.access import Visitor
from scheduler_core import ENGINE_VERSION
from scheduler_core.apis.messages import Message, WithSentence
from scheduler_core.experiments.table import Measure

logger = logging.getLogger(__name__)

TASK = "kschedui.tasks.work_on_experiments"
PAGE = 5_000  # results that are read at once
ERROR = Result._meta.get_field("error")
INSERT = "INSERT INTO kschedui_result (experiment_id, number, measures, error) VALUES (%s, %s, %s, %s)"


class TooManyExperiments(WithSentence):
    """The author has reached the limit of experiments; the sentence says which."""


class ExperimentProgress(NamedTuple):
    """The progress of an experiment: cells with a result, cells without measures, seconds of work."""

    done: int
    failed: int
    seconds: float


class StoredCell(NamedTuple):
    """A cell's row as stored in the database; without measures, `error` is the reason."""

    number: int
    measures: str | None
    error: str

    @classmethod
    def of(cls, number: int, measures: list[Measure] | None, error: Message | str) -> "StoredCell":
        """Return the encoded row."""
        encoded = None if measures is None else msgspec.json.encode(measures).decode()
        return cls(number, encoded, ERROR.get_prep_value(error))

    @property
    def failed(self) -> bool:
        """Return whether there are no measures."""
        return self.measures is None

    @property
    def size(self) -> int:
        """Return the approximate number of bytes in the database."""
        return len(self.measures or "") + len(self.error) + 40


def begin(visitor: Visitor, planned: Planned, party: str) -> Experiment:
    """Store an experiment, notify the workers, and return it. Raises TooManyExperiments."""
    with in_turn(f"experiments of {visitor.author}"):
        require_few_running(experiments_of(visitor))
        if experiments_of(visitor).count() >= (most := settings.LIMITS["experiments_kept"]):
            raise TooManyExperiments(
                Message("You have {most} experiments, which is the limit. Delete some of them.", most=most)
            )
        experiment = Experiment.objects.create(
            version=planned.version,
            owner=visitor.user,
            editor_hash="" if visitor.user else visitor.editor_hash,
            party=party,
            factors=planned.factors,
            size=planned.design.size,
            engine_version=ENGINE_VERSION,
            kubernetes_version=planned.kubernetes,
        )
        add_batches(experiment)
    return experiment


def require_few_running(mine: QuerySet[Experiment]) -> None:
    """Require that the author can start another experiment. Raises TooManyExperiments."""
    most = settings.LIMITS["experiments_going_on"]
    if mine.filter(state=Run.State.RUNNING).count() >= most:
        raise TooManyExperiments(
            Message(
                "You have {most} running experiments, which is the limit. Wait for one to finish, or cancel one.",
                most=most,
            )
        )


def add_batches(experiment: Experiment) -> None:
    """Queue all cells; the workers are notified once the transaction is committed."""
    rows, first = [], 1
    for count in batch_sizes(experiment.version.summary, experiment.size):
        rows.append(Batch(experiment=experiment, first=first, count=count))
        first += count
    Batch.objects.bulk_create(rows)
    transaction.on_commit(lambda: request_workers(experiment.public_id, len(rows)))


def restart(experiment: Experiment) -> bool:
    """Delete the results of an experiment and run it again; return False, and do nothing, if it is running.

    Raises TooManyExperiments.
    """
    ended = Experiment.objects.filter(pk=experiment.pk).exclude(state=Run.State.RUNNING)
    fresh = {"forgotten": False, "error": "", "finished": None, "bytes": 0, "engine_version": ENGINE_VERSION}
    author = Visitor(experiment.owner).author if experiment.owner else experiment.editor_hash
    mine = Experiment.objects.filter(owner=experiment.owner, editor_hash=experiment.editor_hash)
    with in_turn(f"experiments of {author}"):
        require_few_running(mine)
        begun = ended.update(state=Run.State.RUNNING, **fresh)
        if begun:
            _drop(experiment)
            add_batches(experiment)
    return bool(begun)


def request_workers(public_id: str, batches: int) -> None:
    """Notify as many workers as there are batches, up to a limit; each works as long as there are queued ones.

    If the broker does not respond, the batches stay queued, and `requeue_lost` notifies workers again.
    """
    try:
        for _ in range(min(batches, leases.MAX_TOLD)):
            app.send_task(TASK, retry=False, expires=MESSAGE_SECONDS)
    except Exception as error:  # any error of the broker's client; the rows are the truth
        logger.warning("experiment %s was not announced to the workers: %s", public_id, error)


def by_id(public_id: str) -> Experiment:
    """Return the experiment with its version (without text) and scenario. Raises Experiment.DoesNotExist."""
    if not is_public_id(public_id):
        raise Experiment.DoesNotExist
    experiments = Experiment.objects.select_related("version__scenario").defer(*Version.large("version__"))
    return experiments.get(public_id=public_id)


def may_change(visitor: Visitor, experiment: Experiment) -> bool:
    """Return whether the visitor started the experiment or can edit its scenario."""
    mine = experiments_of(visitor).filter(pk=experiment.pk).exists()
    return mine or access.may_edit(visitor, experiment.version.scenario)


def of_scenario(visitor: Visitor, scenario: Scenario) -> QuerySet[Experiment]:
    """Return the experiments with a scenario, newest first: all for people who can edit it, otherwise the visitor's
    own.
    """
    everybody = access.may_edit(visitor, scenario)
    experiments = Experiment.objects.all() if everybody else experiments_of(visitor)
    return experiments.filter(version__scenario=scenario).select_related("version")


def progress(experiment: Experiment) -> ExperimentProgress:
    """Return the current progress."""
    sums = experiment.batches.order_by().aggregate(done=Sum("done"), failed=Sum("failed"), seconds=Sum("seconds"))
    return ExperimentProgress(sums["done"] or 0, sums["failed"] or 0, sums["seconds"] or 0.0)


def results(experiment: Experiment, after: int, most: int = PAGE) -> list[tuple[int, int, list[Measure] | None, str]]:
    """Return a page of results with keys above `after`, by key: (key, cell, measures or None, error)."""
    rows = Result.objects.filter(experiment=experiment, pk__gt=after).order_by("pk")
    return list(rows.values_list("pk", "number", "measures", "error")[:most])


def in_order(experiment: Experiment) -> Iterator[tuple[int, list[Measure] | None, str]]:
    """Yield (number, measures or None, error) of every result by number, reading a page at a time."""
    last = 0
    while True:
        following = Result.objects.filter(experiment=experiment, number__gt=last).order_by("number")
        rows = list(following.values_list("number", "measures", "error")[:PAGE])
        yield from rows
        if len(rows) < PAGE:
            return
        last = rows[-1][0]


def cancel(experiment: Experiment) -> bool:
    """Cancel the experiment; its workers notice at their next write, and results stay. Return False if it had ended."""
    return _end(experiment.pk, Run.State.CANCELLED)


def fail(experiment: Experiment, sentence: Message) -> bool:
    """End the experiment with an error. Return False if it had ended."""
    return _end(experiment.pk, Run.State.FAILED, error=sentence)


def _end(pk: int, state: str, **changes: Any) -> bool:
    with transaction.atomic():
        going_on = Experiment.objects.filter(pk=pk, state=Run.State.RUNNING)
        ended = going_on.update(state=state, finished=timezone.now(), **changes)
        unfinished = Batch.objects.filter(experiment=pk).exclude(state=Run.State.DONE)
        unfinished.update(state=Run.State.CANCELLED, lease_until=None)
    return bool(ended)


def cancel_all(scenario: Scenario) -> None:
    """Cancel the running experiments of a deleted scenario."""
    for experiment in Experiment.objects.filter(version__scenario=scenario, state=Run.State.RUNNING):
        cancel(experiment)


def settle(pk: int) -> None:
    """Mark the experiment as done if all its batches are."""
    if not Batch.objects.filter(experiment=pk).exclude(state=Run.State.DONE).exists():
        done = {"state": Run.State.DONE, "finished": timezone.now()}
        Experiment.objects.filter(pk=pk, state=Run.State.RUNNING).update(**done)


def finished_cells(pk: int, numbers: range) -> set[int]:
    """Return those of the numbers whose cells have a result. `numbers` is not empty."""
    rows = Result.objects.filter(experiment=pk, number__range=(numbers[0], numbers[-1]))
    return set(rows.values_list("number", flat=True))


def keep(pk: int, rows: list[StoredCell]) -> None:
    """Write results, and count their size.

    The statement is written in SQL: model objects would take ten times as long.
    """
    with connection.cursor() as cursor:
        cursor.executemany(INSERT, [(pk, *row) for row in rows])
    Experiment.objects.filter(pk=pk).update(bytes=F("bytes") + sum(row.size for row in rows))


def remove(experiment: Experiment) -> None:
    """Delete the experiment and its results permanently."""
    cancel(experiment)
    experiment.delete()


def prunable(before: datetime) -> QuerySet[Experiment]:
    """Return experiments that ended before this time and have results, which can be computed again."""
    return Experiment.objects.filter(finished__lt=before, forgotten=False).exclude(state=Run.State.RUNNING)


def forget(experiment: Experiment) -> None:
    """Delete the results; the experiment stays and can be restarted."""
    with transaction.atomic():
        Experiment.objects.filter(pk=experiment.pk).update(forgotten=True, bytes=0)
        _drop(experiment)


def _drop(experiment: Experiment) -> None:
    Result.objects.filter(experiment=experiment).delete()
    Batch.objects.filter(experiment=experiment).delete()
