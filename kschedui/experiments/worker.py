"""A worker's batch of cells: runs each one, stores its row once, continues after a crash, stops at limits.

A cell is a pure function of text, factors and engine, so an interrupted cell is run again. Rows are written in groups,
each in one transaction with the batch's counters and only while this worker holds the batch; existing rows are not
written again. So each cell gets one row, whatever crashes.
"""

import logging
from collections.abc import Iterator
from functools import partial
from time import monotonic

from django.conf import settings
from django.db import Error, transaction
from django.db.models import F

from kschedui import tallies
from kschedui.experiments import store
from kschedui.experiments.plan import cells, design_of
from kschedui.models import Batch, Experiment, Run, Version
from kschedui.runs import leases, turns
from kschedui.runs.bounds import Bounds, Stopped, too_much_memory
from kschedui.runs.holding import Holding
from kschedui.runs.storage_limits import StorageFull, require_disk_space
from kschedui.scenarios.engine import setting_of
from scheduler_core import ENGINE_VERSION
from scheduler_core.apis.messages import Message
from scheduler_core.experiments.cells import Cells, Row
from scheduler_core.experiments.design import Design
from scheduler_core.experiments.table import values_of
from scheduler_core.trace.events import AnyEvent

logger = logging.getLogger(__name__)

# Not read with each batch: design_and_cells keeps what it read for the experiment.
UNREAD = (*Version.large("experiment__version__"), "experiment__version__summary")
STORED_SECONDS = 1.0  # between two writes
CHECKED = 16  # events between two looks at the clock
TRUSTED_TRIES = 2  # then each cell is written by itself, so that the one that ends its workers is found
FAILED = Message("The engine failed in this run. This is a bug; please report it.")
LOST_TOO_OFTEN = Message("The run was stopped after {tries} workers exited while running it.", tries=leases.MAX_TRIES)


def serve() -> bool:
    """Take the next batch, and work on it. Return False if there is none."""
    batch = take_next_batch()
    if batch is None:
        return False
    execute(batch)
    return True


def take_next_batch() -> Batch | None:
    """Take the first batch of the party whose turn it is, and return it; None if there is none."""
    queued = Batch.objects.filter(state=Run.State.QUEUED, experiment__state=Run.State.RUNNING)
    whole = queued.select_related("experiment__version").defer(*UNREAD).order_by("pk")
    while (party := turns.first_served("experiment__party", queued)) is not None:
        batch = whole.filter(experiment__party=party).first()
        if batch is None or leases.take(batch, leases.held_columns(batch)):
            return batch
    return None


def execute(batch: Batch) -> None:
    """Work on a batch that this worker holds. The last batch, a limit or a new engine ends the experiment."""
    experiment = batch.experiment
    try:
        require_continuable(experiment)
        work(batch)
        store.settle(experiment.pk)
    except leases.Lost:
        logger.info("batch %s was taken away", batch)
    except Stopped as error:
        store.fail(experiment, error.sentence)
    except Error as error:  # django.db: the lease expires, and the batch continues once the database is back
        logger.warning("batch %s lost its database: %s", batch, error)


def require_continuable(experiment: Experiment) -> None:
    """Require that this engine can continue the experiment within its limits. Raises Stopped."""
    begun, here, most = experiment.engine_version, ENGINE_VERSION, settings.LIMITS["experiment_seconds"]
    if begun != here:
        raise Stopped(
            Message(
                "The engine changed from {begun} to {here} during this experiment. Start it again.",
                begun=begun,
                here=here,
            )
        )
    if store.progress(experiment).seconds > most:
        raise Stopped(
            Message(
                "The experiment was stopped after {most:,} seconds of computing, which is the limit ({setting}).",
                most=most,
                setting=setting_of("experiment_seconds"),
            )
        )
    try:
        require_disk_space()
    except StorageFull as full:
        raise Stopped(full.sentence) from None


class Work:
    """A batch in progress: the rows that are not written yet, and the number of the running cell."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.rows: list[store.StoredCell] = []
        self.number = 0
        self.since = monotonic()
        self.careful = batch.tries >= TRUSTED_TRIES

    def missing(self) -> list[int]:
        """Return the numbers of cells without a row. If the batch keeps crashing its workers, give up the first of
        them.
        """
        batch = self.batch
        numbers = range(batch.first, batch.first + batch.count)
        finished = store.finished_cells(batch.experiment_id, numbers) if batch.done else set()
        unfinished = [number for number in numbers if number not in finished]
        if unfinished and batch.tries >= leases.MAX_TRIES:
            self.number = unfinished.pop(0)
            self.give_up(LOST_TOO_OFTEN)
            batch.tries = TRUSTED_TRIES
        return unfinished

    def add(self, number: int, row: Row) -> None:
        """Add a row; rows are written at intervals."""
        self.rows.append(
            store.StoredCell.of(number, values_of(row.measures) if row.measures else None, row.error or "")
        )
        if self.careful or monotonic() - self.since > STORED_SECONDS:
            self.write()

    def write(self, **changes: str | None) -> None:
        """Commit the rows and the counters together. Raises leases.Lost."""
        rows, self.rows = self.rows, []
        failed = sum(row.failed for row in rows)
        seconds, self.since = monotonic() - self.since, monotonic()
        tries = min(self.batch.tries + 1, TRUSTED_TRIES) if rows else self.batch.tries + 1  # progress is made
        counters = {"done": F("done") + len(rows), "failed": F("failed") + failed, "seconds": F("seconds") + seconds}
        with transaction.atomic():
            leases.update_mine(self.batch, **{"lease_until": leases.lease(), "tries": tries, **counters, **changes})
            store.keep(self.batch.experiment_id, rows)
        tallies.add(tallies.CELLS, "done", len(rows) - failed)
        tallies.add(tallies.CELLS, "failed", failed)

    def give_up(self, sentence: Message) -> None:
        """Store this error instead of measures in the cell that is running. Raises leases.Lost."""
        self.add(self.number, Row(None, sentence))
        self.write()


def work(batch: Batch) -> None:
    """Run and store missing cells. Raises leases.Lost."""
    under_way = Work(batch)
    with Holding(batch, under_way.give_up) as holding:
        numbers = under_way.missing()
        design, runner = design_and_cells(batch.experiment)
        for number in numbers:
            under_way.number = number
            under_way.add(number, row_of(runner, design, number, holding))
        under_way.write(state=Run.State.DONE, lease_until=None)


def row_of(runner: Cells, design: Design, number: int, holding: Holding) -> Row:
    """Return a cell's row; an exceeded limit or an engine error also gives a row. Raises leases.Lost."""
    try:
        cell = design.cell(number)
        holding.limit_reading()
        return runner.row(cell, partial(watch, holding))
    except Stopped as error:
        return Row(None, error.sentence)
    except leases.Lost:
        raise
    except MemoryError:
        return Row(None, too_much_memory())
    except Exception:
        logger.exception("cell %s of %s failed", number, holding.row)
        return Row(None, FAILED)


def watch(holding: Holding, events: Iterator[AnyEvent]) -> Iterator[AnyEvent]:
    """Yield the events. Raises Stopped at a limit of a cell, and leases.Lost when the batch is no longer held."""
    begun, bounds = monotonic(), Bounds.of("cell")
    holding.limit_simulation(bounds)
    for step, event in enumerate(events, 1):
        if step % CHECKED == 0:
            bounds.require_seconds(monotonic() - begun)
        if step > bounds.steps or holding.lost:
            bounds.require_steps(step)
            raise leases.Lost(str(holding.row))
        yield event


_last_experiment: dict[str, tuple[Design, Cells]] = {}  # so that its text is read once


def design_and_cells(experiment: Experiment) -> tuple[Design, Cells]:
    """Return the design of an experiment, and the object that runs its cells."""
    if experiment.public_id not in _last_experiment:
        _last_experiment.clear()
        runner = cells(experiment.version.text, experiment.kubernetes_version)
        _last_experiment[experiment.public_id] = design_of(experiment), runner
    return _last_experiment[experiment.public_id]


def requeue_lost() -> int:
    """Queue batches again whose worker is lost, and notify workers of them and of those that no worker has taken.

    Return the number of batches of which workers are notified.

    An experiment whose batches are all done is marked as done, in case its last worker crashed before that.
    """
    for pk in Experiment.objects.filter(state=Run.State.RUNNING).values_list("pk", flat=True):
        store.settle(pk)
    lost = list(leases.requeue(Batch))
    if lost:
        store.request_workers(str(lost[0]), len(lost))
    return len(lost)
