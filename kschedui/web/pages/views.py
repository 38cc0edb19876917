"""The main pages. The docstring of each view lists the context of its template."""

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext_noop
from django.views.decorators.http import require_POST, require_safe

from kschedui.models import Version
from kschedui.runs import store as runs
from kschedui.scenarios import access, editor_templates, engine
from kschedui.scenarios import store as scenarios
from kschedui.scenarios.lessons import old_names
from kschedui.web.api import jobs
from kschedui.web.api.callers import leave_large
from kschedui.web.api.rates import count
from kschedui.web.api.refusals import Refusal
from kschedui.web.api.streams import in_pieces
from kschedui.web.api.visitors import keeping_visitor, save_once, start_run, visible_scenario
from kschedui.web.api.work import work
from kschedui.web.pages import cards, plugin_source
from kschedui.web.pages.home_library import render_library
from kschedui.web.pages.page_view import page_view
from kschedui.web.pages.requested import find_or_start_run, local_address, requested_release
from scheduler_core.releases import DEFAULT_RELEASE, RELEASES

RECENT = 12
TEXT_HERE = "<!-- text -->"  # in editor.html; nothing before it there is unescaped


@page_view
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show the home page with home.html: `library` (home_library), `recent` (cards.card), `recorded` (the newest
    release of which runs were recorded, "1.36").
    """
    recent = [cards.card(scenario) for scenario in scenarios.public()[:RECENT]]
    context = {"library": render_library(), "recent": recent, "recorded": DEFAULT_RELEASE.version}
    return render(request, "home.html", context)


@page_view
@require_safe
def lesson(request: HttpRequest, slug: str) -> HttpResponse:
    """Redirect /library/<slug>/ to the lesson's scenario, with the query of the URL."""
    query = request.GET.urlencode()
    url = reverse("scenario", args=[scenarios.by_slug(slug).public_id])
    return redirect(f"{url}?{query}" if query else url)


@page_view
@require_safe
def names(request: HttpRequest) -> HttpResponse:
    """Show /names/ with names.html: `old_names` (old_names.former_names)."""
    return render(request, "names.html", {"old_names": old_names.former_names()})


@page_view
@require_safe
def newest(request: HttpRequest, sid: str) -> HttpResponse:
    """Show /s/<sid>/: the newest version in the player."""
    visitor, scenario = visible_scenario(request, sid)
    return player(request, visitor, scenarios.newest(scenario), embed=False)


@page_view
@require_safe
def version(request: HttpRequest, sid: str, number: int) -> HttpResponse:
    """Show /s/<sid>/v/<n>/: that version, permanently."""
    visitor, scenario = visible_scenario(request, sid)
    return player(request, visitor, scenarios.version(scenario, number), embed=False)


@page_view
@require_safe
def embed_page(request: HttpRequest, sid: str, number: int) -> HttpResponse:
    """Show /embed/<sid>/v/<n>/: the player alone, which other sites can frame."""
    visitor, scenario = visible_scenario(request, sid)
    return player(request, visitor, scenarios.version(scenario, number), embed=True)


def player(request: HttpRequest, visitor: access.Visitor, shown: Version, *, embed: bool) -> HttpResponse:
    """Show the player with player.html or embed.html: the context of cards.page.

    The run is the oldest complete one, to which links refer; `?engine=` selects that of another engine, `?kubernetes=`
    that of another release. If there is none yet, see find_or_start_run.
    """
    run = find_or_start_run(request, shown)
    if run is None:
        return not_run(request, shown, embed=embed)
    context = cards.page(request, visitor, shown, run, embed=embed)
    return render(request, "embed.html" if embed else "player.html", context)


def not_run(request: HttpRequest, shown: Version, *, embed: bool) -> HttpResponse:
    """Show not_run.html: `title`, `version`, `release` ("1.26"), `embed`, `outside`. Its button starts the run and
    returns here.

    `outside`: in a frame of another site, where forms do not work, the URL of the page; otherwise "".
    """
    kubernetes = requested_release(request, shown)
    release = runs.release_of(shown, runs.own_release(shown) if kubernetes is None else kubernetes)
    elsewhere = embed and request.headers.get("Sec-Fetch-Site") == "cross-site"
    context = {"title": cards.own_title(shown.scenario), "version": shown, "release": release, "embed": embed}
    context["outside"] = f"{cards.path_of(shown)}?{request.GET.urlencode()}" if elsewhere else ""
    return render(request, "not_run.html", context)


@page_view
@require_POST
def run_again(request: HttpRequest, sid: str, number: int) -> HttpResponse:
    """Handle /s/<sid>/v/<n>/run/: run with this engine (again, if the run failed or was cancelled), and show that run.

    Redirects to the POSTed `next` instead, if there is one.
    """
    _, scenario = visible_scenario(request, sid)
    count(request, "run")
    shown = scenarios.version(scenario, number)
    run = start_run(request, shown, kubernetes=requested_release(request, shown))
    return redirect(local_address(request, request.POST.get("next", "")) or cards.address_of(shown, run))


@page_view
@require_safe
def new(request: HttpRequest) -> HttpResponseBase:
    """Show /new/ with editor.html: with a first example, or the text of `?from=<sid>`, which is saved as a fork."""
    origin = request.GET.get("from", "")
    if not origin:
        return editor(request, [editor_templates.STARTER], "")
    _, scenario = visible_scenario(request, origin)
    pieces = scenarios.pieces_of(scenarios.newest(scenario))
    return editor(request, pieces, scenario.title, origin=origin)


@page_view
@require_safe
def edit(request: HttpRequest, sid: str) -> HttpResponseBase:
    """Show /s/<sid>/edit/: the newest version in the editor, for people who can edit the scenario; everybody else
    starts a fork.
    """
    visitor, scenario = visible_scenario(request, sid)
    if not access.may_edit(visitor, scenario):
        return redirect(f"{reverse('new')}?from={sid}")
    last = scenarios.newest(scenario)
    pieces = scenarios.pieces_for(visitor, last)
    return editor(request, pieces, scenario.title, scenario=sid, number=last.number)


def editor(
    request: HttpRequest,
    text: Iterable[str],
    title: str,
    *,
    scenario: str = "",
    number: int | str = "",
    origin: str = "",
    challenge: dict[str, Any] | None = None,
) -> HttpResponseBase:
    """Show the editor with editor.html; the text, which comes in pieces, replaces TEXT_HERE.

    The context: `title`, `most_import` (bytes of a dump), `scenario` (id or ""), `version` (number or ""), `fork` (id
    or ""), `templates` [(label, yaml)], `releases` (versions, newest first), `default_release` (of a text that names
    none), `challenge` (None, or the result of challenges.about).
    """
    about = {"scenario": scenario, "version": number, "fork": origin, "templates": editor_templates.TEMPLATES}
    releases = {"releases": list(RELEASES)[::-1], "default_release": DEFAULT_RELEASE.version}
    most = settings.LIMITS["import_bytes"]
    context = {"title": title, "most_import": most, **releases, **about}
    page = render_to_string("editor.html", {**context, "challenge": challenge}, request)
    pieces = iter(text)
    first = list(islice(pieces, 2))
    parts = put_text(page, chain(first, pieces))
    return HttpResponse(parts) if len(first) < 2 else StreamingHttpResponse(in_pieces(parts))


def put_text(page: str, pieces: Iterable[str]) -> Iterator[bytes]:
    """Yield a page with a text in place of TEXT_HERE.

    This is done in parts and without a template: other threads are blocked while megabytes are replaced, encoded or
    joined.
    """
    before, _, after = page.partition(TEXT_HERE)
    yield before.encode()
    for piece in pieces:
        yield piece.replace("&", "&amp;").replace("<", "&lt;").encode()
    yield after.encode()


@page_view
@require_POST
def fork(request: HttpRequest, sid: str) -> HttpResponse:
    """Handle /s/<sid>/fork/: fork the newest version (or the POSTed `version`), and open it in the editor."""
    _, scenario = visible_scenario(request, sid)
    count(request, "save")
    number = request.POST.get("version", "")
    origin = scenarios.version(scenario, int(number)) if number.isdecimal() and len(number) < 9 else None
    visitor = keeping_visitor(request)
    source = origin or scenarios.newest(scenario)
    needs_challenge = source.challenge and access.may_edit(visitor, scenario)
    if needs_challenge:
        leave_large(request, source.bytes)
    text = scenarios.text_for(visitor, source) if needs_challenge else scenarios.text_for_work(source)
    digest = work(request, jobs.digest_of_copy, text)
    copy = save_once(request, lambda visitor: scenarios.fork(visitor, source, digest))
    return redirect("scenario-edit", copy.scenario.public_id)


def show_rule(request: HttpRequest, name: str) -> HttpResponse:
    """Show a rule of a version with rule.html: `rule` (Rule), `expressions` [(field, lines)], `link` (to the
    version). Raises Refusal if the version has no such rule.
    """
    _, scenario = visible_scenario(request, request.GET["scenario"])
    number = request.GET.get("version", "")
    shown = scenarios.version(scenario, int(number)) if number.isdecimal() and len(number) < 9 else None
    rule = next((rule for rule in engine.rules_of(shown.summary) if rule.name == name), None) if shown else None
    if shown is None or rule is None:
        raise Refusal(404, gettext_noop("This scenario has no such plugin."))
    texts: list[tuple[str, str]] = [*rule.expressions.items(), *([("message", rule.message)] if rule.message else [])]
    link = reverse("version", args=[scenario.public_id, shown.number])
    expressions = [(field, text.strip().splitlines()) for field, text in texts]
    return render(request, "rule.html", {"rule": rule, "expressions": expressions, "link": link})


@page_view
@require_safe
def plugin(request: HttpRequest, name: str) -> HttpResponse:
    """Show /plugins/<name>/?kubernetes=<release> with plugin.html: `source` (plugin_source.PluginSource), `upstream`
    (an address).

    With ?scenario=<id>&version=<n>, show a rule of that version (show_rule). Without them, the name of a rule redirects
    to the newest version that has it, of the visitor's own scenarios, the library or the challenges.
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
