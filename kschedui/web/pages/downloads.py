"""Files of a version: its text, its trace as JSON lines, its decisions, a Perfetto trace, its picture, a QR code."""

import hashlib
import io
import re
from collections.abc import AsyncIterator

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
from kschedui.runs import cluster_drawing
from kschedui.runs import store as runs
from kschedui.runs.trace_files import DecisionLines, EventLines, PerfettoFile
from kschedui.scenarios import access, lessons
from kschedui.scenarios import store as scenarios
from kschedui.web.api import streams
from kschedui.web.api.rates import count
from kschedui.web.api.refusals import Refusal, incomplete
from kschedui.web.api.visitors import visible_scenario
from kschedui.web.api.work import work
from kschedui.web.pages import cards
from kschedui.web.pages.page_view import page_view
from kschedui.web.pages.pictures import alone
from kschedui.web.pages.pictures.drawn import draw_picture
from kschedui.web.pages.requested import requested_release


def requested_version(request: HttpRequest, sid: str, number: int) -> Version:
    """Return the version. Raises NotAllowed if the visitor cannot see it."""
    _, scenario = visible_scenario(request, sid)
    count(request, "read")
    return scenarios.version(scenario, number)


def run_of_links(request: HttpRequest, sid: str, number: int) -> Run:
    """Return the run that the URL selects, by default that of the version's links. Raises Refusal until complete."""
    count(request, "download")
    version = requested_version(request, sid, number)
    run = runs.find_run(version, request.GET.get("engine"), requested_release(request, version))
    if run is None or run.state != Run.State.DONE:
        raise incomplete(
            run,
            gettext_noop("The run is not complete yet. Open the scenario and download it when the run has finished."),
        )
    return run


def attachment(body: AsyncIterator[bytes] | str, media_type: str, name: str) -> HttpResponseBase:
    """Return a file as a download."""
    response: HttpResponseBase
    if isinstance(body, str):
        response = HttpResponse(body, content_type=media_type)
    else:
        response = StreamingHttpResponse(body, content_type=media_type)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    patch_cache_control(response, private=True)
    return response


@page_view
@require_safe
def scenario_yaml(request: HttpRequest, sid: str, number: int) -> HttpResponseBase:
    """Return the text; a challenge's Challenge document is only in that of people who can edit it."""
    version = requested_version(request, sid, number)
    pieces = scenarios.pieces_for(access.visitor_of(request), version)
    is_long = version.bytes > scenarios.PIECE
    body = streams.in_pieces(piece.encode() for piece in pieces) if is_long else "".join(pieces)
    return attachment(body, "application/yaml; charset=utf-8", f"{sid}-{number}.yaml")


@page_view
@require_safe
def events_lines(request: HttpRequest, sid: str, number: int) -> HttpResponseBase:
    """Send one trace event per line."""
    body = streams.file_of(request, run_of_links(request, sid, number), EventLines())
    return attachment(body, streams.JSONL, f"{sid}-{number}-events.jsonl")


@page_view
@require_safe
def decision_lines(request: HttpRequest, sid: str, number: int) -> HttpResponseBase:
    """Send one decision record per line."""
    body = streams.file_of(request, run_of_links(request, sid, number), DecisionLines())
    return attachment(body, streams.JSONL, f"{sid}-{number}-decisions.jsonl")


@page_view
@require_safe
def perfetto_trace(request: HttpRequest, sid: str, number: int) -> HttpResponseBase:
    """Send a trace for ui.perfetto.dev."""
    body = streams.file_of(request, run_of_links(request, sid, number), PerfettoFile())
    return attachment(body, "application/json", f"{sid}-{number}-trace.json")


@page_view
@require_safe
def picture_svg(request: HttpRequest, sid: str, number: int) -> HttpResponseBase:
    """Send the picture with its texts: at the end of the run, or at `?step=N`. With `?bare=1`: the cluster only."""
    form = "bare" if "bare" in request.GET else "svg"
    return picture(request, requested_version(request, sid, number), "image/svg+xml", form)


@page_view
@require_safe
def picture_png(request: HttpRequest, sid: str, number: int) -> HttpResponseBase:
    """Send the picture as PNG, for link previews."""
    return picture(request, requested_version(request, sid, number), "image/png", "png")


def picture(request: HttpRequest, version: Version, kind: str, form: str) -> HttpResponseBase:
    """Return the picture, or 304 if the browser has it: drawing a step takes time, and a picture never changes."""
    run = runs.find_run(version, request.GET.get("engine"), requested_release(request, version))
    title = cards.title_of(version.scenario, lessons.load(version.lesson))
    place = requested_place(request)
    about = (run and (run.public_id, run.steps, run.state), title, place, form)
    etag = quote_etag(hashlib.sha256(repr((about, kind, language())).encode()).hexdigest()[:32])
    not_modified = get_conditional_response(request, etag=etag)
    if not_modified is not None:
        return not_modified
    step = int(place.partition(".")[0]) if place else None
    foot = f"kube-scheduler {runs.release_of(version, run.kubernetes_version)}" if run else ""
    at, at_step = None, ""
    if run and step is not None and step < run.steps:
        at = run.public_id, step
        at_step = f"{foot} · " + _("step %(step)d of %(steps)d") % {"step": step, "steps": run.steps - 1}
    if step == 0 or not run or not run.outcome:
        end = cluster_drawing.before_running(version.summary), alone.PictureWords(title, "", foot)
    else:
        end = run.outcome["drawing"], alone.PictureWords(title, cards.words(run.outcome), foot)
    response = HttpResponse(work(request, draw_picture, form, at, at_step, *end), content_type=kind)
    response.headers["ETag"] = etag
    return response


def requested_place(request: HttpRequest) -> str:
    """Return the step of `?step=N[.frame]`, with its frame; "" if there is none. Raises Refusal."""
    place = request.GET.get("step", "")
    if place and not re.fullmatch(cards.PLACE["step"], place):
        raise Refusal(422, gettext_noop("`step` must be a number."))
    return place


@page_view
@require_safe
def qr_svg(request: HttpRequest, sid: str, number: int) -> HttpResponseBase:
    """Return a QR code of the link to the version, or to `?step=N[.frame]` of it."""
    requested_version(request, sid, number)
    requested_place(request)
    link = cards.absolute(request, f"/s/{sid}/v/{number}/{cards.place_query(request.GET.dict())}")
    out = io.BytesIO()
    segno.make(link, error="m").save(out, kind="svg", scale=4, border=4, light="#fff", xmldecl=False)
    return HttpResponse(out.getvalue(), content_type="image/svg+xml")
