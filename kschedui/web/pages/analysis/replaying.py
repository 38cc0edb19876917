"""/s/<id>/v/<n>/replay/: every decision of a recorded cluster's scheduler next to the simulated one."""

from collections import Counter
from typing import Any

import msgspec
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_safe

from kschedui.models import Version
from kschedui.runs import store as runs
from kschedui.scenarios import store as scenarios
from kschedui.web.api import jobs
from kschedui.web.api.rates import count
from kschedui.web.api.refusals import Refusal
from kschedui.web.api.visitors import visible_scenario
from kschedui.web.api.work import work
from kschedui.web.pages import cards
from kschedui.web.pages.page_view import page_view
from kschedui.web.pages.requested import require_complete_run

VERDICTS = ("different", "unknowable", "tie", "equal")  # those to look at first
MOST = 500  # rows of one page


@page_view
@require_safe
def replay(request: HttpRequest, sid: str, number: int) -> HttpResponse:
    """Show a replay with scenarios/replay.html: `scenario` (id, title), `version`, `all` (decisions), `verdicts`
    [{name, count}], `only` (the verdict that is shown, "" for all), `rows` [as_row], `more` (number of those left out),
    `weight` (the weight that would explain more, or None), `scored`, `explained`, `agreeing` (equal or equally good),
    `comparable`, `unknown` [(reason, number)], `release`.
    """
    _, scenario = visible_scenario(request, sid)
    count(request, "read")
    version = scenarios.version(scenario, number)
    run = require_complete_run(request, version)
    result = msgspec.json.decode(work(request, jobs.replay_result, run.public_id))
    if not result["decisions"]:
        raise Refusal(404, gettext_noop("This scenario is not a recording: spec.observed is empty."))
    counts = Counter(decision["verdict"] for decision in result["decisions"])
    unknown = Counter(decision["reason"] for decision in result["decisions"] if decision["verdict"] == "unknowable")
    only = request.GET.get("verdict", "")
    chosen = [decision for decision in result["decisions"] if only not in VERDICTS or decision["verdict"] == only]
    chosen.sort(key=lambda decision: VERDICTS.index(decision["verdict"]))
    context = {
        "scenario": {"id": sid, "title": cards.own_title(scenario)},
        "version": number,
        "release": runs.release_of(version, run.kubernetes_version),
        "all": len(result["decisions"]),
        "verdicts": [{"name": name, "count": counts[name]} for name in VERDICTS],
        "only": only if only in VERDICTS else "",
        "rows": [as_row(decision, version) for decision in chosen[:MOST]],
        "more": len(chosen[MOST:]),
        "weight": result["weight"],
        "scored": result["scored"],
        "explained": result["explained"],
        "agreeing": counts["equal"] + counts["tie"],
        "comparable": len(result["decisions"]) - counts["unknowable"],
        "unknown": unknown.most_common(),
    }
    return render(request, "scenarios/replay.html", context)


def as_row(decision: dict[str, Any], version: Version) -> dict[str, Any]:
    """Return a row of jobs.replay_result with `url`, the step in the player."""
    page = reverse("version", args=[version.scenario.public_id, version.number])
    return {**decision, "url": f"{page}#{decision['step']}"}
