"""Versions of a scenario: save, read, run again, compare."""

from collections.abc import Iterator
from itertools import chain
from typing import Annotated, Any

import msgspec
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from msgspec.structs import asdict
from ninja import Query, Router, Status

from kschedui.language import language
from kschedui.models import Scenario, Version
from kschedui.runs import store as runs
from kschedui.scenarios import access, lessons, notes
from kschedui.scenarios import store as scenarios
from kschedui.scenarios.prose import plain_text
from kschedui.uploads.responding import upload_of
from kschedui.web.api import jobs, streams
from kschedui.web.api.callers import reads, writes
from kschedui.web.api.rates import count
from kschedui.web.api.refusals import Refusal
from kschedui.web.api.routes.scenarios import run_and_describe
from kschedui.web.api.routes.texts import JSON, digest_of, require_size
from kschedui.web.api.shapes import (
    Compared,
    NoteIn,
    NoteOut,
    QuestionOut,
    RunName,
    Saved,
    TeacherWords,
    TextIn,
    VersionIn,
    VersionOut,
    VersionText,
    Words,
)
from kschedui.web.api.visitors import keeping_visitor, save_once, start_run, visible_scenario
from kschedui.web.api.work import work
from kschedui.work.fetched import Fetched
from scheduler_core.scenario.lesson import Caption, Question

router = Router(tags=["versions"])
LONGEST_DESCRIPTION = 2000
Before = Annotated[int, Query(ge=1, le=999_999_999)]


@router.post(
    "/{id:sid}/versions",
    auth=writes("save", large=True),
    response={201: Saved},
    summary="Save a new version, and run it",
)
def save(request: HttpRequest, sid: str, body: VersionIn) -> Status[Saved]:
    """Save a new version, unless the text is unchanged. 409 `version_conflict` if `base` is not the newest."""
    count(request, "run")
    _, scenario = visible_scenario(request, sid)
    access.require_editing(keeping_visitor(request), scenario)
    try:
        digest = digest_of(request, body)
        version = save_once(request, lambda _: scenarios.save(scenario, digest, body.base))
    except scenarios.Conflict as conflict:
        raise Refusal(409, conflict.sentence, code="version_conflict", version=conflict.newest) from None
    return Status(201, run_and_describe(request, version))


@router.get("/{id:sid}/versions", auth=reads(), response=list[VersionOut], summary="The versions, newest first")
def listed(request: HttpRequest, sid: str, before: Before | None = None) -> list[VersionOut]:
    """List up to 200 versions; pass the last `number` as `before` to get older ones."""
    _, scenario = visible_scenario(request, sid)
    return [VersionOut(**describe(scenario, version)) for version in scenarios.listed_versions(scenario, before)]


@router.get("/{id:sid}/versions/{n:number}", auth=reads(), response=VersionText, summary="Read a version's text")
def read(request: HttpRequest, sid: str, number: int) -> HttpResponseBase:
    """Return a version. Only those who can edit a challenge get its Challenge document."""
    visitor, scenario = visible_scenario(request, sid)
    version = scenarios.version(scenario, number)
    before, after = msgspec.json.encode({**describe(scenario, version), "text": ""}).rsplit(b'""', 1)
    return json_with_text(request, version.bytes, before, scenarios.pieces_for(visitor, version), after)


def json_with_text(
    request: HttpRequest, size: int, before: bytes, pieces: Iterator[str], after: bytes
) -> HttpResponseBase:
    """Return JSON: `before`, the text of `size` bytes as a string, `after`.

    A long text is sent in pieces, unless a worker answers.
    """
    parts = chain([before, b'"'], (msgspec.json.encode(piece)[1:-1] for piece in pieces), [b'"', after])
    if size <= scenarios.PIECE or upload_of(request) is not None:
        return HttpResponse(b"".join(parts), content_type=JSON)
    return streams.streaming(streams.in_pieces(parts), JSON)


@router.get(
    "/{id:sid}/versions/{n:number}/words", auth=reads(), response=Words, url_name="words", summary="What a teacher says"
)
def words(request: HttpRequest, sid: str, number: int) -> Words:
    """Return the description, captions and questions of the lesson."""
    _, scenario = visible_scenario(request, sid)
    return words_of(scenarios.version(scenario, number))


def words_of(version: Version) -> Words:
    """Return the lesson's description as plain text, `look_at`, captions and questions, in the visitor's language."""
    lesson = lessons.load(version.lesson)

    def translate(entry: Caption | Question) -> dict[str, Any]:
        return {**asdict(entry), "text": lessons.in_language(entry, language())}

    return Words(
        description=plain_text(lessons.description_html(version, language()), LONGEST_DESCRIPTION),
        look_at=lesson.text("look_at", language()),
        captions=[TeacherWords(**translate(entry)) for entry in lesson.captions],
        questions=[QuestionOut(**translate(entry)) for entry in lesson.questions],
    )


@router.get(
    "/{id:sid}/versions/{n:number}/notes",
    auth=reads(),
    response=list[NoteOut],
    url_name="notes",
    summary="Read your notes",
)
def notes_of(request: HttpRequest, sid: str, number: int) -> list[NoteOut]:
    """Return your own notes, by step."""
    visitor, scenario = visible_scenario(request, sid)
    mine = notes.notes_of(visitor, scenarios.version(scenario, number))
    return [NoteOut(step=note.step, text=note.text) for note in mine]


@router.put(
    "/{id:sid}/versions/{n:number}/notes/{n:step}",
    auth=writes("check"),
    response=NoteOut,
    summary="Write a note at a step",
)
def write_note(request: HttpRequest, sid: str, number: int, step: int, body: NoteIn) -> NoteOut:
    """Write a private note, which replaces your earlier note at this step."""
    _, scenario = visible_scenario(request, sid)
    version = scenarios.version(scenario, number)
    try:
        return NoteOut(step=step, text=notes.keep(keeping_visitor(request), version, step, body.text))
    except notes.BadNote as error:
        raise Refusal(422, error.sentence) from None


def describe(scenario: Scenario, version: Version) -> dict[str, Any]:
    """Return the fields of VersionOut."""
    run = runs.find_run(version)
    url = reverse("version", args=[scenario.public_id, version.number])
    about = {"number": version.number, "created": version.created, "url": url}
    return {**about, "run": run.public_id if run else None, "engine": run.engine_version if run else ""}


@router.post(
    "/{id:sid}/versions/{n:number}/run", auth=writes("run"), response=RunName, summary="Run with the current engine"
)
def run_again(request: HttpRequest, sid: str, number: int) -> RunName:
    """Run the version if it has no run by the current engine, or one that failed or was cancelled. Return the run."""
    _, scenario = visible_scenario(request, sid)
    return RunName(run=start_run(request, scenarios.version(scenario, number)).public_id)


@router.post(
    "/{id:sid}/versions/{n:number}/compare",
    auth=reads("check", large=True),
    response=Compared,
    summary="Compare with a text",
)
def compare_with_text(request: HttpRequest, sid: str, number: int, body: TextIn) -> HttpResponseBase:
    """Compare the version with an unsaved text, line by line."""
    _, scenario = visible_scenario(request, sid)
    return compare_texts(request, scenarios.version(scenario, number), require_size(body.text))


@router.get(
    "/{id:sid}/versions/{n:a}/compare/{n:b}",
    auth=reads(waits=True),
    response=Compared,
    summary="Compare two versions",
)
def compare(request: HttpRequest, sid: str, a: int, b: int) -> HttpResponseBase:
    """Compare version `a` with version `b`, line by line."""
    _, scenario = visible_scenario(request, sid)
    before, after = (scenarios.version(scenario, number) for number in (a, b))
    return compare_texts(request, before, scenarios.text_for_work(after))


def compare_texts(request: HttpRequest, version: Version, after: Fetched | str) -> HttpResponseBase:
    """Return the comparison of a version's text with another one; `rows` is null if they are too long."""
    rows = work(request, jobs.compare_rows, scenarios.text_for_work(version), after)
    ending = b',"rows":' + rows + b"}"
    return json_with_text(request, version.bytes, b'{"text":', scenarios.pieces_of(version), ending)
