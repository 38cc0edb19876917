"""The API that the editor calls: check, preview, import, save, and what there is to complete. JSON in and out."""

import msgspec
from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse

from kschedui.models import Version
from kschedui.runs import store as runs
from kschedui.scenarios import access
from kschedui.scenarios import store as scenarios
from kschedui.scenarios.digest import Digest
from kschedui.scenarios.importers.reading_table import reading_table
from kschedui.web.api import jobs
from kschedui.web.api.answers import (
    Refusal,
    api_view,
    asker_of,
    json_body,
    keeping_visitor,
    text_of,
    worked,
)
from kschedui.web.api.rates import count
from scheduler_core.apis.messages import Message
from scheduler_core.scenario.parse import field_catalogue


@api_view("POST", limit="check")
def check(request: HttpRequest) -> HttpResponse:
    """{text} -> {errors, warnings, summary: {nodes, pods}}; a text that is refused is an answer, not a failure."""
    text = text_of(json_body(request, text=str))
    return HttpResponse(worked(request, jobs.check, text, size=len(text)), content_type="application/json")


@api_view("POST", limit="run")
def preview(request: HttpRequest) -> HttpResponse:
    """{text} -> {run}: run a text that is not saved."""
    text = text_of(json_body(request, text=str))
    visitor = keeping_visitor(request)
    found = worked(request, jobs.digest, text, size=len(text))
    if found.pods > (most := settings.LIMITS["preview_pods"]):
        raise Refusal(422, Message("A preview has at most {most:,} pods; save the scenario to run it.", most=most))
    version = scenarios.preview(visitor, found)
    return JsonResponse({"run": runs.start_run(version, asker_of(request), retry=True).public_id})


@api_view("POST", limit="save")
def save(request: HttpRequest) -> HttpResponse:
    """{text, parent?, version?, fork_of?} -> {id, version, url, run}; 409 when `version` is not the newest any more."""
    body = json_body(request, text=str, parent=str, version=int, fork_of=str)
    text = text_of(body)
    count(request, "run")  # before anything is kept: who is refused has saved nothing
    visitor = keeping_visitor(request)
    try:
        found = worked(request, jobs.digest, text, size=len(text))
        version = saved(visitor, found, body["parent"], body["version"], body["fork_of"])
    except scenarios.Conflict as conflict:
        raise Refusal(409, conflict.sentence, version=conflict.newest) from None
    scenario = version.scenario
    url = reverse("scenario", args=[scenario.public_id])
    run = runs.start_run(version, asker_of(request)).public_id
    return JsonResponse({"id": scenario.public_id, "version": version.number, "url": url, "run": run})


def saved(visitor: access.Visitor, text: Digest, parent: str | None, base: int | None, fork_of: str | None) -> Version:
    """A new version of `parent`, or a new scenario."""
    if parent:
        scenario = scenarios.by_id(parent)
        access.require_sight(visitor, scenario)
        access.require_editing(visitor, scenario)
        return scenarios.save(scenario, text, base)
    origin = None
    if fork_of:
        forked = scenarios.by_id(fork_of)
        access.require_sight(visitor, forked)
        origin = scenarios.newest(forked)
    return scenarios.create(visitor, text, origin)


@api_view("POST", limit="check")
def compare(request: HttpRequest) -> HttpResponse:
    """{text, parent, version} -> {text, rows}: a saved version beside a text that is not saved. `rows` are those of
    diff.compare, from the version to the text; null when they are too long for it."""
    body = json_body(request, text=str, parent=str, version=int)
    text = text_of(body)
    scenario = scenarios.by_id(body["parent"] or "")
    access.require_sight(access.visitor_of(request), scenario)
    theirs = scenarios.version(scenario, body["version"] or 0).text
    answer = worked(request, jobs.compared, theirs, text, size=len(theirs) + len(text))
    return HttpResponse(answer, content_type="application/json")


@api_view("GET", limit="read")
def catalogue(request: HttpRequest) -> HttpResponse:
    """Kinds, fields and values that the editor may offer; and what it keeps of a dump (importers.reading_table)."""
    response = as_json({**field_catalogue(), "reading": reading_table()})
    response.headers["Cache-Control"] = "public, max-age=3600"
    return response


def as_json(answer: object) -> HttpResponse:
    """JSON of plain data and of the engine's records."""
    return HttpResponse(msgspec.json.encode(answer), content_type="application/json")
