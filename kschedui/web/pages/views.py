"""The pages. What each template gets stands in its view's docstring."""

from collections import Counter
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_POST, require_safe

from kschedui.models import Version
from kschedui.runs import store as runs
from kschedui.scenarios import access, editor_templates, engine
from kschedui.scenarios import store as scenarios
from kschedui.scenarios.lessons import LEVELS, TOPICS, old_names, track
from kschedui.web.api import jobs
from kschedui.web.api.rates import count
from kschedui.web.api.refusals import Refusal
from kschedui.web.api.visitors import keeping, keeping_visitor, start_run, visible_scenario
from kschedui.web.api.work import work
from kschedui.web.pages import cards, plugin_source
from kschedui.web.pages.page_view import page_view
from kschedui.web.pages.requested import local_address, requested_release, requested_run
from scheduler_core.releases import DEFAULT_RELEASE, RELEASES

RECENT = 12
PART = 1 << 20  # characters


@page_view
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """home.html: `lessons` (cards.lesson_card), `chapters` [{key, title, lessons: [{id, title, url}]}], `old_names`
    (old_names.former_names), `topics` [(key, label, count)], `levels` [(key, label)], `recent` (cards.card)."""
    lessons = [cards.lesson_card(found) for found in track.in_order(scenarios.library())]
    counts = Counter(topic for made in lessons for topic, _ in made["topics"])
    topics = [(key, label, counts[key]) for key, label in TOPICS.items() if counts[key]]
    recent = [cards.card(found) for found in scenarios.public()[:RECENT]]
    context = {"lessons": lessons, "topics": topics, "levels": list(LEVELS.items()), "recent": recent}
    context |= {"chapters": cards.chapters(lessons), "old_names": old_names.former_names()}
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
    """/names/: names.html, `old_names` (old_names.former_names)."""
    return render(request, "names.html", {"old_names": old_names.former_names()})


@page_view
@require_safe
def newest(request: HttpRequest, sid: str) -> HttpResponse:
    """/s/<sid>/: the newest version in the player."""
    visitor, scenario = visible_scenario(request, sid)
    return player(request, visitor, scenarios.newest(scenario), embed=False)


@page_view
@require_safe
def version(request: HttpRequest, sid: str, number: int) -> HttpResponse:
    """/s/<sid>/v/<n>/: that version, for ever."""
    visitor, scenario = visible_scenario(request, sid)
    return player(request, visitor, scenarios.version(scenario, number), embed=False)


@page_view
@require_safe
def embed_page(request: HttpRequest, sid: str, number: int) -> HttpResponse:
    """/embed/<sid>/v/<n>/: the player alone, which other sites may frame."""
    visitor, scenario = visible_scenario(request, sid)
    return player(request, visitor, scenarios.version(scenario, number), embed=True)


def player(request: HttpRequest, visitor: access.Visitor, shown: Version, *, embed: bool) -> HttpResponse:
    """player.html, embed.html: `boot` (cards.boot), and cards.page: `scenario`, `version`, `run`, `may_edit`,
    `description_html`, `engine_is_old`, `current_engine`, `versions` (cards.version_links), `fork_of` (a
    version or None), `unfurl`.

    The run is the oldest complete one, which links were made from; `?engine=` names another engine's, `?kubernetes=`
    another release's. There is none yet: see requested_run.
    """
    run = requested_run(request, shown)
    if run is None:
        return not_run(request, shown, embed=embed)
    context = cards.page(request, visitor, shown, run, embed=embed)
    return render(request, "embed.html" if embed else "player.html", context)


def not_run(request: HttpRequest, shown: Version, *, embed: bool) -> HttpResponse:
    """not_run.html: `title`, `version`, `release` ("1.26"), `embed`, `outside` (the address of the page, in a frame of
    another site, where forms do not work; else ""). Its button starts the run and leads back here."""
    kubernetes = requested_release(request, shown)
    release = runs.release_of(shown, runs.own_release(shown) if kubernetes is None else kubernetes)
    elsewhere = embed and request.headers.get("Sec-Fetch-Site") == "cross-site"
    context = {"title": cards.own_title(shown.scenario), "version": shown, "release": release, "embed": embed}
    context["outside"] = f"{cards.path_of(shown)}?{request.GET.urlencode()}" if elsewhere else ""
    return render(request, "not_run.html", context)


@page_view
@require_POST
def run_again(request: HttpRequest, sid: str, number: int) -> HttpResponse:
    """/s/<sid>/v/<n>/run/: run with this engine (again, if that failed or was cancelled), and show that run, or go to
    the POSTed `next`."""
    _, scenario = visible_scenario(request, sid)
    count(request, "run")
    shown = scenarios.version(scenario, number)
    run = start_run(request, shown, kubernetes=requested_release(request, shown))
    return redirect(local_address(request, request.POST.get("next", "")) or cards.address_of(shown, run))


@page_view
@require_safe
def new(request: HttpRequest) -> HttpResponse:
    """/new/: editor.html, empty or with the text of `?from=<sid>`, of which saving then makes a fork."""
    origin = request.GET.get("from", "")
    text, title = editor_templates.STARTER, ""
    if origin:
        _, scenario = visible_scenario(request, origin)
        text, title = scenarios.newest(scenario).text, scenario.title
    return editor(request, text, title, fork=origin)


@page_view
@require_safe
def edit(request: HttpRequest, sid: str) -> HttpResponse:
    """/s/<sid>/edit/: its author goes on with the newest version; everybody else begins a fork."""
    visitor, scenario = visible_scenario(request, sid)
    if not access.may_edit(visitor, scenario):
        return redirect(f"{reverse('new')}?from={sid}")
    last = scenarios.newest(scenario)
    text = scenarios.text_for(visitor, last)
    return editor(request, text, scenario.title, scenario=sid, number=last.number)


def editor(
    request: HttpRequest,
    text: str,
    title: str,
    *,
    scenario: str = "",
    number: int | str = "",
    fork: str = "",
    challenge: dict[str, Any] | None = None,
) -> HttpResponse:
    """editor.html: `text`, `title`, `most_import` (bytes of a dump), `scenario` (id or ""), `version` (number or ""),
    `fork` (id or ""), `templates` [(label, yaml)], `releases` (versions, newest first), `challenge` (None, or what
    challenges.about says)."""
    about = {"scenario": scenario, "version": number, "fork": fork, "templates": editor_templates.TEMPLATES}
    releases = list(RELEASES)[::-1]
    most = settings.LIMITS["import_bytes"]
    context = {"text": escaped(text), "title": title, "most_import": most, "releases": releases, **about}
    return render(request, "editor.html", {**context, "challenge": challenge})


def escaped(text: str) -> SafeString:
    """Return a text as it stands in HTML. Part by part: other threads stand still while one is replaced."""
    return mark_safe("".join(escape(text[start : start + PART]) for start in range(0, len(text), PART)))  # noqa: S308


@page_view
@require_POST
def fork(request: HttpRequest, sid: str) -> HttpResponse:
    """/s/<sid>/fork/: the newest version (or the POSTed `version`) as a scenario of one's own, in the editor."""
    _, scenario = visible_scenario(request, sid)
    count(request, "save")
    number = request.POST.get("version", "")
    origin = scenarios.version(scenario, int(number)) if number.isdecimal() and len(number) < 9 else None
    asker = keeping_visitor(request)
    source = origin or scenarios.newest(scenario)
    whole = source.challenge and access.may_edit(asker, scenario)
    text = scenarios.text_for(asker, source) if whole else scenarios.text_for_work(source)
    digest = work(request, jobs.digest, text)
    with keeping(request) as visitor:
        made = scenarios.fork(visitor, source, digest)
    return redirect("scenario-edit", made.scenario.public_id)


def show_rule(request: HttpRequest, name: str) -> HttpResponse:
    _, scenario = visible_scenario(request, request.GET["scenario"])
    number = request.GET.get("version", "")
    version = scenarios.version(scenario, int(number)) if number.isdecimal() and len(number) < 9 else None
    rule = next((one for one in engine.rules_of(version.summary) if one.name == name), None) if version else None
    if version is None or rule is None:
        raise Refusal(404, gettext_noop("This scenario has no such plugin."))
    texts: list[tuple[str, str]] = [*rule.expressions.items(), *([("message", rule.message)] if rule.message else [])]
    link = reverse("version", args=[scenario.public_id, version.number])
    expressions = [(field, text.strip().splitlines()) for field, text in texts]
    return render(request, "rule.html", {"rule": rule, "expressions": expressions, "link": link})


@page_view
@require_safe
def plugin(request: HttpRequest, name: str) -> HttpResponse:
    """/plugins/<name>/?kubernetes=<release>: plugin.html, `source` (plugin_source.Source), `upstream` (an address).

    With ?scenario=<id>&version=<n> a rule of that version: rule.html, `rule` (Rule), `expressions` [(field, lines)],
    `link` to the version. Without them, the name of a rule leads to the newest version with it of yours or the library.
    """
    count(request, "read")
    if "scenario" in request.GET:
        return show_rule(request, name)
    source = plugin_source.source_of(name)
    if source is None and (address := cards.address_of_rule(access.visitor_of(request), name)):
        return redirect(address)
    if source is None:
        raise Refusal(404, gettext_noop("This plugin does not exist, or its source is not available."))
    release = RELEASES.get(request.GET.get("kubernetes", ""), DEFAULT_RELEASE)
    return render(request, "plugin.html", {"source": source, "upstream": plugin_source.upstream_of(name, release)})
