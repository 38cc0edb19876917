"""A worker's run: simulates, stores chunk by chunk, continues after a crash, stops at limits.

A simulation is a pure function of text and engine, and chunk boundaries are fixed. So an interrupted run is simulated
again from its start; stored chunks are skipped, and the rest is the same as without the interruption.
"""

import logging
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import partial
from time import monotonic, process_time
from typing import Any

import msgspec
from django.conf import settings
from django.db import Error, IntegrityError, transaction

from kschedui import tallies
from kschedui.logs import run_id
from kschedui.models import Chunk, Run
from kschedui.runs import frames, leases, long_run_slots, turns
from kschedui.runs import store as runs
from kschedui.runs.bounds import Bounds, Stopped, bounds_of, too_much_memory
from kschedui.runs.cluster_drawing import ClusterDrawing
from kschedui.runs.holding import Holding
from kschedui.scenarios import engine
from kschedui.work.rare_collection import collect_garbage, rare_collection
from scheduler_core import ENGINE_VERSION, RunEnded, chunked
from scheduler_core.apis.messages import Message
from scheduler_core.scenario.parse import ScenarioErrors
from scheduler_core.trace.events import AnyEvent, AttemptFinished, ClockAdvanced, RunFinished
from scheduler_core.trace.keyframe import TraceChunk
from scheduler_core.trace.observed_events import DecisionObserved
from scheduler_core.trace.preemption_events import VictimEvicted

logger = logging.getLogger(__name__)

SHOWN_ATTEMPTS = 120  # of which a card draws the outcome

FAILED = Message(
    "The engine failed at this step of the run. The steps before it are kept. This is a bug; please report it."
)


class Outcome(msgspec.Struct):
    """The outcome of a finished run, for its card.

    `attempts` has a letter for each of the first SHOWN_ATTEMPTS attempts: Scheduled, Nominated, Unschedulable, Error.
    `drawing` is the cluster at the end of the run (cluster_drawing.py).
    """

    attempts: str = ""
    count: int = 0
    evicted: int = 0
    bound: int = 0
    pending: int = 0
    unschedulable: int = 0  # attempts, of `count`; those that nominated a node too
    errors: int = 0
    observed: int = 0  # decisions of a recorded cluster
    time: float = 0.0
    drawing: dict[str, Any] = {}

    def take(self, event: AnyEvent) -> None:
        """Count an event."""
        match event:
            case AttemptFinished():
                self.count += 1
                self.unschedulable += event.outcome in ("Unschedulable", "Nominated")
                self.errors += event.outcome == "Error"
                self.attempts += event.outcome[0] if self.count <= SHOWN_ATTEMPTS else ""
            case VictimEvicted():
                self.evicted += 1
            case DecisionObserved():
                self.observed += 1
            case ClockAdvanced():
                self.time = event.time
            case RunFinished():
                self.time, self.pending = event.time, len(event.pending)
                self.bound = len(event.bound) + event.stayed


class RunIsLong(Exception):
    """The run is longer than was expected; it continues as a long run, on any worker with a slot for it."""


def serve() -> bool:
    """Take the run whose turn it is, and work on it. Return False if there is none for this worker.

    A worker that finds none looks again without its slot: while it held the slot, it may have kept another worker from
    a run that came in that moment.
    """
    with long_run_slots.held() as long:
        public_id = turns.next_run(long=long)
        if public_id:
            begun = process_time()
            execute(public_id, long=long)
            collect_garbage(process_time() - begun)
    return public_id is not None or (long and turns.next_run(long=True) is not None)


def execute(public_id: str, *, long: bool = True) -> None:
    """Work on a run if no other worker holds it; safe to call any number of times.

    `long`: this process holds a slot for long runs.
    """
    run = runs.claim(public_id)
    if run is None:
        return
    run_id.set(public_id)
    try:
        outcome = work(run, long=long)
        runs.finish(run, msgspec.to_builtins(outcome))
        tally(outcome)
    except RunIsLong:
        with suppress(leases.Lost):
            runs.give_back(run)
    except leases.Lost:
        logger.info("run %s was taken away", public_id)
    except (Stopped, RunEnded) as error:
        give_up(run, error.sentence)
    except ScenarioErrors as error:
        reason = Message(
            "This engine does not accept the text. Line {line}: {reason}", line=error.line, reason=error.message
        )
        give_up(run, reason)
    except MemoryError:
        give_up(run, too_much_memory())
    except Error as error:  # the database's: the lease ends, and the run goes on when there is one again
        logger.warning("run %s lost its database: %s", public_id, error)
    except Exception:
        logger.exception("run %s failed", public_id)
        give_up(run, FAILED)


def tally(outcome: Outcome) -> None:
    """Count the attempts of the run, by kube-scheduler's results."""
    tallies.add(tallies.ATTEMPTS, "unschedulable", outcome.unschedulable)
    tallies.add(tallies.ATTEMPTS, "error", outcome.errors)
    tallies.add(tallies.ATTEMPTS, "scheduled", outcome.count - outcome.unschedulable - outcome.errors)


def give_up(run: Run, sentence: Message) -> None:
    """End the run with an error, unless another worker holds it by now."""
    try:
        runs.fail(run, sentence)
    except leases.Lost:
        logger.info("run %s was taken away", run.public_id)


def work(run: Run, *, long: bool = True) -> Outcome:
    """Simulate the run, and store the chunks that are missing.

    Raises leases.Lost, Stopped, RunIsLong, and the errors of the text and of the simulation (ScenarioErrors, RunEnded).
    """
    if run.engine_version != ENGINE_VERSION:
        begin_with_this_engine(run)
    outcome, ending, bounds, stored = Outcome(), ClusterDrawing(), bounds_of(run), run.bytes
    with Holding(run, partial(runs.fail, run)) as holding, rare_collection():
        holding.limit_reading()
        scenario = engine.read_stored(run.version.text, run.kubernetes_version)
        holding.limit_simulation(bounds)
        events = draw_cluster(engine.simulate(scenario), ending)
        for chunk in chunked(watch(run, holding, events, outcome, bounds, long=long)):
            if chunk.seq >= run.chunks:
                chunk_row = row(run, chunk)
                bounds.require_storage(chunk_row, stored)
                runs.store_chunk(run, chunk_row, outcome.time)
                stored += len(chunk_row.frame)
    outcome.drawing = ending.drawing()
    return outcome


def begin_with_this_engine(run: Run) -> None:
    """Make a run of another engine one of this engine, as after an update. Raises leases.Lost; Stopped if chunks of it
    are stored, which this engine might not continue, or if this engine has a run of the version already.
    """
    begun, adopted = run.engine_version, False
    if not run.chunks:
        with suppress(IntegrityError), transaction.atomic():
            leases.update_mine(run, engine_version=ENGINE_VERSION)
            adopted = True
    if not adopted:
        raise Stopped(
            Message(
                "The engine changed from {begun} to {here} during this run. Run the version again.",
                begun=begun,
                here=ENGINE_VERSION,
            )
        )
    run.engine_version = ENGINE_VERSION


def draw_cluster(events: Iterable[AnyEvent], ending: ClusterDrawing) -> Iterator[AnyEvent]:
    """Yield the events, and apply each to the drawing."""
    for event in events:
        ending.take(event)
        yield event


def row(run: Run, chunk: TraceChunk) -> Chunk:
    """Return the chunk as a database row, not saved yet."""
    return Chunk(
        run=run, seq=chunk.seq, first_step=chunk.first_step, events=len(chunk.events), frame=frames.pack(chunk)
    )


def watch(
    run: Run, holding: Holding, events: Iterable[AnyEvent], outcome: Outcome, bounds: Bounds, *, long: bool
) -> Iterator[AnyEvent]:
    """Yield the events, and count them in `outcome`. Raises Stopped at limits, leases.Lost, and RunIsLong."""
    begun = monotonic()
    short = run.length == Run.Length.SHORT
    for step, event in enumerate(events, 1):
        seconds = monotonic() - begun
        if holding.lost:
            raise leases.Lost(run.public_id)
        bounds.require_steps(step)
        bounds.require_seconds(seconds)
        if short and seconds > settings.LIMITS["short_seconds"]:
            if not long:
                raise RunIsLong
            runs.mark_long(run)
            short = False
        outcome.take(event)
        yield event
