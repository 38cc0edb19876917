"""Experiments: the page that begins one, and the page that shows what comes of it."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from kschedui.experiments import store
from kschedui.experiments.plan import design_of
from kschedui.models import Experiment
from kschedui.scenarios import store as scenarios
from kschedui.web.api import jobs
from kschedui.web.api.answers import worked
from kschedui.web.api.rates import count
from kschedui.web.api.routes import experiments as api
from kschedui.web.pages import cards
from kschedui.web.pages.ask.compare import MEASURES, SHARES
from kschedui.web.pages.page_view import page_view
from kschedui.web.pages.views import seen
from scheduler_core.experiments.levels import MOST_CELLS
from scheduler_core.releases import RELEASES

LISTED = 20
NAMES = {
    **MEASURES,
    "preemptions": gettext_lazy("Preemptions"),
    "highest_victim": gettext_lazy("Highest priority evicted"),
    "mean_victim": gettext_lazy("Mean priority evicted"),
    "time": gettext_lazy("Virtual time at the end, seconds"),
}
STATES = {
    "running": gettext_lazy("under way"),
    "done": gettext_lazy("done"),
    "failed": gettext_lazy("ended"),
    "cancelled": gettext_lazy("cancelled"),
}


@page_view
@require_safe
def planned(request: HttpRequest, sid: str, number: int) -> HttpResponse:
    """scenarios/experiments.html: `scenario` (id, title), `version`, `boot` (what the form offers), `earlier`
    [{url, made, size, state, names}]."""
    visitor, scenario = seen(request, sid)
    count(request, "read")
    version = scenarios.version(scenario, number)
    offered = worked(request, jobs.offered, version.text, size=len(version.text))
    boot = {
        "scenario": sid,
        "version": number,
        "most": MOST_CELLS,
        "releases": list(RELEASES),
        "api": reverse("v1:api-root"),
        **offered,
    }
    earlier = [row(one) for one in store.of_version(visitor, scenario)[:LISTED]]
    about = {"scenario": {"id": sid, "title": cards.own_title(scenario)}, "version": number}
    return render(request, "scenarios/experiments.html", {**about, "boot": boot, "earlier": earlier})


def row(experiment: Experiment) -> dict[str, Any]:
    """An experiment in a list."""
    names = [factor.name for factor in design_of(experiment).factors]
    return {
        "url": reverse("experiment", args=[experiment.public_id]),
        "made": experiment.created,
        "size": experiment.size,
        "state": STATES[experiment.state],
        "names": ", ".join(names),
    }


@page_view
@require_safe
def shown(request: HttpRequest, eid: str) -> HttpResponse:
    """scenarios/experiment.html: `experiment`, `size` with commas, `scenario` (id, title), `version`, `boot` (the API's
    answer, and names of measures and states)."""
    visitor, experiment = api.seen(request, eid)
    count(request, "read")
    found = api.described(visitor, experiment)
    version = experiment.version
    boot = {
        **found.model_dump(mode="json"),
        "api": reverse("v1:api-root"),
        "names": {name: str(NAMES[name]) for name in found.measures},
        "shares": list(SHARES),
        "states": {name: str(label) for name, label in STATES.items()},
        "asItIs": _("as it is"),
    }
    scenario = version.scenario
    about = {"scenario": {"id": scenario.public_id, "title": cards.own_title(scenario)}, "version": version.number}
    shown = {"experiment": experiment, "size": f"{experiment.size:,}", "boot": boot}
    return render(request, "scenarios/experiment.html", {**about, **shown})
