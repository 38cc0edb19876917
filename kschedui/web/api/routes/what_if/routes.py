"""/runs/{rid}/attempts/{n}/...: an attempt evaluated again with edits, the smallest change, weights; capacity."""

from collections.abc import Callable
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router, Status
from pydantic import Field

from kschedui.ask.edit_rows import MAX_EDITS
from kschedui.ask.moments import AT_END, Name
from kschedui.ask.results import About, Changes
from kschedui.models import Run, Version
from kschedui.runs import store as runs
from kschedui.scenarios import store as scenarios
from kschedui.web.api.callers import leave_large, reads, writes
from kschedui.web.api.document import record
from kschedui.web.api.rates import count
from kschedui.web.api.routes.runs import require_reach, visible_run
from kschedui.web.api.routes.texts import JSON
from kschedui.web.api.routes.what_if import jobs
from kschedui.web.api.routes.what_if.operations import describe_fork
from kschedui.web.api.shapes import In, Kept
from kschedui.web.api.visitors import keeping_visitor, requester_of, save_once
from kschedui.web.api.work import work
from scheduler_core.ask.capacity import MAX_REPLICAS, Capacity
from scheduler_core.ask.moments.judge import Judgement
from scheduler_core.ask.smallest.weights import WeightChange

router = Router(tags=["what if"])

NodeName = Annotated[str, Query(max_length=253)]
PodKey = Annotated[str, Query(max_length=320, description="namespace/name")]
Replicas = Annotated[int | None, Query(ge=1, le=MAX_REPLICAS)]
EDITS = (
    "Each one of: {type: set, kind, name, namespace, path, value, add}, {type: add-nodes, like, count}, "
    "{type: remove, kind, name, namespace}, {type: weight, plugin, weight, profile}, {type: disable, plugin, profile}, "
    "{type: strategy, strategy, profile}."
)


class EditsIn(In):
    edits: list[dict[str, Any]] = Field(max_length=MAX_EDITS, description=EDITS)


@router.get(
    "/{id:rid}/attempts/{n:attempt}",
    auth=reads("ask", waits=True),
    summary="What can be changed",
    openapi_extra=record(About),
)
def about(request: HttpRequest, rid: str, attempt: int) -> HttpResponse:
    """Return the pod's manifest, its profile's plugins, and the budgets."""
    return answer(request, visible_run(request, rid), attempt, jobs.about)


@router.post(
    "/{id:rid}/attempts/{n:attempt}/what-if",
    auth=reads("ask", waits=True),
    summary="What if",
    openapi_extra=record(Judgement),
)
def what_if(request: HttpRequest, rid: str, attempt: int, body: EditsIn) -> HttpResponse:
    """Evaluate the attempt again with the edits, and return it with the original decision. Nothing is stored."""
    return answer(request, visible_run(request, rid), attempt, jobs.what_if, body.edits)


@router.get(
    "/{id:rid}/attempts/{n:attempt}/changes",
    auth=reads("ask", waits=True),
    summary="The smallest change",
    openapi_extra=record(Changes),
)
def changes(request: HttpRequest, rid: str, attempt: int) -> HttpResponse:
    """Return edits that make the pod fit, each verified, the smallest first.

    Ask again until `done` equals `pieces`.
    """
    return answer(request, visible_run(request, rid), attempt, jobs.smallest)


@router.get(
    "/{id:rid}/attempts/{n:attempt}/weights",
    auth=reads("ask", waits=True),
    summary="The weight that decides",
    openapi_extra=record(list[WeightChange]),
)
def weights(request: HttpRequest, rid: str, attempt: int, node: NodeName) -> HttpResponse:
    """Return the smallest change of each Score plugin's weight with which the node wins; null: there is none."""
    return answer(request, visible_run(request, rid), attempt, jobs.weights, node)


@router.get("/{id:rid}/capacity", auth=reads("ask", waits=True), summary="Capacity", openapi_extra=record(Capacity))
def how_many(request: HttpRequest, rid: str, pod: PodKey = "", replicas: Replicas = None) -> HttpResponse:
    """Place copies of the pod one by one in the cluster at the end of the run, until no more fit."""
    return answer(request, visible_run(request, rid), AT_END, jobs.how_many, pod, replicas)


@router.post(
    "/{id:rid}/attempts/{n:attempt}/keep",
    auth=writes("save", later=True),
    response={201: Kept},
    summary="Keep a what-if as a fork",
)
def keep(request: HttpRequest, rid: str, attempt: int, body: EditsIn) -> Status[Kept]:
    """Create a fork with the edits in its text: edits of nodes and budgets happen at that moment."""
    run = visible_run(request, rid)
    require_reach(run, attempt)
    count(request, "run")
    keeping_visitor(request)
    origin = run.version
    leave_large(request, origin.bytes)
    text = scenarios.text_for_work(origin)
    name = name_of(run, attempt)
    edited = work(request, jobs.keep, name, text, body.edits, near=name.run)
    assert edited is not None  # the text was sent
    digest, step, words = edited
    scenario = save_once(request, lambda visitor: scenarios.create(visitor, digest, origin, change=words))
    started = runs.start_run(scenario, requester_of(request), kubernetes=run.kubernetes_version or None)
    return Status(201, describe_fork(scenario, started, step))


def answer(request: HttpRequest, run: Run, attempt: int, job: Callable[..., Any], *args: Any) -> HttpResponse:
    """Return the JSON of a job about an attempt; the scenario's text is sent only if the moment is not cached."""
    require_reach(run, attempt)
    body = run_job(request, run.version, name_of(run, attempt), job, *args)
    return HttpResponse(body, content_type=JSON)


def run_job(request: HttpRequest, version: Version, name: Name, job: Callable[..., Any], *args: Any) -> bytes:
    """Return the result of a job about a moment of a version's run."""
    body: bytes | None = work(request, job, name, None, *args, near=name.run)
    return body or work(request, job, name, scenarios.text_for_work(version), *args, near=name.run)


def name_of(run: Run, attempt: int) -> Name:
    return Name(run.version.sha256, run.kubernetes_version, attempt)
