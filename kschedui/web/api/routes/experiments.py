"""Experiments: start, follow, read results, cancel, remove, and open their runs."""

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any, cast

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse
from ninja import Query, Router, Schema, Status
from pydantic import Field

from kschedui.csv_rows import csv_row
from kschedui.experiments import opening, store
from kschedui.experiments.plan import design_of, plan
from kschedui.language import in_language
from kschedui.models import Experiment
from kschedui.scenarios import access
from kschedui.scenarios import store as scenarios
from kschedui.web.api import jobs, streams
from kschedui.web.api.callers import leave_large, reads, writes
from kschedui.web.api.document import ok
from kschedui.web.api.rates import count
from kschedui.web.api.refusals import Refusal
from kschedui.web.api.shapes import In, Number, PublicId, RunScenario, State
from kschedui.web.api.visitors import keeping_visitor, requester_of, save_once
from kschedui.web.api.work import work
from scheduler_core.apis.messages import Message
from scheduler_core.experiments.table import COLUMNS, complete, header, record
from scheduler_core.releases import RELEASES

router = Router(tags=["experiments"])

CSV = "text/csv"
TABLE = ok(CSV, {"type": "string"})
Key = Annotated[int, Query(ge=0, le=2**62)]


class ExperimentIn(In):
    """An experiment to start, of the newest `version` by default; `kubernetes` is the release of all runs."""

    scenario: PublicId
    version: Number | None = None
    factors: list[dict[str, Any]] = Field(description="As docs/experiments.md has them.")
    kubernetes: str | None = Field(None, max_length=8)


class FactorOut(Schema):
    name: str
    labels: list[str]


class ExperimentOut(Schema):
    """An experiment. The labels of run n are the digits of n - 1, the last factor varying fastest.

    `forgotten`: the results were removed to free storage.
    """

    id: str
    url: str
    state: State
    size: int
    done: int
    failed: int = Field(description="Runs that have no measures; their row says why.")
    error: str
    engine: str
    factors: list[dict[str, Any]]
    levels: list[FactorOut]
    measures: list[str] = Field(description="The names of the measures in a row of results.")
    created: datetime
    forgotten: bool
    may_change: bool
    scenario: RunScenario


class ResultOut(Schema):
    run: int
    measures: list[float | int | None] | None
    error: str


class ResultPage(Schema):
    """Results in order of arrival; pass `next` as `after` to get the following ones."""

    state: State
    size: int
    done: int
    failed: int
    error: str
    next: int
    results: list[ResultOut]


class Ended(Schema):
    cancelled: bool


class Begun(Schema):
    begun: bool


class Opened(Schema):
    url: str


def visible_experiment(request: HttpRequest, eid: str) -> tuple[access.Visitor, Experiment]:
    """Return the visitor and the experiment.

    Raises Experiment.DoesNotExist, and NotAllowed if the visitor cannot see its scenario.
    """
    visitor = access.visitor_of(request)
    experiment = store.by_id(eid)
    access.require_viewing(visitor, experiment.version.scenario)
    return visitor, experiment


def changeable(request: HttpRequest, eid: str) -> Experiment:
    """Return the experiment. Raises Refusal if this visitor cannot cancel or remove it."""
    visitor, experiment = visible_experiment(request, eid)
    if not store.may_change(visitor, experiment):
        raise Refusal(403, Message("Only the person who started this experiment can do this."))
    return experiment


@router.post("", auth=writes("run", waits=True), response={201: ExperimentOut}, summary="Start")
def begin(request: HttpRequest, body: ExperimentIn) -> Status[ExperimentOut]:
    """Start an experiment; nothing is started if a factor is invalid or the scenario rejects one of its values."""
    visitor = access.visitor_of(request)
    scenario = scenarios.by_id(body.scenario)
    access.require_viewing(visitor, scenario)
    if body.kubernetes is not None and body.kubernetes not in RELEASES:
        releases = ", ".join(RELEASES)
        raise Refusal(422, Message("Unknown Kubernetes release; expected one of {known}.", known=releases))
    version = scenarios.version(scenario, body.version) if body.version else scenarios.newest(scenario)
    planned = plan(version, body.factors, body.kubernetes)
    text = scenarios.text_for_work(version)
    if trouble := work(request, jobs.experiment_trouble, text, planned.kubernetes, body.factors):
        factor, level, reason = trouble
        raise Refusal(422, Message("{factor}, {level}: {reason}", factor=factor, level=level, reason=reason))
    experiment = store.begin(keeping_visitor(request), planned, requester_of(request).party)
    return Status(201, describe(visitor, experiment))


def describe(visitor: access.Visitor, experiment: Experiment) -> ExperimentOut:
    """Describe the experiment in its current state."""
    version, progress = experiment.version, store.progress(experiment)
    scenario = RunScenario(id=version.scenario.public_id, version=version.number, title=version.scenario.title)
    levels = [
        FactorOut(name=factor.name, labels=[level.label for level in factor.levels])
        for factor in design_of(experiment).factors
    ]
    return ExperimentOut(
        id=experiment.public_id,
        url=reverse("experiment", args=[experiment.public_id]),
        state=cast(State, experiment.state),
        size=experiment.size,
        done=progress.done,
        failed=progress.failed,
        error=in_language(experiment.error),
        engine=experiment.engine_version,
        factors=experiment.factors,
        levels=levels,
        measures=list(COLUMNS),
        created=experiment.created,
        forgotten=experiment.forgotten,
        may_change=store.may_change(visitor, experiment),
        scenario=scenario,
    )


@router.get("/{id:eid}", auth=reads(), response=ExperimentOut, summary="Read")
def read(request: HttpRequest, eid: str) -> ExperimentOut:
    return describe(*visible_experiment(request, eid))


@router.get("/{id:eid}/results", auth=reads(), response=ResultPage, summary="Results, while they come")
def results(request: HttpRequest, eid: str, after: Key = 0) -> ResultPage:
    """Return up to 5,000 results. If the experiment has ended and you have fewer than `done`, start again from 0.

    Two workers may have written at the same time.
    """
    _, experiment = visible_experiment(request, eid)
    progress = store.progress(experiment)  # first, so that it never tells of more than the rows that follow
    page = store.results(experiment, after)
    return ResultPage(
        state=cast(State, experiment.state),
        size=experiment.size,
        done=progress.done,
        failed=progress.failed,
        error=in_language(experiment.error),
        next=page[-1][0] if page else after,
        results=[
            ResultOut(run=number, measures=measures and complete(measures), error=in_language(error))
            for _, number, measures, error in page
        ],
    )


@router.get("/{id:eid}/results.csv", auth=reads("download"), summary="Results as a table", openapi_extra=TABLE)
def table(request: HttpRequest, eid: str) -> HttpResponseBase:
    """Return the results as CSV, ordered by run, with a header."""
    _, experiment = visible_experiment(request, eid)
    response = streams.streaming(streams.in_pieces(lines(experiment)), f"{CSV}; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="experiment-{experiment.public_id}.csv"'
    return response


def lines(experiment: Experiment) -> Iterator[bytes]:
    """Yield the rows of the table as CSV, with a header."""
    design = design_of(experiment)
    yield csv_row(header(design)).encode("utf-8", "replace")
    for number, measures, error in store.in_order(experiment):
        yield csv_row(record(design, number, measures, in_language(error))).encode("utf-8", "replace")


@router.post("/{id:eid}/cancel", auth=writes("run"), response=Ended, summary="Cancel")
def cancel(request: HttpRequest, eid: str) -> Ended:
    """Cancel the experiment; existing results stay."""
    return Ended(cancelled=store.cancel(changeable(request, eid)))


@router.post("/{id:eid}/again", auth=writes("run"), response=Begun, summary="Begin again")
def again(request: HttpRequest, eid: str) -> Begun:
    """Repeat all runs with the current engine."""
    experiment = changeable(request, eid)
    keeping_visitor(request)
    return Begun(begun=store.restart(experiment))


@router.delete("/{id:eid}", auth=writes("save"), response={204: None}, summary="Remove")
def remove(request: HttpRequest, eid: str) -> Status[None]:
    """Delete the experiment permanently; the scenario stays."""
    store.remove(changeable(request, eid))
    return Status(204, None)


@router.post("/{id:eid}/runs/{n:number}", auth=writes("save", later=True), response=Opened, summary="Open a run")
def open_one(request: HttpRequest, eid: str, number: int) -> Opened:
    """Open a run as your own scenario, with its edits and seed. Opening it again returns the same scenario."""
    _, experiment = visible_experiment(request, eid)
    if not 1 <= number <= experiment.size:
        raise Refusal(404, Message("This experiment has runs 1 to {size:,}.", size=experiment.size))
    count(request, "run")
    keeping_visitor(request)
    leave_large(request, experiment.version.bytes)
    text = scenarios.text_for_work(experiment.version)
    digest, release = work(request, jobs.experiment_run, text, experiment.factors, number)
    version = experiment.version  # if `digest` is None, the run has its text
    if digest is not None:
        version = save_once(
            request, lambda visitor: opening.find_or_create_version(visitor, experiment, number, digest)
        )
    kubernetes = opening.start_run(version, experiment, release, requester_of(request))
    url = reverse("version", args=[version.scenario.public_id, version.number])
    return Opened(url=f"{url}?kubernetes={kubernetes}" if kubernetes else url)
