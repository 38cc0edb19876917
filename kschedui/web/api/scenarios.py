"""The API that the editor calls: check, preview, import, save, and what there is to complete. JSON in and out."""

from contextlib import AbstractContextManager, nullcontext

import msgspec
from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse

from kschedui.models import Version
from kschedui.runs import store as runs
from kschedui.scenarios import access, diff, engine
from kschedui.scenarios import store as scenarios
from kschedui.scenarios.importers.reading_table import reading_table
from kschedui.web.api.answers import (
    Refusal,
    api_view,
    asker_of,
    count,
    json_body,
    keeping_visitor,
    place_to_work,
    text_of,
)
from scheduler_core.apis.messages import Message
from scheduler_core.scenario.parse import Scenario, ScenarioErrors, field_catalogue
from scheduler_core.trace.summaries import node_summary, pod_summary

LARGE_TEXT = 500_000  # characters


@api_view("POST", limit="check")
def check(request: HttpRequest) -> HttpResponse:
    """{text} -> {errors, warnings, summary: {nodes, pods}}; a text that is refused is an answer, not a failure."""
    text = text_of(json_body(request, text=str))
    try:
        with room_for(text):
            return as_json(checked(engine.read(text)))
    except ScenarioErrors as errors:
        return as_json({"errors": engine.error_rows(errors), "warnings": [], "summary": {"nodes": [], "pods": []}})


def checked(scenario: Scenario) -> dict[str, object]:
    """The answer for a good text."""
    nodes, pods = engine.nodes_and_pods(scenario)
    summary = {
        "nodes": [node_summary(node) for node in nodes],
        "pods": [pod_summary(pod) for pod in pods],
    }
    return {"errors": [], "warnings": [engine.warning_row(found) for found in scenario.warnings], "summary": summary}


@api_view("POST", limit="run")
def preview(request: HttpRequest) -> HttpResponse:
    """{text} -> {run}: run a text that is not saved."""
    text = text_of(json_body(request, text=str))
    with room_for(text):
        _, pods = engine.nodes_and_pods(engine.read(text))
        if len(pods) > (most := settings.LIMITS["preview_pods"]):
            raise Refusal(422, Message("A preview has at most {most:,} pods; save the scenario to run it.", most=most))
        version = scenarios.preview(keeping_visitor(request), text)
    return JsonResponse({"run": runs.start_run(version, asker_of(request), retry=True).public_id})


@api_view("POST", limit="save")
def save(request: HttpRequest) -> HttpResponse:
    """{text, parent?, version?, fork_of?} -> {id, version, url, run}; 409 when `version` is not the newest any more."""
    body = json_body(request, text=str, parent=str, version=int, fork_of=str)
    text = text_of(body)
    count(request, "run")  # before anything is kept: who is refused has saved nothing
    visitor = keeping_visitor(request)
    try:
        with room_for(text):
            version = saved(visitor, text, body["parent"], body["version"], body["fork_of"])
    except scenarios.Conflict as conflict:
        raise Refusal(409, conflict.sentence, version=conflict.newest) from None
    scenario = version.scenario
    url = reverse("scenario", args=[scenario.public_id])
    run = runs.start_run(version, asker_of(request)).public_id
    return JsonResponse({"id": scenario.public_id, "version": version.number, "url": url, "run": run})


def saved(visitor: access.Visitor, text: str, parent: str | None, base: int | None, fork_of: str | None) -> Version:
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
    rows = list(diff.compare(theirs, text)) if diff.comparable(theirs, text) else None
    return JsonResponse({"text": theirs, "rows": rows})


def room_for(text: str) -> AbstractContextManager[None]:
    """A large text takes seconds to read."""
    return place_to_work() if len(text) > LARGE_TEXT else nullcontext()


@api_view("GET", limit="read")
def catalogue(request: HttpRequest) -> HttpResponse:
    """Kinds, fields and values that the editor may offer; and what it keeps of a dump (importers.reading_table)."""
    response = as_json({**field_catalogue(), "reading": reading_table()})
    response.headers["Cache-Control"] = "public, max-age=3600"
    return response


def as_json(answer: object) -> HttpResponse:
    """JSON of plain data and of the engine's records."""
    return HttpResponse(msgspec.json.encode(answer), content_type="application/json")
