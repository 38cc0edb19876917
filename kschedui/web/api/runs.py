"""The API of a run: its state, its chunks, its objects, the explanation of an attempt. The player calls it."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext_noop

from kschedui.language import spoken
from kschedui.models import Run, Scenario
from kschedui.runs import frames
from kschedui.runs import store as runs
from kschedui.runs.turns import ahead_of
from kschedui.scenarios import access
from kschedui.web.api import jobs
from kschedui.web.api.answers import Refusal, api_view, worked
from scheduler_core.apis.messages import Message

MOST_NODES = 200  # of one explanation
YEAR = 365 * 24 * 3600


def seen_run(request: HttpRequest, rid: str) -> Run:
    """The run, if this visitor may see it."""
    run = runs.by_id(rid)
    access.require_sight(access.visitor_of(request), run.version.scenario)
    return run


@api_view("GET", limit="read")
def state(request: HttpRequest, rid: str) -> HttpResponse:
    """{state, steps, chunks, time, error, engine, outcome, scenario: {id, version, title}}, and `ahead` {runs, seconds}
    while it is queued."""
    run = seen_run(request, rid)
    known = {"state": run.state, "steps": run.steps, "chunks": run.chunks, "time": run.time, "error": spoken(run.error)}
    scenario = run.version.scenario
    about = {"id": scenario.public_id, "version": run.version.number, "title": scenario.title}
    if run.state == Run.State.QUEUED:
        known["ahead"] = ahead_of(run)._asdict()
    if scenario.scratch and not run.ended:
        runs.touch(rid)
    return JsonResponse({**known, "engine": run.engine_version, "outcome": run.outcome, "scenario": about})


@api_view("GET", limit="chunk")
def chunk(request: HttpRequest, rid: str, seq: int) -> HttpResponse:
    """The bytes of a stored frame; they never change, so a browser may keep them."""
    run = seen_run(request, rid)
    tag = f'"{rid}.{seq}.{run.engine_version}"'
    if request.headers.get("If-None-Match") == tag:
        response = HttpResponse(status=304)
    else:
        frame = runs.frame(rid, seq)
        if frame is None:
            raise Refusal(404, gettext_noop("The run has no such chunk."))
        response = HttpResponse(frame, content_type=frames.MEDIA_TYPE)
    response.headers["ETag"] = tag
    secret = run.version.scenario.visibility == Scenario.Visibility.PRIVATE
    patch_cache_control(
        response, private=True, max_age=0 if secret else YEAR, **({} if secret else {"immutable": True})
    )
    return response


@api_view("POST", limit="run")
def cancel(request: HttpRequest, rid: str) -> HttpResponse:
    """End a run that goes on; what is stored stays."""
    run = seen_run(request, rid)
    access.require_editing(access.visitor_of(request), run.version.scenario)
    return JsonResponse({"cancelled": runs.cancel(run)})


@api_view("GET", limit="read")
def explanation(request: HttpRequest, rid: str, attempt: int) -> HttpResponse:
    """Why an attempt went as it did, on the nodes that ?nodes=a,b names, up to 200; none named: on all, if so few."""
    run = seen_run(request, rid)
    nodes = run.version.summary.get("nodes", 0)
    if nodes * attempt > settings.LIMITS["explain_work"]:
        raise Refusal(422, gettext_noop("This attempt is too far into a run on too many nodes to be explained here."))
    names = [name for name in request.GET.get("nodes", "").split(",") if name][:MOST_NODES]
    if not names and nodes > MOST_NODES:
        raise Refusal(422, Message("Name up to {most} nodes: ?nodes=a,b,c", most=MOST_NODES))
    text = run.version.text
    found = worked(request, jobs.explain, text, attempt, names, size=max(len(text), nodes * attempt * 10), slow=True)
    response = HttpResponse(found, content_type="application/json")
    patch_cache_control(response, private=True, max_age=3600)
    return response


@api_view("GET", limit="read")
def object_yaml(request: HttpRequest, rid: str, kind: str, namespace: str, name: str) -> HttpResponse:
    """{yaml}: an object as the scenario's author wrote it; `_` stands for no namespace."""
    run = seen_run(request, rid)
    text = run.version.text
    manifest = worked(request, jobs.manifest, text, kind, namespace.removeprefix("_"), name, size=len(text))
    if manifest is None:
        raise Refusal(404, Message("The scenario has no {kind} of this name.", kind=kind))
    return JsonResponse({"yaml": manifest})
