"""Template contexts of scenarios: cards of the first page, rows of the user's list, the player's boot data."""

import re
from base64 import b64encode
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import gettext, ngettext

from kschedui.language import language
from kschedui.models import Course, Run, Scenario, Version
from kschedui.runs import cluster_drawing
from kschedui.runs import store as runs
from kschedui.scenarios import cka, courses, engine, lessons
from kschedui.scenarios import store as scenarios
from kschedui.scenarios.access import Visitor, may_edit, may_see, visitor_of
from kschedui.scenarios.lessons import LEVELS, TOPICS, track
from kschedui.scenarios.prose import plain_text
from kschedui.waiting.plugin_texts import of_other_plugins
from kschedui.web.pages import release_choice
from kschedui.web.pages.pictures import inline
from scheduler_core import ENGINE_VERSION
from scheduler_core.apis.rules import Rule
from scheduler_core.releases import DEFAULT_RELEASE
from scheduler_core.scenario.lesson import Lesson
from scheduler_core.trace.chunks import first_steps

SEARCHED = 4000  # characters of a lesson
QUESTIONS = ("changes", "pod", "scheduler")  # with which the panel "What if" opens by a link
MAX_INLINE = 24_000  # bytes of a first chunk that comes with the page
MAX_SEARCHED = 100  # versions in which a rule is looked for
SEARCHED_AT_ONCE = 10
MAX_VERSIONS = 30  # in the player's list
PLACE = {"step": r"\d{1,9}(\.\d{1,4})?", "engine": r"[\w.-]{1,20}", "kubernetes": r"\d\.\d{1,3}"}  # of a link's query


def card(scenario: Scenario) -> dict[str, Any]:
    """Return {url, title, nodes, pods, picture, strip, outcome} of a scenario with `summary` and `outcome`.

    See scenarios.with_newest. `strip` draws the attempts and `outcome` describes them; both are absent before the
    first run.
    """
    summary: dict[str, Any] = getattr(scenario, "summary", None) or {}
    counts = {"nodes": summary.get("nodes", 0), "pods": summary.get("pods", 0)}
    url = reverse("scenario", args=[scenario.public_id])
    outcome = outcome_of(scenario)
    drawn = {"picture": inline.inline(outcome.get("drawing") or cluster_drawing.before_running(summary))}
    result = {"strip": inline.strip(outcome["attempts"]), "outcome": words(outcome)} if outcome else {}
    return {"url": url, "title": scenario.title, **counts, **drawn, **result}


def outcome_of(scenario: Scenario) -> dict[str, Any]:
    """Return the outcome of the newest version's run (worker.Outcome); empty if it has not run."""
    current = getattr(scenario, "ran", None) == getattr(scenario, "number", None)
    return (getattr(scenario, "outcome", None) or {}) if current else {}


def words(outcome: dict[str, Any]) -> str:
    """Describe the outcome of a run in words, for the strip and the picture."""
    counts = [
        ngettext("%(n)d attempt", "%(n)d attempts", outcome["count"]) % {"n": outcome["count"]},
        ngettext("%(n)d pod bound", "%(n)d pods bound", outcome["bound"]) % {"n": outcome["bound"]},
        ngettext("%(n)d evicted", "%(n)d evicted", outcome["evicted"]) % {"n": outcome["evicted"]},
        ngettext("%(n)d pending", "%(n)d pending", outcome["pending"]) % {"n": outcome["pending"]},
    ]
    shown = [text for text, n in zip(counts, (1, 1, outcome["evicted"], outcome["pending"]), strict=True) if n]
    return ", ".join(shown)


def lesson_card(scenario: Scenario) -> dict[str, Any]:
    """Return `card` with {id, slug, url, description, look_at, topics: [(key, label)], level: (key, label), words}.

    `words` are searched by the page; they include the English ones.
    """
    lesson_row = card(scenario) | {"id": scenario.public_id}
    lesson = lessons.load(getattr(scenario, "lesson", None))
    texts = {field: lesson.text(field, language()) for field in ("title", "description", "look_at")}
    topics = [(topic, TOPICS[topic]) for topic in lesson.topics]
    level = (lesson.level, LEVELS.get(lesson.level, ""))
    url = reverse("library", args=[scenario.slug])
    links = {"slug": scenario.slug, "topics": topics, "level": level, "url": url}
    english = [lesson.text(field, "en") for field in texts]
    searched = " ".join([*texts.values(), *english, *lesson.topics, *(str(TOPICS[topic]) for topic in lesson.topics)])
    return {
        **lesson_row,
        **texts,
        "title": texts["title"] or lesson_row["title"],
        **links,
        "words": searched[:SEARCHED],
    }


def class_url(scenario: Scenario) -> str:
    """Return the address that starts a class on a lesson's newest version; "" before its first run."""
    number = getattr(scenario, "number", None)
    return reverse("class-start", args=[scenario.public_id, number]) if outcome_of(scenario) else ""


def frame_url(scenario: Scenario) -> str:
    """Return the address of a lesson's newest version as a frame that plays; "" before its first run."""
    number = getattr(scenario, "number", None)
    return f"{reverse('embed', args=[scenario.public_id, number])}?play=1" if outcome_of(scenario) else ""


def chapters(lesson_cards: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return [{key, title, lessons: [{id, title, url}]}] of the track, with the lessons that are loaded."""
    by_slug = {lesson["slug"]: {name: lesson[name] for name in ("id", "title", "url")} for lesson in lesson_cards}
    return [
        {
            "key": chapter.key,
            "title": chapter.title,
            "lessons": [by_slug[slug] for slug in chapter.lessons if slug in by_slug],
        }
        for chapter in track.CHAPTERS
        if any(slug in by_slug for slug in chapter.lessons)
    ]


def example() -> dict[str, str] | None:
    """Return {title, url, edit_url} of the first lesson, to show in an empty list; None if the library is not
    loaded.
    """
    scenario = scenarios.lessons_named(track.order()[:1]).first()
    if scenario is None:
        return None
    sid = scenario.public_id
    return {
        "title": own_title(scenario),
        "url": reverse("scenario", args=[sid]),
        "edit_url": f"{reverse('new')}?{urlencode({'from': sid})}",
    }


def example_course() -> dict[str, str] | None:
    """Return {title, url} of the form for a course with the lessons of the first chapter; None without the library."""
    chapter = track.CHAPTERS[0]
    loaded = track.in_order(scenarios.lessons_named(chapter.lessons))
    if not loaded:
        return None
    query = urlencode({"title": str(chapter.title), "scenario": [lesson.public_id for lesson in loaded]}, doseq=True)
    return {"title": str(chapter.title), "url": f"{reverse('course-new')}?{query}"}


def rules_of(version: Version) -> dict[str, Rule]:
    """Return the rules of a version by the addresses of their pages."""
    query = urlencode({"scenario": version.scenario.public_id, "version": version.number})
    return {f"{reverse('plugin', args=[rule.name])}?{query}": rule for rule in engine.rules_of(version.summary)}


def address_of_rule(visitor: Visitor, name: str) -> str:
    """Return the URL of the page of a rule from the visitor's own scenarios, the library, or the challenges.

    "" if the newest MAX_SEARCHED versions of each have no such rule.
    """
    for visible in (
        scenarios.of_visitor(visitor).filter(deleted_at=None),
        scenarios.library(),
        scenarios.challenges(),
    ):
        versions = Version.objects.filter(scenario__in=visible.values("pk"), summary__has_key="rules").order_by("-pk")
        rows = versions.values_list("scenario__public_id", "number", "summary")[:MAX_SEARCHED]
        for sid, number, summary in rows.iterator(chunk_size=SEARCHED_AT_ONCE):
            if any(rule.name == name for rule in engine.rules_of(summary)):
                query = urlencode({"scenario": sid, "version": number})
                return f"{reverse('plugin', args=[name])}?{query}"
    return ""


def place(request: HttpRequest, scenario: Scenario) -> dict[str, Any] | None:
    """Return the place of a scenario in the track, or in the course in `?course=`; None if it is in neither.

    {title, number, of, back, on, next, next_id, like, url}: `back` and `on` are URLs, "" at an end; `next` and
    `next_id` are the title and the public id of the scenario at `on`. `like`, only in the track: {title, url} of
    another lesson of the chapter, or None.
    """
    chapter_place = track.place_of(scenario.slug or "")
    if request.GET.get("course") == cka.SLUG:
        return place_in_cka(request, scenario)
    if request.GET.get("course"):
        return place_in_course(request, scenario, request.GET["course"])
    if chapter_place is None:
        return None

    predict = "?predict=1" if "predict" in request.GET else ""

    def link(slug: str) -> str:
        return f"{reverse('library', args=[slug])}{predict}" if slug else ""

    numbers = {"number": chapter_place["number"], "of": chapter_place["of"]}
    ends = {"back": link(chapter_place["back"]), "on": link(chapter_place["on"]), "url": reverse("home")}
    following = Scenario.objects.filter(slug=chapter_place["on"]).first() if chapter_place["on"] else None
    like = Scenario.objects.filter(slug=chapter_place["like"]).first() if chapter_place["like"] else None
    similar = {"like": {"title": own_title(like), "url": link(str(like.slug))} if like else None}
    return {"title": chapter_place["chapter"], **next_of(following), **numbers, **ends, **similar}


def next_of(following: Scenario | None) -> dict[str, str]:
    """Return {next, next_id} of the scenario that follows; both are "" at the end."""
    return {
        "next": own_title(following) if following else "",
        "next_id": following.public_id if following else "",
    }


def place_in_course(request: HttpRequest, scenario: Scenario, cid: str) -> dict[str, Any] | None:
    """Return the place in a course; the links skip scenarios that the visitor cannot see. None if there is no such
    course, or the scenario is not in it.
    """
    try:
        course = courses.by_id(cid)
    except Course.DoesNotExist:
        return None
    shown = [entry for entry in courses.entries(visitor_of(request), course) if entry.scenario]
    at = next((i for i, entry in enumerate(shown) if entry.scenario == scenario), None)
    if at is None:
        return None
    query = urlencode({"course": cid} | ({"predict": "1"} if "predict" in request.GET else {}))

    def link(i: int) -> str:
        linked = shown[i].scenario if 0 <= i < len(shown) else None
        return f"{reverse('scenario', args=[linked.public_id])}?{query}" if linked else ""

    numbers = {"number": shown[at].number, "of": len(course.scenarios)}
    ends = {"back": link(at - 1), "on": link(at + 1), "url": reverse("course", args=[cid])}
    following = shown[at + 1].scenario if at + 1 < len(shown) else None
    return {"title": course.title, **next_of(following), **numbers, **ends}


def cka_domains() -> list[dict[str, Any]]:
    """Return the domains of the CKA course with the lessons and challenges that are loaded; see courses.show_cka."""
    entries = {str(scenario.slug): cka_entry(scenario) for scenario in scenarios.named(cka.order())}

    def rows(domain: cka.Domain) -> list[dict[str, Any]]:
        loaded = [[entries[slug] for slug in subject.slugs if slug in entries] for subject in domain.subjects]
        subjects = zip(domain.subjects, loaded, strict=True)
        return [
            {"title": subject.title, "entries": subject_entries}
            for subject, subject_entries in subjects
            if subject_entries
        ]

    return [
        {"title": domain.title, "share": f"{domain.percent}%", "left_out": domain.left_out, "subjects": rows(domain)}
        for domain in cka.DOMAINS
    ]


def cka_entry(scenario: Scenario) -> dict[str, Any]:
    """Return {id, title, url, challenge} of a lesson or challenge of the CKA course."""
    title = title_of(scenario, lessons.load(getattr(scenario, "lesson", None)))
    number = getattr(scenario, "number", None)
    challenge = bool((getattr(scenario, "summary", None) or {}).get("challenge"))
    sid = scenario.public_id
    url = f"{reverse('scenario', args=[sid])}?{urlencode({'course': cka.SLUG})}"
    return {
        "id": sid,
        "title": title,
        "url": reverse("challenge", args=[sid, number]) if challenge else url,
        "challenge": challenge,
    }


def place_in_cka(request: HttpRequest, scenario: Scenario) -> dict[str, Any] | None:
    """Return the place of a lesson in the CKA course, or None for a scenario that is not a lesson of the course.

    The challenges of the course do not count, because they have no player.
    """
    slugs = [slug for slug in cka.order() if slug in track.order()]
    if scenario.slug not in slugs:
        return None
    at = slugs.index(str(scenario.slug))
    query = urlencode({"course": cka.SLUG} | ({"predict": "1"} if "predict" in request.GET else {}))
    near = {other.slug: other for other in scenarios.lessons_named(slugs[max(at - 1, 0) : at + 2])}

    def link(i: int) -> str:
        linked = near.get(slugs[i]) if 0 <= i < len(slugs) else None
        return f"{reverse('scenario', args=[linked.public_id])}?{query}" if linked else ""

    following = near.get(slugs[at + 1]) if at + 1 < len(slugs) else None
    ends = {"back": link(at - 1), "on": link(at + 1), "url": reverse("course-cka")}
    title = gettext("CKA: scheduling and workloads")
    return {"title": title, **next_of(following), "number": at + 1, "of": len(slugs), **ends}


def own_title(scenario: Scenario) -> str:
    """Return the scenario's title; for a lesson, in the visitor's language."""
    if not scenario.slug:
        return scenario.title
    return title_of(scenario, lessons.load(scenarios.newest(scenario).lesson))


def mine_row(visitor: Visitor, scenario: Scenario) -> dict[str, Any]:
    """Return {id, url, edit_url, settings_url, title, visibility, updated, version, forked_from, picture}.

    `forked_from` is the title of the original, "" if there is none that the visitor can see.
    """
    sid = scenario.public_id
    urls = {f"{name}_url": reverse(f"scenario-{name}", args=[sid]) for name in ("edit", "settings")}
    origin = origin_of(visitor, scenario)
    about = {"title": scenario.title, "visibility": scenario.get_visibility_display(), "updated": scenario.updated}
    number = getattr(scenario, "number", None)
    return {
        "id": sid,
        "url": reverse("scenario", args=[sid]),
        **urls,
        **about,
        "version": number,
        "forked_from": own_title(origin.scenario) if origin else "",
        "picture": card(scenario)["picture"],
    }


def origin_of(visitor: Visitor, scenario: Scenario) -> Version | None:
    """Return the version from which the scenario was forked, or None if there is none or the visitor may not see it."""
    origin = scenario.fork_of
    return origin if origin and may_see(visitor, origin.scenario) else None


def boot(request: HttpRequest, visitor: Visitor, version: Version, run: Run, *, embed: bool) -> dict[str, Any]:
    """Return the player's initial data; everyone with access to the scenario may read all of it."""
    scenario = version.scenario
    lesson = lessons.load(version.lesson)
    about = {"id": scenario.public_id, "version": version.number, "title": title_of(scenario, lesson)}
    about["private"] = scenario.visibility == Scenario.Visibility.PRIVATE
    return {
        "run": run.public_id,
        "kubernetes": runs.release_of(version, run.kubernetes_version),
        "today": today(version, run),
        "scenario": about,
        "page": permanent_url(version, run),
        "ws": "/ws/run/",
        "api": reverse("v1:api-root").rstrip("/"),
        "captions": static(f"i18n/{language()}.json"),
        "outside": of_other_plugins(language(), rules_of(version)),
        "language": language(),
        "embed": embed,
        "ask": request.GET.get("ask", "") if request.GET.get("ask") in QUESTIONS else "",
        "state": run.state,
        "steps": run.steps,
        "chunks": first_steps(run.chunks),
        "chunk": b64encode(runs.first_frame(run, MAX_INLINE) or b"").decode(),
        "engine": {"version": run.engine_version, "current": ENGINE_VERSION},
        "may_edit": may_edit(visitor, scenario),
        "words": words_url(version) if lesson.has_words else "",
        "predict": "predict" in request.GET,
        "place": place(request, scenario),
    }


def today(version: Version, run: Run) -> dict[str, str] | None:
    """Return {release, url} of the comparison of a lesson about an older release with the newest one; None for other
    runs.
    """
    shown, newest = runs.release_of(version, run.kubernetes_version), DEFAULT_RELEASE.version
    if not version.scenario.slug or shown == newest:
        return None
    names = [version.scenario.public_id, version.number]
    query = urlencode({"first": shown, "second": newest})
    return {"release": newest, "url": f"{reverse('compare', args=[*names, *names])}?{query}"}


def permanent_url(version: Version, run: Run) -> str:
    """Return the permanent URL of this run, to which the player adds the step as the fragment."""
    default = runs.find_run(version)
    return path_of(version) if default is None or default.pk == run.pk else address_of(version, run)


def address_of(version: Version, run: Run) -> str:
    """Return the URL that selects this run: with the engine, and with the release if it is not the version's own."""
    about = {"engine": run.engine_version}
    if run.kubernetes_version != runs.own_release(version):
        about["kubernetes"] = runs.release_of(version, run.kubernetes_version)
    return f"{path_of(version)}?{urlencode(about)}"


def path_of(version: Version) -> str:
    return reverse("version", args=[version.scenario.public_id, version.number])


def words_url(version: Version) -> str:
    """Return the URL of the captions, which are not in the page because they reveal answers."""
    return reverse("v1:words", args=[version.scenario.public_id, version.number])


def title_of(scenario: Scenario, lesson: Lesson) -> str:
    """Return the title of a lesson in the visitor's language, or of another scenario as its author wrote it."""
    return (lesson.text("title", language()) if scenario.slug else "") or scenario.title


def page(request: HttpRequest, visitor: Visitor, version: Version, run: Run, *, embed: bool) -> dict[str, Any]:
    """Return the context of player.html and embed.html.

    `boot` (boot), `scenario`, `version`, `run`, `may_edit`, `description_html`, `engine_is_old`, `current_engine`,
    `versions` (version_links), `fork_of` and `fork_title` (of the original), `unfurl` (unfurl), and the context of
    release_choice.
    """
    scenario = version.scenario
    lesson = lessons.load(version.lesson)
    engine_is_old = run.engine_version != ENGINE_VERSION
    origin = origin_of(visitor, scenario)
    return {
        "boot": boot(request, visitor, version, run, embed=embed),
        "scenario": scenario,
        "version": version,
        "run": run,
        "may_edit": may_edit(visitor, scenario),
        "description_html": lessons.description_html(version, language()),
        "engine_is_old": engine_is_old,
        "current_engine": ENGINE_VERSION,
        "versions": version_links(version),
        **release_choice.context(version, run, path_of(version)),
        "fork_of": origin,
        "fork_title": own_title(origin.scenario) if origin else "",
        "unfurl": unfurl(request, version, lesson),
    }


def version_links(shown: Version) -> list[dict[str, Any]]:
    """Return [{number, url, diff}] of the newest versions, the newest first; [] if there is only one.

    `diff` is the comparison with the shown version, "" for that one.
    """
    scenario = shown.scenario
    numbers = list(scenario.versions.order_by("-number").values_list("number", flat=True)[:MAX_VERSIONS])
    if len(numbers) < 2:
        return []

    def difference(number: int) -> str:
        between = sorted((number, shown.number))
        return "" if number == shown.number else reverse("scenario-diff", args=[scenario.public_id, *between])

    return [
        {"number": number, "url": reverse("version", args=[scenario.public_id, number]), "diff": difference(number)}
        for number in numbers
    ]


def unfurl(request: HttpRequest, version: Version, lesson: Lesson) -> dict[str, str]:
    """Return {title, description, url, image} for link previews, with absolute URLs.

    The picture of a link for predicting shows the beginning of the run.
    """
    path = path_of(version)
    predict = "predict" in request.GET
    about = place_query({**request.GET.dict(), **({"step": "0"} if predict else {})})
    description = gettext("Predict each decision of kube-scheduler before you see it.")
    return {
        "title": title_of(version.scenario, lesson),
        "description": description if predict else plain_text(lessons.description_html(version, language()), 200),
        "url": absolute(request, path),
        "image": absolute(request, f"{path}picture.png{about}"),
    }


def place_query(query: Mapping[str, str]) -> str:
    """Return "?step=...", with the engine and release of the query; "" if it has none of them."""
    place_fields = {name: query[name] for name, form in PLACE.items() if re.fullmatch(form, query.get(name, ""))}
    return f"?{urlencode(place_fields)}" if place_fields else ""


def absolute(request: HttpRequest, path: str) -> str:
    """Return the URL with scheme and host: the configured ones, or those of the request."""
    return settings.SITE_URL + path if settings.SITE_URL else request.build_absolute_uri(path)
