"""Texts that are not saved: check, preview."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_noop
from ninja import Router

from kschedui.runs import store as runs
from kschedui.scenarios import store as scenarios
from kschedui.web.api import jobs
from kschedui.web.api.answers import Refusal, asker_of, keeping_visitor, too_large, worked
from kschedui.web.api.callers import reads, writes
from kschedui.web.api.shapes import RunName, TextIn
from scheduler_core.apis.messages import Message

router = Router(tags=["texts"])

JSON = "application/json"


@router.post("/check", auth=reads("check"), response=dict, summary="Check a text")
def check(request: HttpRequest, body: TextIn) -> HttpResponse:
    """`{errors, warnings, summary: {nodes, pods}}`. A text that is refused is an answer, not a failure."""
    text = sized(body.text)
    return HttpResponse(worked(request, jobs.check, text, size=len(text)), content_type=JSON)


@router.post("/preview", auth=writes("run"), response=RunName, summary="Run a text without saving it")
def preview(request: HttpRequest, body: TextIn) -> RunName:
    """Kept for a day, and seen by nobody else."""
    text = sized(body.text)
    visitor = keeping_visitor(request)
    found = worked(request, jobs.digest, text, size=len(text))
    if found.pods > (most := settings.LIMITS["preview_pods"]):
        raise Refusal(422, Message("A preview has at most {most:,} pods; save the scenario to run it.", most=most))
    version = scenarios.preview(visitor, found)
    return RunName(run=runs.start_run(version, asker_of(request), retry=True).public_id)


def sized(text: str) -> str:
    """The text of a scenario, if it has something in it and is no longer than the limit."""
    if not text.strip():
        raise Refusal(422, gettext_noop("`text` must be the text of a scenario."), code="invalid_request")
    if len(text.encode("utf-8", "surrogatepass")) > settings.LIMITS["scenario_bytes"]:
        raise too_large()
    return text
