"""/s/<id>/v/<n>/pending/: the pods that are pending at the end of a run, by cause or workload, and their blockers."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from kschedui.runs import store as runs
from kschedui.scenarios import store as scenarios
from kschedui.web.api.rates import count
from kschedui.web.api.visitors import visible_scenario
from kschedui.web.api.work import work
from kschedui.web.pages import cards
from kschedui.web.pages.analysis.pending_groups import group_pods
from kschedui.web.pages.page_view import page_view
from kschedui.web.pages.requested import require_complete_run

EXAMPLE = "flash-sale"  # the lesson that a run without pending pods offers


@page_view
@require_safe
def pending(request: HttpRequest, sid: str, number: int) -> HttpResponse:
    """Show pending pods with scenarios/pending.html: `scenario` (id, title), `version`, `all` (number of pending pods),
    `matching` (number that match the search), `by` ("cause" or "workload"), `q`, `group` (the key of a group, or ""),
    `groups` [{key, title, count, pods [as_row], more}] largest first, `hidden` (number of pods that only a search
    shows), `others` (sentences: evicted, stuck, broken, standing), `release`, `example` (the address of such a page
    with pods; "" if this one has some, or the library is not loaded).
    """
    _, scenario = visible_scenario(request, sid)
    count(request, "read")
    version = scenarios.version(scenario, number)
    run = require_complete_run(request, version)
    by, query, chosen = request.GET.get("by", "cause"), request.GET.get("q", ""), request.GET.get("group", "")
    rid = run.public_id
    page = reverse("version", args=[sid, number])
    result = work(request, group_pods, rid, page, by, query.strip()[:200], chosen, near=rid)
    release = runs.release_of(version, run.kubernetes_version)
    about = {"scenario": {"id": sid, "title": cards.own_title(scenario)}, "version": number, "release": release}
    example = "" if result["all"] else example_page()
    return render(request, "scenarios/pending.html", {**about, **result, "example": example})


def example_page() -> str:
    """Return the address of this page for an example with pending pods; "" if the library is not loaded."""
    scenario = scenarios.library().filter(slug=EXAMPLE).first()
    return reverse("pending", args=[scenario.public_id, scenarios.newest(scenario).number]) if scenario else ""
