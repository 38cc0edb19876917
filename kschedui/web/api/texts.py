"""Texts that are not saved: check, preview."""

from contextlib import AbstractContextManager, nullcontext

import msgspec
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_noop
from ninja import Router

from kschedui.runs import store as runs
from kschedui.scenarios import engine
from kschedui.scenarios import store as scenarios
from kschedui.web.api.answers import Refusal, asker_of, keeping_visitor, place_to_work, too_large
from kschedui.web.api.callers import reads, writes
from kschedui.web.api.shapes import RunName, TextIn
from scheduler_core.apis.messages import Message
from scheduler_core.scenario.parse import Scenario, ScenarioErrors
from scheduler_core.trace.summaries import node_summary, pod_summary

router = Router(tags=["texts"])

LARGE_TEXT = 500_000  # characters


@router.post("/check", auth=reads("check"), response=dict, summary="Check a text")
def check(request: HttpRequest, body: TextIn) -> HttpResponse:
    """`{errors, warnings, summary: {nodes, pods}}`. A text that is refused is an answer, not a failure."""
    text = sized(body.text)
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


@router.post("/preview", auth=writes("run"), response=RunName, summary="Run a text without saving it")
def preview(request: HttpRequest, body: TextIn) -> RunName:
    """Kept for a day, and seen by nobody else."""
    text = sized(body.text)
    with room_for(text):
        _, pods = engine.nodes_and_pods(engine.read(text))
        if len(pods) > (most := settings.LIMITS["preview_pods"]):
            raise Refusal(422, Message("A preview has at most {most:,} pods; save the scenario to run it.", most=most))
        version = scenarios.preview(keeping_visitor(request), text)
    return RunName(run=runs.start_run(version, asker_of(request), retry=True).public_id)


def sized(text: str) -> str:
    """The text of a scenario, if it has something in it and is no longer than the limit."""
    if not text.strip():
        raise Refusal(422, gettext_noop("`text` must be the text of a scenario."), code="invalid_request")
    if len(text.encode("utf-8", "surrogatepass")) > settings.LIMITS["scenario_bytes"]:
        raise too_large()
    return text


def room_for(text: str) -> AbstractContextManager[None]:
    """A large text takes seconds to read."""
    return place_to_work() if len(text) > LARGE_TEXT else nullcontext()


def as_json(answer: object) -> HttpResponse:
    """JSON of plain data and of the engine's records."""
    return HttpResponse(msgspec.json.encode(answer), content_type="application/json")
