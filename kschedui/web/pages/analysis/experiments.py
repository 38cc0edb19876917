"""Experiments: the page that starts one, and the page with its results."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from kschedui.experiments import store
from kschedui.experiments.plan import design_of
from kschedui.models import Experiment
from kschedui.runs import store as runs
from kschedui.scenarios import store as scenarios
from kschedui.web.api import jobs
from kschedui.web.api.rates import count
from kschedui.web.api.routes import experiments as api
from kschedui.web.api.visitors import visible_scenario
from kschedui.web.api.work import work
from kschedui.web.pages import cards
from kschedui.web.pages.analysis.compare import MEASURES, SHARES
from kschedui.web.pages.page_view import page_view
from scheduler_core.experiments.levels import MAX_CELLS
from scheduler_core.releases import RELEASES

LISTED = 20
WEIGHT = "weight of "
EXAMPLE = "bin-packing"  # the lesson whose plan the navigation opens
NAMES = {
    **MEASURES,
    "preemptions": gettext_lazy("Preemptions"),
    "highest_victim": gettext_lazy("Highest priority evicted"),
    "mean_victim": gettext_lazy("Mean priority evicted"),
    "time": gettext_lazy("Virtual time at the end, seconds"),
    "nodes": gettext_lazy("Nodes at the end"),
    "price": gettext_lazy("Price of the nodes for an hour"),
    "cost": gettext_lazy("Cost of the run"),
}
FACTORS = {
    "seed": gettext_lazy("seed"),
    "strategy": gettext_lazy("scoring strategy"),
    "plugin off": gettext_lazy("plugin off"),
    "nodes added": gettext_lazy("nodes added"),
    "variant": gettext_lazy("variant"),
}
STATES = {
    "running": gettext_lazy("in progress"),
    "done": gettext_lazy("done"),
    "failed": gettext_lazy("ended"),
    "cancelled": gettext_lazy("cancelled"),
}


@page_view
@require_safe
def example(request: HttpRequest) -> HttpResponse:
    """Redirect /experiments/ to the plan page of a lesson, as an example."""
    scenario = scenarios.by_slug(EXAMPLE)
    return redirect("experiments", scenario.public_id, scenarios.newest(scenario).number)


@page_view
@require_safe
def plan_page(request: HttpRequest, sid: str, number: int) -> HttpResponse:
    """Show the plan page with scenarios/experiments.html: `scenario` (id, title), `version`, `boot` (the choices of the
    form), `earlier` (rows of earlier experiments).
    """
    visitor, scenario = visible_scenario(request, sid)
    count(request, "read")
    version = scenarios.version(scenario, number)
    offered = work(request, jobs.list_choices, scenarios.text_for_work(version))
    boot = {
        "scenario": sid,
        "version": number,
        "most": MAX_CELLS,
        "releases": list(RELEASES),
        "release": runs.release_of(version, runs.own_release(version)),
        "api": reverse("v1:api-root"),
        **offered,
    }
    earlier = [row(experiment) for experiment in store.of_scenario(visitor, scenario)[:LISTED]]
    about = {"scenario": {"id": sid, "title": cards.own_title(scenario)}, "version": number}
    return render(request, "scenarios/experiments.html", {**about, "boot": boot, "earlier": earlier})


def row(experiment: Experiment) -> dict[str, Any]:
    """Return the row of an experiment in a list: {url, created, size, state, names (of factors)}."""
    names = [factor_name(factor.name) for factor in design_of(experiment).factors]
    return {
        "url": reverse("experiment", args=[experiment.public_id]),
        "created": experiment.created,
        "size": experiment.size,
        "state": STATES[experiment.state],
        "names": ", ".join(names),
    }


def factor_name(name: str) -> str:
    """Return a factor's name for the page. The API and the CSV file contain the original name."""
    if name.startswith(WEIGHT):
        return _("weight of %(plugin)s") % {"plugin": name.removeprefix(WEIGHT)}
    return str(FACTORS.get(name, name))


@page_view
@require_safe
def experiment_page(request: HttpRequest, eid: str) -> HttpResponse:
    """Show an experiment with scenarios/experiment.html: `experiment`, `size` with commas, `scenario` (id, title),
    `version`, `boot` (the API's description, and names of factors, measures and states).
    """
    visitor, experiment = api.visible_experiment(request, eid)
    count(request, "read")
    description = api.describe(visitor, experiment)
    version = experiment.version
    boot = {
        **description.model_dump(mode="json"),
        "levels": [{**level.model_dump(), "name": factor_name(level.name)} for level in description.levels],
        "api": reverse("v1:api-root"),
        "names": {name: str(NAMES[name]) for name in description.measures},
        "shares": list(SHARES),
        "states": {name: str(label) for name, label in STATES.items()},
        "asItIs": _("unchanged"),
    }
    scenario = version.scenario
    about = {"scenario": {"id": scenario.public_id, "title": cards.own_title(scenario)}, "version": version.number}
    shown = {"experiment": experiment, "size": f"{experiment.size:,}", "boot": boot}
    return render(request, "scenarios/experiment.html", {**about, **shown})
