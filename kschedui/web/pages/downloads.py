"""Files of a version: its text, its trace as JSON lines, its decisions, a Perfetto trace, its picture, a QR code."""

import io
from collections.abc import Iterator
from typing import Any

import msgspec
import segno
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_safe

from kschedui.models import Run, Version
from kschedui.runs import ending, perfetto
from kschedui.runs import store as runs
from kschedui.scenarios import store as scenarios
from kschedui.web.api import streams
from kschedui.web.api.answers import Refusal
from kschedui.web.api.rates import count
from kschedui.web.pages import cards, picture
from kschedui.web.pages.page_view import page_view
from kschedui.web.pages.views import asked_release, seen
from scheduler_core import decisions
from scheduler_core.trace.keyframe import encode

LONGEST_PLACE = 20


def asked(request: HttpRequest, sid: str, number: int) -> Version:
    """The version, if the visitor may see it."""
    _, scenario = seen(request, sid)
    count(request, "read")
    return scenarios.version(scenario, number)


def asked_run(request: HttpRequest, sid: str, number: int) -> Run:
    """The run whose trace the version's links show, if it is complete."""
    count(request, "download")
    version = asked(request, sid, number)
    run = runs.find_run(version, request.GET.get("engine"), asked_release(request, version))
    if run is None or run.state != Run.State.DONE:
        raise Refusal(
            409, gettext_noop("The run is not complete yet; open the scenario, and download when it has ended.")
        )
    return run


def attachment(body: Iterator[bytes] | str, media_type: str, name: str) -> HttpResponseBase:
    """A file to save."""
    response: HttpResponseBase
    if isinstance(body, str):
        response = HttpResponse(body, content_type=media_type)
    else:
        response = StreamingHttpResponse(streams.in_pieces(body), content_type=media_type)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    patch_cache_control(response, private=True)
    return response


@page_view
@require_safe
def scenario_yaml(request: HttpRequest, sid: str, number: int) -> HttpResponseBase:
    """The text as it was saved."""
    text = asked(request, sid, number).text
    return attachment(text, "application/yaml; charset=utf-8", f"{sid}-{number}.yaml")


@page_view
@require_safe
def events_lines(request: HttpRequest, sid: str, number: int) -> HttpResponseBase:
    """One trace event a line."""
    run = asked_run(request, sid, number)
    lines = (encode(event) + b"\n" for event in streams.events_of(run))
    return attachment(lines, streams.JSONL, f"{sid}-{number}-events.jsonl")


@page_view
@require_safe
def decision_lines(request: HttpRequest, sid: str, number: int) -> HttpResponseBase:
    """One decision record a line, as `manage.py simulate` prints them."""
    run = asked_run(request, sid, number)
    lines = (msgspec.json.encode(record) + b"\n" for record in decisions(streams.events_of(run)))
    return attachment(lines, streams.JSONL, f"{sid}-{number}-decisions.jsonl")


@page_view
@require_safe
def perfetto_trace(request: HttpRequest, sid: str, number: int) -> HttpResponseBase:
    """For ui.perfetto.dev."""
    run = asked_run(request, sid, number)
    return attachment(
        map(str.encode, perfetto.lines(streams.events_of(run))), "application/json", f"{sid}-{number}-trace.json"
    )


@page_view
@require_safe
def picture_svg(request: HttpRequest, sid: str, number: int) -> HttpResponseBase:
    """The cluster with the title."""
    version = asked(request, sid, number)
    return HttpResponse(picture.svg(drawing(version), version.scenario.title), content_type="image/svg+xml")


@page_view
@require_safe
def picture_png(request: HttpRequest, sid: str, number: int) -> HttpResponseBase:
    """The cluster, for link previews; with `?before`, as the run begins."""
    version = asked(request, sid, number)
    drawn = ending.before_running(version.summary) if "before" in request.GET else drawing(version)
    return HttpResponse(picture.png(drawn), content_type="image/png")


def drawing(version: Version) -> dict[str, Any]:
    """The cluster as the version's run ends; as it begins while there is none that is complete."""
    run = runs.find_run(version)
    return (run.outcome.get("drawing") if run else None) or ending.before_running(version.summary)


@page_view
@require_safe
def qr_svg(request: HttpRequest, sid: str, number: int) -> HttpResponseBase:
    """A QR code of the link to the version, or to `?step=N[.frame]` of it."""
    asked(request, sid, number)
    step = request.GET.get("step", "")
    if step and not (step.isascii() and step.replace(".", "", 1).isdigit() and len(step) <= LONGEST_PLACE):
        raise Refusal(422, gettext_noop("`step` is a number."))
    link = cards.absolute(request, f"/s/{sid}/v/{number}/") + (f"#{step}" if step else "")
    out = io.BytesIO()
    segno.make(link, error="m").save(out, kind="svg", scale=4, border=4, light="#fff", xmldecl=False)
    return HttpResponse(out.getvalue(), content_type="image/svg+xml")
