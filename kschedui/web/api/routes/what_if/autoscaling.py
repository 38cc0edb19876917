"""/runs/{rid}/autoscaling: what an autoscaler would do, and how Cluster Autoscaler and Karpenter compare."""

from typing import Annotated, Literal

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router, Status
from pydantic import Field

from kschedui.ask.autoscaling import Answer, ComparedAutoscalers
from kschedui.web.api.callers import reads, writes
from kschedui.web.api.document import record
from kschedui.web.api.routes.runs import visible_run
from kschedui.web.api.routes.texts import JSON
from kschedui.web.api.routes.what_if import jobs
from kschedui.web.api.routes.what_if.operations import describe_fork, run_at_end, save_fork
from kschedui.web.api.shapes import In, Kept

router = Router(tags=["autoscaling"])

Autoscaler = Annotated[
    Literal["", "cluster-autoscaler", "karpenter"],
    Query(description="The one that is asked. Empty: the scenario's own, or else Cluster Autoscaler."),
]
Pod = Annotated[str, Query(max_length=320, description="Only this pod: namespace/name.")]
Node = Annotated[str, Query(max_length=253, description="Only this node.")]
At = Annotated[
    float | None, Query(ge=0, le=1e9, description="A time of the run, in seconds; without it, after its timeline.")
]


class AutoscalerIn(In):
    autoscaler: Literal["cluster-autoscaler", "karpenter"]
    until: float | None = Field(None, ge=0, le=1e9, description="The time at which the run ends, in seconds.")


@router.get(
    "/{id:rid}/autoscaling",
    auth=reads("ask", waits=True),
    summary="What an autoscaler would do",
    openapi_extra=record(Answer),
)
def ask(
    request: HttpRequest, rid: str, autoscaler: Autoscaler = "", pod: Pod = "", node: Node = "", at: At = None
) -> HttpResponse:
    """Return the nodes that would be added, why groups, pools and types would not help, and why each node stays."""
    run = visible_run(request, rid)
    answer = run_at_end(request, run.version, run.kubernetes_version, jobs.autoscale, autoscaler, pod, node, at)
    return HttpResponse(answer, content_type=JSON)


@router.get(
    "/{id:rid}/autoscaling/comparison",
    auth=reads("ask", waits=True),
    summary="Cluster Autoscaler or Karpenter",
    openapi_extra=record(ComparedAutoscalers),
)
def compare(request: HttpRequest, rid: str) -> HttpResponse:
    """Run both autoscalers on the same load and the same machines until 30 minutes after the timeline."""
    run = visible_run(request, rid)
    answer = run_at_end(request, run.version, run.kubernetes_version, jobs.compare_autoscalers)
    return HttpResponse(answer, content_type=JSON)


@router.post(
    "/{id:rid}/autoscaling/keep",
    auth=writes("save", later=True),
    response={201: Kept},
    summary="Keep a run with an autoscaler as a fork",
)
def keep(request: HttpRequest, rid: str, body: AutoscalerIn) -> Status[Kept]:
    """Create a fork in which the autoscaler acts."""
    run = visible_run(request, rid)
    fork = save_fork(request, run.version, run.kubernetes_version, jobs.add_autoscaler, body.autoscaler, body.until)
    return Status(201, describe_fork(*fork))
