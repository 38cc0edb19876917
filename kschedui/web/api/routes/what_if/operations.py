"""/runs/{rid}/operations, /runs/{rid}/upgrade: questions about the whole cluster at the end of a run."""

import re
from collections.abc import Callable
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Query, Router, Status
from pydantic import Field

from kschedui.ask.moments import AT_END, Name
from kschedui.models import Run, Version
from kschedui.runs import store as runs
from kschedui.scenarios import store as scenarios
from kschedui.scenarios.digest import Digest
from kschedui.web.api.callers import leave_large, reads, writes
from kschedui.web.api.document import record
from kschedui.web.api.rates import count
from kschedui.web.api.routes.runs import visible_run
from kschedui.web.api.routes.texts import JSON
from kschedui.web.api.routes.what_if import jobs
from kschedui.web.api.shapes import In, Kept
from kschedui.web.api.visitors import keeping_visitor, requester_of, save_once
from kschedui.web.api.work import work
from scheduler_core.ask.operations.helping import Helping
from scheduler_core.ask.operations.results import OperationResult
from scheduler_core.ask.operations.upgrade import Upgrade
from scheduler_core.releases import RELEASES

router = Router(tags=["operations"])

QUESTION = (
    "One of: {type: drain, nodes, remove}, {type: lose, nodes, zone}, {type: add, like, count}, "
    "{type: add, group, zone, count}, {type: reschedule}."
)
RELEASE = "^(" + "|".join(map(re.escape, RELEASES)) + ")$"
ReleaseName = Annotated[str, Query(pattern=RELEASE, description="A Kubernetes release.")]


class QuestionIn(In):
    question: dict[str, Any] = Field(description=QUESTION)


@router.post(
    "/{id:rid}/operations", auth=reads("ask", waits=True), summary="An operation", openapi_extra=record(OperationResult)
)
def operate(request: HttpRequest, rid: str, body: QuestionIn) -> HttpResponse:
    """Drain, lose or add nodes, or reschedule all pods after the end of the run. Nothing is stored."""
    run = visible_run(request, rid)
    answer = run_at_end(request, run.version, run.kubernetes_version, jobs.operate, body.question)
    return HttpResponse(answer, content_type=JSON)


@router.post(
    "/{id:rid}/operations/keep",
    auth=writes("save", later=True),
    response={201: Kept},
    summary="Keep an operation as a fork",
)
def keep(request: HttpRequest, rid: str, body: QuestionIn) -> Status[Kept]:
    """Create a fork in whose timeline the operation happens after the end of the run."""
    run = visible_run(request, rid)
    return Status(
        201, describe_fork(*save_fork(request, run.version, run.kubernetes_version, jobs.perform, body.question))
    )


@router.get("/{id:rid}/upgrade", auth=reads("ask", waits=True), summary="An upgrade", openapi_extra=record(Upgrade))
def upgrade(request: HttpRequest, rid: str, to: ReleaseName) -> HttpResponse:
    """Decide each pod again, on its own, on the run's release and on another one."""
    run = visible_run(request, rid)
    own = runs.release_of(run.version, run.kubernetes_version)
    return HttpResponse(run_at_end(request, run.version, own, jobs.upgrade, to), content_type=JSON)


@router.get(
    "/{id:rid}/node-groups", auth=reads("ask", waits=True), summary="Node groups", openapi_extra=record(Helping)
)
def node_groups(request: HttpRequest, rid: str) -> HttpResponse:
    """Return the node groups that would schedule the pending pods, with the number of nodes and the price."""
    run = visible_run(request, rid)
    return HttpResponse(
        run_at_end(request, run.version, run.kubernetes_version, jobs.find_helping_groups), content_type=JSON
    )


def run_at_end(
    request: HttpRequest, version: Version, kubernetes: str, job: Callable[..., bytes | None], *args: Any
) -> bytes:
    """Return the JSON of a job about the end of a version's run."""
    name = name_at_end(version, kubernetes)
    answer = work(request, job, scenarios.text_for_work(version), kubernetes, *args, near=name.run)
    assert answer is not None  # the text was sent
    return answer


def describe_fork(version: Version, run: Run, step: int) -> Kept:
    """Describe a stored fork; its URL leads to the step."""
    sid, number = version.scenario.public_id, version.number
    query = f"?kubernetes={run.kubernetes_version}" if run.kubernetes_version else ""
    url = f"{reverse('version', args=[sid, number])}{query}#{step}"
    return Kept(id=sid, version=number, url=url, run=run.public_id, step=step)


def save_fork(
    request: HttpRequest,
    origin: Version,
    kubernetes: str,
    job: Callable[..., tuple[Digest, int, str] | None],
    *args: Any,
) -> tuple[Version, Run, int]:
    """Store a fork with the text that the job returns. Return its version, its run, and the step at which it
    differs.
    """
    count(request, "run")
    keeping_visitor(request)
    leave_large(request, origin.bytes)
    name = name_at_end(origin, kubernetes)
    performed = work(request, job, scenarios.text_for_work(origin), kubernetes, *args, near=name.run)
    assert performed is not None  # the text was sent
    digest, step, words = performed
    scenario = save_once(request, lambda visitor: scenarios.create(visitor, digest, origin, change=words))
    return scenario, runs.start_run(scenario, requester_of(request), kubernetes=kubernetes or None), step


def name_at_end(version: Version, kubernetes: str) -> Name:
    """Return the name of the moment at the end of a version's run."""
    return Name(version.sha256, kubernetes, AT_END)
