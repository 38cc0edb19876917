"""Files of a version: its text, its trace as JSON lines, its decisions, a Perfetto trace, its picture, a QR code."""

import hashlib
import io
import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import segno
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.http import quote_etag
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_safe

from kschedui.language import language
from kschedui.models import Run, Version
from kschedui.runs import ending, perfetto
from kschedui.runs import store as runs
from kschedui.scenarios import store as scenarios
from kschedui.web.api import streams
from kschedui.web.api.answers import Refusal
from kschedui.web.api.rates import count
from kschedui.web.pages import cards
from kschedui.web.pages.page_view import page_view
from kschedui.web.pages.pictures import alone
from kschedui.web.pages.pictures.moment import moment_of
from kschedui.web.pages.views import asked_release, seen
from scheduler_core import decisions
from scheduler_core.trace.keyframe import encode


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
    """The cluster with words above it: as the run ends, or at `?step=N`; `?bare=1`: the cluster alone."""
    draw = (lambda drawing, _: alone.bare(drawing)) if "bare" in request.GET else alone.svg
    return picture(request, asked(request, sid, number), "image/svg+xml", draw)


@page_view
@require_safe
def picture_png(request: HttpRequest, sid: str, number: int) -> HttpResponseBase:
    """The same, for link previews."""
    return picture(request, asked(request, sid, number), "image/png", alone.png)


def picture(
    request: HttpRequest, version: Version, kind: str, draw: Callable[[dict[str, Any], alone.Words], str | bytes]
) -> HttpResponseBase:
    """Drawn, unless the browser has it: a step takes reading a piece of the trace, and never changes."""
    run = runs.find_run(version, request.GET.get("engine"), asked_release(request, version))
    title = cards.title_of(version.scenario, cards.lesson_of(version.summary))
    about = (run and (run.public_id, run.steps, run.state), title, asked_place(request), "bare" in request.GET)
    etag = quote_etag(hashlib.sha256(repr((about, kind, language())).encode()).hexdigest()[:32])
    known = get_conditional_response(request, etag=etag)
    if known is not None:
        return known
    response = HttpResponse(draw(*pictured(request, version, run, title)), content_type=kind)
    response.headers["ETag"] = etag
    return response


def pictured(request: HttpRequest, version: Version, run: Run | None, title: str) -> tuple[dict[str, Any], alone.Words]:
    """The drawing, and what is written around it; a step that the run does not have shows the run's end."""
    foot = f"kube-scheduler {runs.release_of(version, run.kubernetes_version)}" if run else ""
    place = asked_place(request).partition(".")[0]
    step = int(place) if place else None
    moment = moment_of(run, step) if run and step is not None and step < run.steps else None
    if run and moment:
        foot += " · " + _("step %(step)d of %(steps)d") % {"step": step, "steps": run.steps - 1}
        return moment.drawing, alone.Words(title, moment.sentence, foot)
    if step == 0 or not run or not run.outcome:
        return ending.before_running(version.summary), alone.Words(title, "", foot)
    return run.outcome["drawing"], alone.Words(title, cards.words(run.outcome), foot)


def asked_place(request: HttpRequest) -> str:
    """`?step=N[.frame]`, or ""; raises Refusal."""
    place = request.GET.get("step", "")
    if place and not re.fullmatch(cards.PLACE["step"], place):
        raise Refusal(422, gettext_noop("`step` is a number."))
    return place


@page_view
@require_safe
def qr_svg(request: HttpRequest, sid: str, number: int) -> HttpResponseBase:
    """A QR code of the link to the version, or to `?step=N[.frame]` of it."""
    asked(request, sid, number)
    asked_place(request)
    link = cards.absolute(request, f"/s/{sid}/v/{number}/{cards.place_query(request.GET.dict())}")
    out = io.BytesIO()
    segno.make(link, error="m").save(out, kind="svg", scale=4, border=4, light="#fff", xmldecl=False)
    return HttpResponse(out.getvalue(), content_type="image/svg+xml")
