"""Experiments in the database: each cell has one row, whatever process dies; limits, order, and deletion."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import OperationalError

from kschedui.experiments import store, worker
from kschedui.experiments.plan import ExperimentTooLarge, batch_sizes, design_of, first_invalid_level, plan
from kschedui.models import Batch, Experiment, Result, Run
from kschedui.runs import leases
from kschedui.scenarios import store as scenarios
from kschedui.scenarios.access import Visitor
from scheduler_core import parse_scenario, simulate
from scheduler_core.ask.measures import measure_run
from scheduler_core.experiments.cells import Cells
from scheduler_core.experiments.table import COLUMNS, values_of
from scheduler_core.scenario.parse import ScenarioErrors
from tests.web.experiments import FACTORS, SIZE, TEXT, begin_experiment, expire, finish, numbers, rows

pytestmark = pytest.mark.django_db


class Killed(BaseException):
    """Raised in place of the death of a process."""


@pytest.fixture(autouse=True)
def _nobody_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "request_workers", lambda public_id, batches: None)


def die_after(monkeypatch: pytest.MonkeyPatch, cells: int) -> None:
    """Let the worker die when it begins a cell after `cells` cells."""
    row, count = Cells.row, [0]

    def dying(self: Cells, *args: Any) -> Any:
        count[0] += 1
        if count[0] > cells:
            raise Killed
        return row(self, *args)

    monkeypatch.setattr(Cells, "row", dying)


def test_each_cell_has_the_measures_of_its_run() -> None:
    experiment = begin_experiment()
    finish()
    experiment.refresh_from_db()
    assert (experiment.state, experiment.size) == (Run.State.DONE, SIZE)
    assert experiment.finished
    assert numbers(experiment) == list(range(1, SIZE + 1))
    assert store.progress(experiment)[:2] == (SIZE, 0)
    found = {number: measures for number, measures, _ in rows(experiment)}
    assert found[60] == values_of(measure_run(simulate(parse_scenario(TEXT))))
    evicted = COLUMNS.index("evicted")
    assert (found[1] or [])[evicted] == 0
    assert (found[60] or [])[evicted] > 0


@pytest.mark.parametrize("written", ["nothing", "every row"])
def test_workers_that_die_in_the_middle_leave_no_gap_and_no_second_row(
    monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    undisturbed, experiment = begin_experiment(), begin_experiment()
    finish()
    kept = rows(undisturbed)
    Result.objects.filter(experiment=experiment).delete()
    Batch.objects.filter(experiment=experiment).update(state=Run.State.QUEUED, done=0, tries=0)
    Experiment.objects.filter(pk=experiment.pk).update(state=Run.State.RUNNING)
    if written == "every row":
        monkeypatch.setattr(worker, "STORED_SECONDS", 0)
    for cells in (5, 3, 2):
        with monkeypatch.context() as dying:
            die_after(dying, cells)
            with pytest.raises(Killed):
                finish()
        expire()
        worker.requeue_lost()
    finish()
    experiment.refresh_from_db()
    assert experiment.state == Run.State.DONE
    assert rows(experiment) == kept
    assert store.progress(experiment)[:2] == (SIZE, 0)


def test_a_worker_that_lost_its_batch_writes_nothing() -> None:
    experiment = begin_experiment()
    slow = worker.take_next_batch()
    assert slow
    expire()
    worker.requeue_lost()
    worker.execute(slow)
    assert numbers(experiment) == []
    finish()
    assert numbers(experiment) == list(range(1, SIZE + 1))


def test_the_cell_that_ends_its_workers_is_given_up_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    experiment, row = begin_experiment(), Cells.row

    def deadly(self: Cells, cell: Any, *args: Any) -> Any:
        if (cell.seed, self.text.release) == (7, "") and "45" in str(cell.edits):
            raise Killed
        return row(self, cell, *args)

    monkeypatch.setattr(Cells, "row", deadly)
    for _ in range(4 * leases.MAX_TRIES):
        try:
            finish()
        except Killed:
            expire()
            worker.requeue_lost()
    experiment.refresh_from_db()
    assert experiment.state == Run.State.DONE
    assert [number for number, measures, _ in rows(experiment) if measures is None] == [27]
    assert "workers exited" in rows(experiment)[26][2]
    assert store.progress(experiment)[:2] == (SIZE, 1)


def test_a_fault_of_the_engine_is_the_cells_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Cells, cell: Any, *args: Any) -> Any:
        raise ZeroDivisionError

    experiment = begin_experiment([{"seeds": [1, 2]}])
    monkeypatch.setattr(Cells, "row", broken)
    finish()
    assert [error for _, _, error in rows(experiment)] == [worker.FAILED] * 2
    experiment.refresh_from_db()
    assert experiment.state == Run.State.DONE


def test_cancel_ends_what_goes_on_and_keeps_what_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = begin_experiment()
    assert worker.serve()
    there = numbers(experiment)
    batch = worker.take_next_batch()
    assert batch
    assert store.cancel(experiment)
    assert not store.cancel(experiment)
    worker.execute(batch)
    finish()
    assert numbers(experiment) == there
    experiment.refresh_from_db()
    assert (experiment.state, bool(experiment.finished)) == (Run.State.CANCELLED, True)
    assert store.restart(experiment)
    finish()
    experiment.refresh_from_db()
    assert (experiment.state, len(numbers(experiment))) == (Run.State.DONE, SIZE)


@pytest.mark.parametrize(("limit", "said"), [("cell_steps", "after 0 steps"), ("cell_seconds", "after -1 seconds")])
def test_a_cell_that_meets_a_limit_says_so(settings: Any, limit: str, said: str) -> None:
    settings.LIMITS = {**settings.LIMITS, limit: -1 if limit == "cell_seconds" else 0}
    experiment = begin_experiment([{"seeds": [1]}])
    finish()
    assert said in rows(experiment)[0][2]


def test_an_experiment_ends_when_it_has_taken_its_share_of_work(settings: Any) -> None:
    experiment = begin_experiment()
    settings.LIMITS = {**settings.LIMITS, "experiment_seconds": -1}
    finish()
    experiment.refresh_from_db()
    assert (experiment.state, numbers(experiment)) == (Run.State.FAILED, [])
    assert "seconds of computing" in experiment.error


def test_another_engines_experiment_is_not_gone_on_with() -> None:
    experiment = begin_experiment()
    Experiment.objects.update(engine_version="0.0.1")
    finish()
    experiment.refresh_from_db()
    assert (experiment.state, numbers(experiment)) == (Run.State.FAILED, [])
    assert "engine changed from 0.0.1" in experiment.error


def test_a_database_that_is_away_for_a_moment_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = begin_experiment()

    def away(*_: object) -> Iterator[None]:
        raise OperationalError("the database is away")

    with monkeypatch.context() as failing:
        failing.setattr(store, "keep", away)
        assert worker.serve()
    assert numbers(experiment) == []
    expire()
    worker.requeue_lost()
    finish()
    assert numbers(experiment) == list(range(1, SIZE + 1))


def test_parties_take_turns_batch_by_batch() -> None:
    many, few = begin_experiment(party="many"), begin_experiment(party="few")
    also = begin_experiment(party="many", editor="another")
    served = []
    while (batch := worker.take_next_batch()) is not None:
        worker.execute(batch)
        served.append(batch.experiment_id)
    assert sorted(set(served[:2])) == sorted([many.pk, few.pk])
    last_of_few = max(at for at, pk in enumerate(served) if pk == few.pk)
    assert last_of_few <= 2 * served.count(few.pk), "nobody waits for more than one batch of another"
    assert served.index(also.pk) > served.index(many.pk)


def test_an_experiment_whose_last_worker_ended_before_it_said_so_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = begin_experiment()
    with monkeypatch.context() as dying:
        dying.setattr(store, "settle", lambda pk: None)
        finish()
    experiment.refresh_from_db()
    assert experiment.state == Run.State.RUNNING
    worker.requeue_lost()
    experiment.refresh_from_db()
    assert experiment.state == Run.State.DONE


def test_one_author_has_so_many_at_once_and_so_many_in_all(settings: Any) -> None:
    settings.LIMITS = {**settings.LIMITS, "experiments_going_on": 1, "experiments_kept": 2}
    first = begin_experiment()
    with pytest.raises(store.TooManyExperiments, match="You have 1 running experiments"):
        begin_experiment()
    begin_experiment(editor="another")
    store.cancel(first)
    store.cancel(begin_experiment())
    with pytest.raises(store.TooManyExperiments, match="You have 2 experiments"):
        begin_experiment()
    store.remove(first)
    begin_experiment()


@pytest.mark.parametrize(
    ("limits", "factors", "said"),
    [
        ({"experiment_cells": 59}, FACTORS, "60 runs; the limit is 59"),
        ({"experiment_nodes": 2}, FACTORS, "at most 2 nodes"),
        ({"experiment_pods": 2}, FACTORS, "and 2 pods"),
        ({"experiment_text_bytes": 10}, FACTORS, "at most 10 bytes"),
    ],
)
def test_what_is_too_large_does_not_begin(settings: Any, limits: dict[str, int], factors: Any, said: str) -> None:
    version = scenarios.create(Visitor(editor="somebody"), TEXT)
    settings.LIMITS = {**settings.LIMITS, **limits}
    with pytest.raises(ExperimentTooLarge, match=said):
        plan(version, factors, None)
    with pytest.raises(ScenarioErrors):
        plan(version, [{"sedes": []}], None)


def test_nodes_that_are_added_count_as_the_others_do(settings: Any) -> None:
    settings.LIMITS = {**settings.LIMITS, "experiment_nodes": 5}
    experiment = begin_experiment([{"nodes": {"like": "n1", "add": [0, 2, 3]}}])
    finish()
    assert [measures is None for _, measures, _ in rows(experiment)] == [False, False, True]
    assert "nodes" in rows(experiment)[2][2]


@pytest.mark.parametrize(
    ("factor", "said"),
    [
        ({"disable": ["NodeAfinity"]}, "NodeAfinity"),
        ({"nodes": {"like": "n9", "add": [1]}}, "there is no Node n9"),
        ({"field": {"kind": "Pod", "name": "gone", "path": "spec.priority", "values": [1]}}, "there is no Pod"),
    ],
)
def test_a_level_that_the_scenario_does_not_take_is_found_before_anything_begins(
    factor: dict[str, Any], said: str
) -> None:
    found = first_invalid_level(TEXT, "", [*FACTORS, factor])
    assert found
    assert said in str(found[2])
    assert first_invalid_level(TEXT, "", FACTORS) is None


def test_results_are_forgotten_and_made_again() -> None:
    experiment = begin_experiment()
    finish()
    experiment.refresh_from_db()
    before = rows(experiment)
    assert experiment.bytes > 0
    store.forget(experiment)
    experiment.refresh_from_db()
    assert (experiment.forgotten, experiment.bytes, rows(experiment)) == (True, 0, [])
    assert store.restart(experiment)
    finish()
    experiment.refresh_from_db()
    assert (experiment.forgotten, rows(experiment)) == (False, before)


@pytest.mark.parametrize(("nodes", "pods", "size"), [(3, 8, 20_000), (3, 8, 60), (1000, 5000, 20), (0, 0, 1)])
def test_batches_hold_every_cell_once_and_get_smaller(nodes: int, pods: int, size: int) -> None:
    sizes = list(batch_sizes({"nodes": nodes, "pods": pods}, size))
    assert sum(sizes) == size
    assert sizes == sorted(sizes, reverse=True)


def test_batches_begin_large_and_end_small_whatever_the_scenario() -> None:
    small = list(batch_sizes({"nodes": 3, "pods": 8}, 20_000))
    assert small[0] == 400
    assert small[-2] < 60
    assert set(batch_sizes({"nodes": 1000, "pods": 5000}, 20)) == {1}
    assert len(list(batch_sizes({"nodes": 3, "pods": 8}, 60))) > 4, "several workers share a small one"


def test_a_design_is_read_again_from_what_was_kept() -> None:
    experiment = begin_experiment()
    assert design_of(Experiment.objects.get(pk=experiment.pk)).size == SIZE
