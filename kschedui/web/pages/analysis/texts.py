"""The line-by-line comparison of two texts: versions of a scenario, or a fork and its original."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_safe

from kschedui.scenarios import store as scenarios
from kschedui.web.api import jobs
from kschedui.web.api.rates import count
from kschedui.web.api.refusals import Refusal
from kschedui.web.api.visitors import visible_scenario
from kschedui.web.api.work import work
from kschedui.web.pages import cards
from kschedui.web.pages.page_view import page_view


@page_view
@require_safe
def compare_scenarios(request: HttpRequest, a: str, m: int, b: str, n: int) -> HttpResponse:
    """Compare versions of any two scenarios."""
    return texts(request, (a, m), (b, n))


@page_view
@require_safe
def compare_versions(request: HttpRequest, sid: str, a: int, b: int) -> HttpResponse:
    """Compare two versions of one scenario."""
    return texts(request, (sid, a), (sid, b))


def texts(request: HttpRequest, *named: tuple[str, int]) -> HttpResponse:
    """Show the comparison with scenarios/diff.html: `before` and `after` (versions), `rows`, `titles` (of both
    scenarios). Raises Refusal if the texts are too long to compare.
    """
    before, after = (scenarios.version(visible_scenario(request, sid)[1], number) for sid, number in named)
    count(request, "read")
    rows = work(request, jobs.compare, *map(scenarios.text_for_work, (before, after)))
    if rows is None:
        raise Refusal(422, gettext_noop("These versions are too long to compare here. Download both."))
    titles = [cards.own_title(version.scenario) for version in (before, after)]
    context = {"before": before, "after": after, "rows": rows, "titles": titles}
    return render(request, "scenarios/diff.html", context)
