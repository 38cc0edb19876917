"""Runs: their state, their trace as chunks, events and decisions, their objects, and explanations of attempts."""

from typing import Annotated, Literal, cast

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext_noop
from ninja import Header, Query, Router

from kschedui.ask.pod_histories import RunHistory
from kschedui.classrooms import student_cookie
from kschedui.language import in_language
from kschedui.models import Run, Scenario
from kschedui.runs import frames
from kschedui.runs import store as runs
from kschedui.runs.trace_files import DecisionLines
from kschedui.runs.turns import ahead_of
from kschedui.scenarios import access
from kschedui.scenarios import store as scenarios
from kschedui.web.api import jobs, streams
from kschedui.web.api.callers import reads, writes
from kschedui.web.api.document import binary, event_stream, json_lines, record
from kschedui.web.api.refusals import Refusal, incomplete
from kschedui.web.api.shapes import Ahead, Cancelled, RunOut, RunScenario, State, Yaml
from kschedui.web.api.work import work
from scheduler_core import AttemptExplanation
from scheduler_core.apis.messages import Message
from scheduler_core.apis.selectors import parse_int64
from scheduler_core.ask.durations import Duration
from scheduler_core.ask.without_cause import WithoutCause
from scheduler_core.trace.events import AnyEvent

router = Router(tags=["runs"])

MAX_NODES = 200  # of one explanation
MAX_PODS = 100
YEAR = 365 * 24 * 3600
Step = Annotated[int, Query(ge=0, le=2**31 - 1)]
NodeNames = Annotated[str, Query(max_length=12_000, pattern=r"^[0-9A-Za-z.,_-]*$")]
PodName = Annotated[str, Query(max_length=320, description="Of a pod, or of a workload: web-0, web@1/0, deploy/web.")]
PodNames = Annotated[str, Query(max_length=60_000, pattern=r"^[0-9A-Za-z.,/_-]*$")]
OnePod = Annotated[str, Query(max_length=600, pattern=r"^[0-9A-Za-z.-]+/[0-9A-Za-z.-]+$")]
RemovableCause = Literal["victims", "starting", "not ready", "node", "gated", "quota"]
LastEventId = Annotated[str, Header(alias="Last-Event-ID", max_length=20)]


def visible_run(request: HttpRequest, rid: str) -> Run:
    """Return the run. Raises Run.DoesNotExist, and NotAllowed if this visitor cannot see it."""
    run = runs.by_id(rid)
    access.require_viewing(access.visitor_of(request), run.version.scenario)
    return run


def watched_run(request: HttpRequest, rid: str) -> Run:
    """Return the run for the player, which students of a class on it can see too.

    Raises Run.DoesNotExist or NotAllowed.
    """
    run = runs.by_id(rid)
    student_cookie.require_viewing(access.visitor_of(request), request.COOKIES, run)
    return run


@router.get("/{id:rid}", auth=reads(), response=RunOut, summary="State")
def state(request: HttpRequest, rid: str) -> RunOut:
    run = visible_run(request, rid)
    scenario = run.version.scenario
    if scenario.scratch and not run.ended:
        runs.touch(rid)
    return RunOut(
        id=rid,
        state=cast(State, run.state),
        steps=run.steps,
        chunks=run.chunks,
        time=run.time,
        error=in_language(run.error),
        engine=run.engine_version,
        outcome=run.outcome,
        ahead=Ahead(**ahead_of(run)._asdict()) if run.state == Run.State.QUEUED else None,
        scenario=RunScenario(id=scenario.public_id, version=run.version.number, title=scenario.title),
    )


@router.post("/{id:rid}/cancel", auth=writes("run"), response=Cancelled, summary="Cancel")
def cancel(request: HttpRequest, rid: str) -> Cancelled:
    """Cancel a run; stored chunks stay. `cancelled` is false if the run had already ended."""
    run = visible_run(request, rid)
    access.require_editing(access.visitor_of(request), run.version.scenario)
    return Cancelled(cancelled=runs.cancel(run))


@router.get("/{id:rid}/chunks/{n:seq}", auth=reads("chunk"), summary="A chunk of the trace", openapi_extra=binary())
def chunk(request: HttpRequest, rid: str, seq: int) -> HttpResponse:
    """Return the bytes of a stored frame, as sent by the websocket; they never change, so browsers can cache them."""
    run = watched_run(request, rid)
    tag = f'"{rid}.{seq}.{run.engine_version}"'
    if request.headers.get("If-None-Match") == tag:
        response = HttpResponse(status=304)
    else:
        frame = runs.frame(rid, seq)
        if frame is None:
            raise Refusal(404, gettext_noop("The run does not have this chunk."))
        response = HttpResponse(frame, content_type=frames.MEDIA_TYPE)
    response.headers["ETag"] = tag
    secret = run.version.scenario.visibility == Scenario.Visibility.PRIVATE
    patch_cache_control(
        response, private=True, max_age=0 if secret else YEAR, **({} if secret else {"immutable": True})
    )
    return response


@router.get(
    "/{id:rid}/events",
    auth=reads("download"),
    summary="The trace, event by event",
    openapi_extra=event_stream(AnyEvent),
)
def events(request: HttpRequest, rid: str, from_step: Step = 0, last_event_id: LastEventId = "") -> HttpResponseBase:
    """Return one event per line (JSONL) from `from_step` on, or server-sent events if `Accept` asks for
    text/event-stream.

    Both continue while the run does. The id of a server-sent event is its step; `Last-Event-ID` continues after it.
    """
    run = visible_run(request, rid)
    if last_event_id:
        last_step = parse_int64(last_event_id)
        if last_step is None or last_step < 0:
            raise Refusal(422, gettext_noop("`Last-Event-ID` must be the number of a step."), code="invalid_request")
        from_step = last_step + 1
    return streams.stream_events(request, run, from_step, server_sent=streams.SSE in request.headers.get("Accept", ""))


@router.get(
    "/{id:rid}/decisions", auth=reads("download"), summary="One decision a line", openapi_extra=json_lines("Decision")
)
def decision_lines(request: HttpRequest, rid: str) -> HttpResponseBase:
    """Return the decision records of the run, one per line (JSONL). 409 until the run is done."""
    run = visible_run(request, rid)
    require_done(run)
    return streams.streaming(streams.file_of(request, run, DecisionLines()), streams.JSONL)


def require_done(run: Run) -> None:
    """Require that the whole trace is stored. Raises Refusal."""
    if run.state != Run.State.DONE:
        raise incomplete(run, gettext_noop("The run is not complete yet."))


def require_reach(run: Run, attempt: int) -> None:
    """Require that the run can be simulated up to the attempt in time. Raises Refusal."""
    if run.version.summary.get("nodes", 0) * attempt > settings.LIMITS["explain_work"]:
        raise Refusal(
            422,
            gettext_noop(
                "This attempt comes too late in a run with too many nodes: simulating up to it exceeds the limit."
            ),
        )


@router.get(
    "/{id:rid}/explain/{n:attempt}",
    auth=reads(waits=True),
    summary="Why an attempt went so",
    openapi_extra=record(AttemptExplanation),
)
def explanation(request: HttpRequest, rid: str, attempt: int, nodes: NodeNames = "") -> HttpResponse:
    """Explain the attempt on the nodes in `nodes` (`a,b`), up to 200; by default on all nodes, if there are at most
    200.
    """
    run = watched_run(request, rid)
    require_reach(run, attempt)
    names = [name for name in nodes.split(",") if name][:MAX_NODES]
    if not names and run.version.summary.get("nodes", 0) > MAX_NODES:
        raise Refusal(422, Message("Specify at most {most} nodes: ?nodes=a,b,c", most=MAX_NODES))
    text, kubernetes = scenarios.text_for_work(run.version), run.kubernetes_version
    facts = work(request, jobs.explain, text, attempt, names, kubernetes, near=(run.version.sha256, kubernetes))
    response = HttpResponse(facts, content_type="application/json")
    patch_cache_control(response, private=True, max_age=3600)
    return response


@router.get(
    "/{id:rid}/history",
    auth=reads("ask", waits=True),
    summary="Who made and deleted a pod",
    openapi_extra=record(RunHistory),
)
@router.get("/{id:rid}/lives", auth=reads("ask", waits=True), include_in_schema=False)  # the earlier name
def history(request: HttpRequest, rid: str, of: PodName = "") -> HttpResponse:
    """Explain who created a pod, or each pod of a workload, who deleted it, and why; and why rollouts are stuck.

    Without `of`, only the rollouts. 409 until the run is done.
    """
    run = visible_run(request, rid)
    require_done(run)
    body = work(request, jobs.history, rid, of)
    if body is None:
        raise Refusal(404, Message("The run has no pod or workload {name}.", name=of))
    return HttpResponse(body, content_type="application/json")


@router.get(
    "/{id:rid}/objects/{name:kind}/{name:namespace}/{name:name}",
    auth=reads(waits=True),
    response=Yaml,
    summary="An object",
)
def object_yaml(request: HttpRequest, rid: str, kind: str, namespace: str, name: str) -> Yaml:
    """Return the object as written by the scenario's author; `_` means no namespace."""
    run = visible_run(request, rid)
    text = scenarios.text_for_work(run.version)
    named = (kind, namespace.removeprefix("_"), name)
    manifest = work(request, jobs.manifest, text, *named, near=(run.version.sha256, ""))
    if manifest is None:
        raise Refusal(404, Message("The scenario has no {kind} with this name.", kind=kind))
    return Yaml(yaml=manifest)


@router.get(
    "/{id:rid}/times",
    auth=reads(waits=True),
    summary="Where the time of pods went",
    openapi_extra=record(list[Duration]),
)
def times(request: HttpRequest, rid: str, pods: PodNames) -> HttpResponse:
    """Return the time of each pod in `pods` (`default/a,default/b`), up to 100, from its creation until it was ready.

    The parts add up without rest. Pods that had a node when the run began are left out. 409 until the run is done.
    """
    run = watched_run(request, rid)
    require_done(run)
    names = [name for name in pods.split(",") if name][:MAX_PODS]
    response = HttpResponse(work(request, jobs.times, rid, names), content_type="application/json")
    patch_cache_control(response, private=True, max_age=3600)
    return response


@router.get(
    "/{id:rid}/times/without",
    auth=reads(waits=True),
    summary="The time of a pod without one cause",
    openapi_extra=record(WithoutCause),
)
def times_without(request: HttpRequest, rid: str, pod: OnePod, cause: RemovableCause) -> HttpResponse:
    """Run the scenario again without what `cause` names, and return the pod's time before and after."""
    run = watched_run(request, rid)
    text, kubernetes = scenarios.text_for_work(run.version), run.kubernetes_version
    body = work(request, jobs.times_without, text, kubernetes, pod, cause)
    response = HttpResponse(body, content_type="application/json")
    patch_cache_control(response, private=True, max_age=3600)
    return response
