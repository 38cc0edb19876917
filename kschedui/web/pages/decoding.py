"""/decode/: a FailedScheduling message taken apart, and a scenario that gets the same one."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_http_methods

from kschedui.language import spoken
from kschedui.scenarios import store as scenarios
from kschedui.waiting import starter
from kschedui.waiting.message import FailedMessage, messages, said
from kschedui.waiting.reasons import note_meaning, preemption_meaning, reason_of
from kschedui.web.api.answers import Refusal, keeping_visitor
from kschedui.web.api.rates import count
from kschedui.web.pages.page_view import page_view
from scheduler_core.plugins import REGISTRY

LONGEST = 20_000  # characters


@dataclass(frozen=True)
class Row:
    """A part in words. `total`: of how many nodes; `lesson`: the slug of one that shows it; `page`: of the plugin."""

    count: int
    total: int
    reason: str
    plugin: str = ""
    meaning: str = ""
    unsaid: str = ""
    helps: bool = False
    lesson: str = ""
    page: bool = False


@page_view
@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest) -> HttpResponse:
    """decode.html: `text`, `message` (FailedMessage), `rows` (Row), `preemption` (Row), `note`, `overlap`, `cut`,
    `others` (messages in the same text), `starter` (Starter), `told`. POSTed with `open`, it becomes a scenario."""
    text = request.POST.get("message", "")[:LONGEST]
    if request.method != "POST":
        return render(request, "decode.html", {"text": ""})
    count(request, "check")
    found = messages(text)
    message = found[0] if found else FailedMessage()
    made = starter.starter(message)
    if "open" in request.POST:
        return opened(request, made.text)
    context = {"text": text, **in_words(message), "others": [said(one) for one in found[1:]], "starter": made}
    return render(request, "decode.html", {**context, "told": starter.told_by(made.text) if made.text else ""})


def opened(request: HttpRequest, text: str) -> HttpResponse:
    """The starter as a scenario of the visitor's."""
    if not text:
        raise Refusal(422, gettext_noop("There is no scenario for this message."))
    count(request, "save")
    version = scenarios.create(keeping_visitor(request), text)
    return redirect("scenario", version.scenario.public_id)


def in_words(message: FailedMessage) -> dict[str, Any]:
    """The message for the page."""
    rows = [row(part.count, message.total, part.reason) for part in message.parts]
    preemption = [
        Row(part.count, message.total, part.reason, meaning=spoken(preemption_meaning(part.reason) or ""))
        for part in message.preemption or ()
    ]
    overlap = sum(part.count for part in message.parts) - message.total
    helps = sum(one.count for one in rows if one.helps)
    unfinished = message.understood and (-message.total < overlap < 0 or not reason_of(message.parts[-1].reason))
    known = {
        "message": message,
        "rows": rows,
        "preemption": preemption,
        "note": spoken(note_meaning(message.rest) or ""),
        "cut": message.end == "..." or (not message.end and unfinished),
    }
    return {**known, "overlap": max(overlap, 0), "helps": helps}


def row(number: int, total: int, reason: str) -> Row:
    known = reason_of(reason)
    if known is None:
        return Row(number, total, reason)
    meaning, unsaid = spoken(known.meaning), spoken(known.unsaid)
    about = (known.plugin, meaning, unsaid, known.helps, known.lesson, known.plugin in REGISTRY)
    return Row(number, total, reason, *about)
