"""/decode/: explains a FailedScheduling message, and creates a scenario with the same one."""

import re
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_http_methods

from kschedui.language import in_language
from kschedui.scenarios import store as scenarios
from kschedui.scenarios.importers import for_people
from kschedui.scenarios.kinds_of_text import is_for_people
from kschedui.waiting import starter
from kschedui.waiting.decoded import in_words
from kschedui.waiting.described import described_pods, other_events
from kschedui.waiting.message import FailedMessage, messages, write_message
from kschedui.waiting.others import foreign_messages
from kschedui.web.api import jobs
from kschedui.web.api.rates import count
from kschedui.web.api.refusals import Refusal
from kschedui.web.api.visitors import keeping, keeping_visitor
from kschedui.web.api.work import work
from kschedui.web.pages.page_view import page_view

LONGEST = 150_000  # characters, as of the dialog that imports (static/js/intake/dialog.js)
AN_OBJECT = re.compile(
    r"""(?m)^[ \t]{0,40}(?:[{-][ \t]{0,40})?["']?(?:apiVersion|kind)["']?[ \t]{0,9}:[ \t]{0,9}["']?\w"""
)
EXAMPLE = (
    "0/5 nodes are available: 1 node(s) had untolerated taint {dedicated: gpu}, 4 Insufficient cpu. preemption: 0/5 "
    "nodes are available: 1 Preemption is not helpful for scheduling, 4 No preemption victims found for incoming pod."
)


@page_view
@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest) -> HttpResponse:
    """Show a decoded message with decode.html: `text`, `longest`, `example` if nothing is decoded, and otherwise
    `message` (FailedMessage), `rows` [Row], `preemption` [Row], `note`, `overlap`, `cut`, `foreign`
    [ForeignMessage], `others` (messages in the same text), `starter` (Starter), `starter_message` (of its run),
    `notes` (on the described objects), `described` [DescribedPod], `other_events`, `with_objects` (whether the
    editor can run the text).

    POSTed with `open`, the starter becomes a scenario.
    """
    text = request.POST.get("message", "")[:LONGEST]
    if request.method != "POST":
        return render(request, "decode.html", {"text": "", "longest": LONGEST, "example": EXAMPLE})
    count(request, "check")
    context = work(request, decode, text)
    if "open" in request.POST:
        return open_starter(request, context["starter"].text)
    return render(request, "decode.html", context)


def decode(text: str) -> dict[str, Any]:
    """Return the page's context. Executed by `kschedui.work`."""
    reading = for_people.read(text) if is_for_people(text) else for_people.Reading()
    failed_messages = messages(text)
    message = failed_messages[0] if failed_messages else FailedMessage()
    scenario = starter.starter(message, in_language(starter.TITLE))
    context = {
        "text": text,
        "longest": LONGEST,
        **in_words(message, in_language),
        "foreign": foreign_messages(text, in_language),
        "others": [write_message(failed_message) for failed_message in failed_messages[1:]],
        "starter": scenario,
        "with_objects": bool(reading.objects or AN_OBJECT.search(text)),
        "notes": list(map(in_language, reading.notes)),
        "described": described_pods(reading),
        "other_events": other_events(reading),
    }
    return {**context, "starter_message": starter.simulated_message(scenario.text) if scenario.text else ""}


def open_starter(request: HttpRequest, text: str) -> HttpResponse:
    """Save the starter as a scenario of the visitor."""
    if not text:
        raise Refusal(422, gettext_noop("No scenario is available for this message."))
    count(request, "save")
    keeping_visitor(request)
    digest = work(request, jobs.digest, text)
    with keeping(request) as visitor:
        version = scenarios.create(visitor, digest)
    return redirect("scenario", version.scenario.public_id)
