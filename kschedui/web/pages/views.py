"""The pages. What each template gets stands in its view's docstring."""

from collections import Counter

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_POST, require_safe

from kschedui.models import Run, Scenario, Version
from kschedui.runs import store as runs
from kschedui.scenarios import access, editor_templates
from kschedui.scenarios import store as scenarios
from kschedui.scenarios.lessons import LEVELS, TOPICS, old_names, track
from kschedui.web.api import jobs
from kschedui.web.api.answers import Refusal, asker_of, keeping_visitor, worked
from kschedui.web.api.rates import count
from kschedui.web.pages import cards, plugin_source
from kschedui.web.pages.page_view import page_view
from scheduler_core import ENGINE_VERSION
from scheduler_core.apis.messages import Message
from scheduler_core.releases import DEFAULT_RELEASE, RELEASES

RECENT = 12


@page_view
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """home.html: `lessons` (cards.lesson_card), `chapters` [{key, title, lessons: [{id, title, url}]}], `old_names`
    (old_names.told), `topics` [(key, label, count)], `levels` [(key, label)], `recent` (cards.card)."""
    lessons = [cards.lesson_card(found) for found in track.in_order(scenarios.library())]
    counts = Counter(topic for made in lessons for topic, _ in made["topics"])
    topics = [(key, label, counts[key]) for key, label in TOPICS.items() if counts[key]]
    recent = [cards.card(found) for found in scenarios.public()[:RECENT]]
    context = {"lessons": lessons, "topics": topics, "levels": list(LEVELS.items()), "recent": recent}
    context |= {"chapters": cards.chapters(lessons), "old_names": old_names.told()}
    return render(request, "home.html", context)


@page_view
@require_safe
def lesson(request: HttpRequest, slug: str) -> HttpResponse:
    """/library/<slug>/: to the lesson's scenario, with whatever the address asks for."""
    query = request.GET.urlencode()
    url = reverse("scenario", args=[scenarios.by_slug(slug).public_id])
    return redirect(f"{url}?{query}" if query else url)


@page_view
@require_safe
def names(request: HttpRequest) -> HttpResponse:
    """/names/: names.html, `old_names` (old_names.told)."""
    return render(request, "names.html", {"old_names": old_names.told()})


@page_view
@require_safe
def newest(request: HttpRequest, sid: str) -> HttpResponse:
    """/s/<sid>/: the newest version in the player."""
    visitor, scenario = seen(request, sid)
    return player(request, visitor, scenarios.newest(scenario), embed=False)


@page_view
@require_safe
def version(request: HttpRequest, sid: str, number: int) -> HttpResponse:
    """/s/<sid>/v/<n>/: that version, for ever."""
    visitor, scenario = seen(request, sid)
    return player(request, visitor, scenarios.version(scenario, number), embed=False)


@page_view
@require_safe
def embedded(request: HttpRequest, sid: str, number: int) -> HttpResponse:
    """/embed/<sid>/v/<n>/: the player alone, which other sites may frame."""
    visitor, scenario = seen(request, sid)
    return player(request, visitor, scenarios.version(scenario, number), embed=True)


def player(request: HttpRequest, visitor: access.Visitor, shown: Version, *, embed: bool) -> HttpResponse:
    """player.html, embed.html: `boot` (cards.boot), and cards.page: `scenario`, `version`, `run`, `may_edit`,
    `description_html`, `engine_is_old`, `current_engine`, `versions` (cards.version_links), `fork_of` (a
    version or None), `unfurl`.

    The run is the oldest complete one, which links were made from; `?engine=` names another engine's, `?kubernetes=`
    another release's. None yet: it is started.
    """
    context = cards.page(request, visitor, shown, shown_run(request, shown), embed=embed)
    return render(request, "embed.html" if embed else "player.html", context)


def shown_run(request: HttpRequest, shown: Version) -> Run:
    """The one that the address asks for; started, if there is none."""
    asked, kubernetes = request.GET.get("engine"), asked_release(request, shown)
    run = runs.find_run(shown, asked, kubernetes)
    if run is None and asked not in (None, ENGINE_VERSION):
        raise Refusal(404, gettext_noop("There is no run of this version by that engine."))
    if run is None or (run.state == Run.State.CANCELLED and not run.chunks):
        count(request, "run")
        run = runs.start_run(shown, asker_of(request), retry=True, kubernetes=kubernetes)
    return run


@page_view
@require_POST
def run_again(request: HttpRequest, sid: str, number: int) -> HttpResponse:
    """/s/<sid>/v/<n>/run/: run with this engine (again, if that failed or was cancelled), and show that run."""
    _, scenario = seen(request, sid)
    count(request, "run")
    shown = scenarios.version(scenario, number)
    run = runs.start_run(shown, asker_of(request), retry=True, kubernetes=asked_release(request, shown))
    return redirect(cards.address_of(shown, run))


def asked_release(request: HttpRequest, shown: Version, field: str = "kubernetes") -> str | None:
    """The release that `?kubernetes=` names for the run; None: the version's own."""
    kubernetes = request.GET.get(field)
    if kubernetes is None:
        return None
    known_release(kubernetes)
    own = runs.own_release(shown)
    return own if kubernetes == runs.release_of(shown, own) else kubernetes


def known_release(version: str) -> str:
    """The same, if it is one that can be chosen; raises Refusal."""
    if version not in RELEASES:
        known = ", ".join(RELEASES)
        raise Refusal(
            404,
            Message("There is no Kubernetes release {name} here; known are {known}.", name=version[:20], known=known),
        )
    return version


@page_view
@require_safe
def new(request: HttpRequest) -> HttpResponse:
    """/new/: editor.html, empty or with the text of `?from=<sid>`, of which saving then makes a fork."""
    origin = request.GET.get("from", "")
    text, title = editor_templates.STARTER, ""
    if origin:
        _, scenario = seen(request, origin)
        text, title = scenarios.newest(scenario).text, scenario.title
    return editor(request, text, title, fork=origin)


@page_view
@require_safe
def edit(request: HttpRequest, sid: str) -> HttpResponse:
    """/s/<sid>/edit/: its author goes on with the newest version; everybody else begins a fork."""
    visitor, scenario = seen(request, sid)
    if not access.may_edit(visitor, scenario):
        return redirect(f"{reverse('new')}?from={sid}")
    last = scenarios.newest(scenario)
    return editor(request, last.text, scenario.title, scenario=sid, number=last.number)


def editor(
    request: HttpRequest, text: str, title: str, *, scenario: str = "", number: int | str = "", fork: str = ""
) -> HttpResponse:
    """editor.html: `text`, `title`, `most_import` (bytes of a dump), `scenario` (id or ""), `version` (number or ""),
    `fork` (id or ""), `templates` [(label, yaml)], `releases` (versions, newest first)."""
    about = {"scenario": scenario, "version": number, "fork": fork, "templates": editor_templates.TEMPLATES}
    releases = list(RELEASES)[::-1]
    most = settings.LIMITS["import_bytes"]
    context = {"text": text, "title": title, "most_import": most, "releases": releases, **about}
    return render(request, "editor.html", context)


@page_view
@require_POST
def fork(request: HttpRequest, sid: str) -> HttpResponse:
    """/s/<sid>/fork/: the newest version (or the POSTed `version`) as a scenario of one's own, in the editor."""
    _, scenario = seen(request, sid)
    count(request, "save")
    number = request.POST.get("version", "")
    origin = scenarios.version(scenario, int(number)) if number.isdecimal() and len(number) < 9 else None
    visitor, source = keeping_visitor(request), origin or scenarios.newest(scenario)
    made = scenarios.fork(visitor, source, worked(request, jobs.digest, source.text, size=len(source.text)))
    return redirect("scenario-edit", made.scenario.public_id)


@page_view
@require_safe
def plugin(request: HttpRequest, name: str) -> HttpResponse:
    """/plugins/<name>/?kubernetes=<release>: plugin.html, `source` (plugin_source.Source), `upstream` (an address)."""
    count(request, "read")
    source = plugin_source.source_of(name)
    if source is None:
        raise Refusal(404, gettext_noop("There is no such plugin, or its source is not here."))
    release = RELEASES.get(request.GET.get("kubernetes", ""), DEFAULT_RELEASE)
    return render(request, "plugin.html", {"source": source, "upstream": plugin_source.upstream_of(name, release)})


def seen(request: HttpRequest, sid: str) -> tuple[access.Visitor, Scenario]:
    """The visitor and the scenario, if they may see it; raises Scenario.DoesNotExist and NotAllowed."""
    visitor = access.visitor_of(request)
    scenario = scenarios.by_id(sid)
    access.require_sight(visitor, scenario)
    return visitor, scenario
