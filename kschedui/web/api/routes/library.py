"""Lessons, plugins, fields for completion, and the current user."""

import inspect
from typing import Any

import msgspec
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext_noop
from ninja import Router

from kschedui.accounts import tokens
from kschedui.scenarios import lessons as lesson_words
from kschedui.scenarios import store as scenarios
from kschedui.scenarios.anonymise.naming_table import naming_table
from kschedui.scenarios.importers.reading.reading_table import reading_table
from kschedui.scenarios.lessons import track
from kschedui.scenarios.outside_plugins import outside_plugins
from kschedui.web.api.callers import reads
from kschedui.web.api.refusals import Refusal
from kschedui.web.api.routes.texts import JSON
from kschedui.web.api.shapes import Lesson, Me, Plugin
from scheduler_core.plugins import REGISTRY
from scheduler_core.scenario.parse import field_catalogue

router = Router(tags=["library"])

POINTS = {
    "pre_enqueue": "PreEnqueue",
    "less": "QueueSort",
    "key": "QueueSort",
    "pre_filter": "PreFilter",
    "filter": "Filter",
    "post_filter": "PostFilter",
    "pre_score": "PreScore",
    "score": "Score",
    "reserve": "Reserve",
    "permit": "Permit",
    "pre_bind": "PreBind",
    "bind": "Bind",
    "post_bind": "PostBind",
}


@router.get("/me", auth=reads(), response=Me, summary="Who you are here")
def me(request: HttpRequest) -> Me:
    token = getattr(request, "api_token", None)
    account = request.user.get_username() if request.user.is_authenticated else None
    return Me(account=account, scopes=token.scopes.split() if token else list(tokens.SCOPES))


@router.get("/lessons", auth=reads(), response=list[Lesson], summary="The library's lessons")
def lessons(request: HttpRequest) -> list[Lesson]:
    rows: list[Any] = track.in_order(scenarios.library())
    lesson_rows = [(lesson_words.load(row.lesson), row) for row in rows]
    return [
        Lesson(
            slug=str(row.slug),
            title=lesson.title or row.title,
            description=lesson.description,
            topics=list(lesson.topics),
            level=lesson.level,
            scenario=row.public_id,
            url=reverse("library", args=[row.slug]),
        )
        for lesson, row in lesson_rows
    ]


@router.get("/plugins", auth=reads(), response=list[Plugin], summary="The scheduler's plugins")
def plugins(request: HttpRequest) -> list[Plugin]:
    return [describe(name, cls) for name, cls in {**REGISTRY, **outside_plugins()}.items()]


@router.get("/plugins/{name:name}", auth=reads(), response=Plugin, summary="One plugin")
def plugin(request: HttpRequest, name: str) -> Plugin:
    plugins_by_name = {**REGISTRY, **outside_plugins()}
    if name not in plugins_by_name:
        raise Refusal(404, gettext_noop("This plugin does not exist, or its source is not available."))
    return describe(name, plugins_by_name[name])


def describe(name: str, cls: object) -> Plugin:
    """Describe a plugin from its class."""
    points = list(dict.fromkeys(point for method, point in POINTS.items() if hasattr(cls, method)))
    return Plugin(name=name, points=points, about=inspect.getdoc(cls) or "", url=reverse("plugin", args=[name]))


@router.get("/catalogue", auth=reads(), response=dict, summary="Kinds, fields and values for completion")
def catalogue(request: HttpRequest) -> HttpResponse:
    """Return the field catalogue. `reading`: the fields of a dump that are kept; `naming`: those that contain names."""
    texts = {**field_catalogue(), "reading": reading_table(), "naming": naming_table()}
    response = HttpResponse(msgspec.json.encode(texts), content_type=JSON)
    response.headers["Cache-Control"] = "public, max-age=3600"
    return response
