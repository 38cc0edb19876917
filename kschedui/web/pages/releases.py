"""The differences between releases, and a scenario on all releases."""

from functools import lru_cache
from itertools import chain, pairwise

import msgspec
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_POST, require_safe

from kschedui.language import in_language, language
from kschedui.scenarios import across_releases, release_examples
from kschedui.scenarios import store as scenarios
from kschedui.scenarios.across_releases import MAX_ATTEMPTS, Outcome
from kschedui.scenarios.release_examples import Pair
from kschedui.web.api.rates import count
from kschedui.web.api.refusals import Refusal
from kschedui.web.api.visitors import start_run, visible_scenario
from kschedui.web.api.work import work
from kschedui.web.pages import cards
from kschedui.web.pages.page_view import page_view
from kschedui.web.pages.release_choice import badge
from kschedui.web.pages.requested import require_release
from scheduler_core.releases import RELEASES, Release
from scheduler_core.releases.differences import ReleaseDifference, differences

NO_ATTEMPT = "–"  # where the newer release makes one more
AROUND = 20  # attempts of a strip on either side of the first that differs


class Row(msgspec.Struct, frozen=True):
    """A difference in the visitor's language. `pair`: the releases on which the scenario `name` shows it."""

    name: str
    where: str
    before: str
    after: str
    source: str
    pair: Pair | None


@page_view
@require_safe
def changes(request: HttpRequest) -> HttpResponse:
    """Show /releases/?from=1.34&to=1.36 with releases.html: `badges` [(release, badge)] newest first,
    `older`, `newer` (versions, "" for all), `differences` (releases_differences.html).
    """
    count(request, "read")
    older, newer = (find_release(request.GET.get(name, "")) for name in ("from", "to"))
    chosen = {"older": older.version if older else "", "newer": newer.version if newer else ""}
    badges = [(release, badge(release)) for release in reversed(RELEASES.values())]
    rendered = render_differences(language(), *chosen.values())
    return render(request, "releases.html", {"badges": badges, "differences": rendered, **chosen})


@lru_cache(maxsize=32)
def render_differences(language_code: str, older: str, newer: str) -> SafeString:
    """Return releases_differences.html in this language, for two releases, or for all pairs of consecutive ones.

    `pairs` [(before, after, rows, rest)]; `rest` are differences without a scenario, which affect no decision here.
    """
    chosen = [(RELEASES[older], RELEASES[newer])] if older and newer else list(pairwise(RELEASES.values()))[::-1]
    pairs = [(before, after, *split_rules(rows(before, after))) for before, after in chosen]
    return render_to_string("releases_differences.html", {"pairs": pairs})


def find_release(version: str) -> Release | None:
    """Return the release; None for all of them. Raises Refusal for an unknown one."""
    return RELEASES[require_release(version)] if version else None


def split_rules(changed: list[Row]) -> tuple[list[Row], list[Row]]:
    """Split the rows into those that a scenario shows, and the rest."""
    return [change for change in changed if change.pair], [change for change in changed if not change.pair]


def rows(before: Release, after: Release) -> list[Row]:
    return [row(difference, before, after) for difference in differences(before, after)]


def row(difference: ReleaseDifference, before: Release, after: Release) -> Row:
    pair = release_examples.pair_of(difference, before, after)
    cells = (difference.where, in_language(difference.before), in_language(difference.after), difference.source)
    return Row(release_examples.name_of(difference), *cells, pair)


@page_view
@require_POST
def example(request: HttpRequest) -> HttpResponse:
    """Handle /releases/example: compare the runs of the POSTed `example` on its older release and the next one.

    `example` is the name of a scenario ("nodes_excluded_by_pre_filter-1.30"). If one of the two releases crashes on it,
    the page with all releases is shown.
    """
    name, _, older = request.POST.get("example", "").rpartition("-")
    order = list(RELEASES)
    newer = order[order.index(older) + 1] if older in order[:-1] else ""
    if not newer or name not in release_examples.names_between(older, newer):
        raise Refusal(404, gettext_noop("This difference does not exist between these releases."))
    if not release_examples.has_example(name, older):
        raise Refusal(404, gettext_noop("This difference has no scenario."))
    count(request, "run")
    sides = [scenarios.example(release_examples.text_of(name, older, version)) for version in (older, newer)]
    if name in release_examples.PANICS:
        return redirect("version-releases", sides[0].scenario.public_id, sides[0].number)
    for side in sides:
        start_run(request, side)
    return redirect("compare", *chain.from_iterable((side.scenario.public_id, side.number) for side in sides))


@page_view
@require_safe
def across(request: HttpRequest, sid: str, number: int) -> HttpResponse:
    """Show /s/<sid>/v/<n>/releases/ with scenarios/releases.html: `scenario`, `title`, `version`, `most` (attempts that
    are compared), `cut` (whether a run has more), `outcomes` [(across_releases.Outcome, Strip)] newest first.
    """
    _, scenario = visible_scenario(request, sid)
    count(request, "run")
    version = scenarios.version(scenario, number)
    outcomes = work(request, across_releases.outcomes, scenarios.text_for_work(version))
    shown = [(outcome, strip(outcome)) for outcome in outcomes]
    context = {"scenario": scenario, "version": version, "most": MAX_ATTEMPTS, "outcomes": shown}
    context["title"] = cards.own_title(scenario)
    context["cut"] = any(outcome.cut for outcome in outcomes)
    return render(request, "scenarios/releases.html", context)


class Strip(msgspec.Struct, frozen=True):
    """The attempts around the first difference, as letters: before it, the different one ("" if there is none), after
    it.

    `more_before` and `more_after` are the numbers of further attempts on either side.
    """

    more_before: int
    before: str
    differing: str
    after: str
    more_after: int


def strip(outcome: Outcome) -> Strip:
    """Return the attempts around the first difference; without one, the first attempts."""
    letters, place = outcome.letters, outcome.differs - 1
    if place < 0:
        return Strip(0, "", "", letters[: 2 * AROUND], max(0, len(letters) - 2 * AROUND))
    start, end = max(0, place - AROUND), place + 1 + AROUND
    differing = letters[place : place + 1] or NO_ATTEMPT
    return Strip(start, letters[start:place], differing, letters[place + 1 : end], max(0, len(letters) - end))
