"""Unsaved texts: check and preview."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_noop
from ninja import Router

from kschedui.runs import store as runs
from kschedui.scenarios import access
from kschedui.scenarios import store as scenarios
from kschedui.scenarios.digest import Digest
from kschedui.uploads import store as uploads
from kschedui.web.api import jobs
from kschedui.web.api.callers import leave_large, reads, writes
from kschedui.web.api.refusals import Refusal, too_large
from kschedui.web.api.shapes import CheckedText, RunName, SavedText, TextIn
from kschedui.web.api.visitors import keeping, keeping_visitor, requester_of
from kschedui.web.api.work import work
from scheduler_core.apis.messages import Message

router = Router(tags=["texts"])

JSON = "application/json"


@router.post("/check", auth=reads("check", large=True), response=dict, summary="Check a text")
def check(request: HttpRequest, body: CheckedText) -> HttpResponse:
    """Return `{errors, warnings, summary: {nodes, pods}}`; an invalid text is a result, not a failure.

    With rules, `rules: {pod, pods, nodes, rules}` are their values for a pod on each node; with devices, `selectors:
    [{expression, matching, devices, names, error}]`.
    """
    text = require_size(body.text)
    return HttpResponse(work(request, jobs.check, text, body.pod), content_type=JSON)


@router.post("/preview", auth=writes("run", large=True), response=RunName, summary="Run a text without saving it")
def preview(request: HttpRequest, body: TextIn) -> RunName:
    """Store the text as a preview for a day, and run it. It is visible only to you."""
    text = require_size(body.text)
    keeping_visitor(request)
    digest = work(request, jobs.digest, text)
    if digest.pods > (most := settings.LIMITS["preview_pods"]):
        raise Refusal(422, Message("A preview can have at most {most:,} pods. Save the scenario to run it.", most=most))
    with keeping(request) as visitor:
        version = scenarios.preview(visitor, digest)
    return RunName(run=runs.start_run(version, requester_of(request), retry=True).public_id)


def digest_of(request: HttpRequest, body: SavedText) -> Digest:
    """Return the digest of the text to save, which is parsed now, or was parsed when it was imported."""
    if body.upload:
        upload = uploads.by_id(access.visitor_of(request), body.upload)
        leave_large(request, upload.bytes)
        return uploads.digest_of(upload)
    return work(request, jobs.digest, require_size(body.text))


def require_size(text: str) -> str:
    """Return the text of a scenario. Raises Refusal if it is empty or longer than the limit."""
    if not text.strip():
        raise Refusal(422, gettext_noop("`text` must be the text of a scenario."), code="invalid_request")
    if len(text.encode("utf-8", "surrogatepass")) > settings.LIMITS["scenario_bytes"]:
        raise too_large()
    return text
