"""/decode/: explains a FailedScheduling message, and creates a scenario with the same one."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_http_methods

from kschedui.scenarios import store as scenarios
from kschedui.web.api import jobs
from kschedui.web.api.rates import count
from kschedui.web.api.refusals import Refusal
from kschedui.web.api.visitors import keeping, keeping_visitor
from kschedui.web.api.work import work
from kschedui.web.pages.decoded import LONGEST, decode
from kschedui.web.pages.page_view import page_view

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


def open_starter(request: HttpRequest, text: str) -> HttpResponse:
    """Save the starter as a scenario of the visitor. Raises Refusal if the message has none."""
    if not text:
        raise Refusal(422, gettext_noop("No scenario is available for this message."))
    count(request, "save")
    keeping_visitor(request)
    digest = work(request, jobs.digest, text)
    with keeping(request) as visitor:
        version = scenarios.create(visitor, digest)
    return redirect("scenario", version.scenario.public_id)
