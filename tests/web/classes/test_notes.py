"""Private notes: stored at a step of a version for their author, and shown to nobody else."""

import json
import re
import zlib
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User

from kschedui.models import Note
from kschedui.runs import worker
from kschedui.scenarios import notes
from tests.web.accounts.test_access_matrix import ROUTES, VALUES
from tests.web.classes.test_classes import start
from tests.web.conftest import OTHER, Browser, body_of, sign_up

pytestmark = pytest.mark.usefixtures("short_comparisons")
MARKER = "Ask-the-third-row-first"


def path(saved: dict[str, Any], number: int = 1) -> str:
    return f"/api/v1/scenarios/{saved['id']}/versions/{number}/notes"


def write(browser: Browser, saved: dict[str, Any], step: int, text: str, number: int = 1) -> Any:
    return browser.put(f"{path(saved, number)}/{step}", json.dumps({"text": text}), "application/json")


def read(browser: Browser, saved: dict[str, Any], number: int = 1) -> dict[int, str]:
    return {one["step"]: one["text"] for one in browser.get(path(saved, number)).json()}


def test_a_note_is_kept_at_its_step_changed_and_removed(author: Browser) -> None:
    saved = author.save()
    assert write(author, saved, 7, " Wait for questions. \0").json() == {"step": 7, "text": "Wait for questions."}
    write(author, saved, 2, "first")
    assert list(read(author, saved).items()) == [(2, "first"), (7, "Wait for questions.")]
    write(author, saved, 7, "Go on.")
    write(author, saved, 2, "  ")
    assert read(author, saved) == {7: "Go on."}


def test_the_length_and_the_number_of_notes_are_limited(author: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    saved = author.save()
    answer = write(author, saved, 1, "x" * (notes.LONGEST + 1))
    assert (answer.status_code, answer.json()["detail"]) == (
        422,
        "A note can have at most 2,000 characters; this one has 2,001.",
    )
    monkeypatch.setattr(notes, "MOST", 2)
    assert [write(author, saved, step, "x").status_code for step in (1, 2, 3, 2)] == [200, 200, 422, 200]


def test_somebody_without_an_account_writes_notes_on_what_is_not_theirs_and_takes_them_into_an_account(
    author: Browser, stranger: Browser
) -> None:
    saved = author.save()
    write(stranger, saved, 3, "mine")
    assert read(author, saved) == {}
    sign_up(stranger, "ada")
    assert read(stranger, saved) == {3: "mine"}
    assert Note.objects.get().editor_hash == ""


def test_what_the_account_wrote_stays_when_its_browser_wrote_at_the_same_step(
    author: Browser, stranger: Browser
) -> None:
    saved = author.save()
    sign_up(author, "ada")
    write(author, saved, 3, "of the account")
    for step in (3, 4):
        write(stranger, saved, step, "of the browser")
    stranger.post("/accounts/login/", {"username": "ada", "password": "a long enough password"})
    assert read(stranger, saved) == {3: "of the account", 4: "of the browser"}


def test_a_new_version_begins_with_the_notes_of_the_one_before(author: Browser) -> None:
    saved = author.save()
    write(author, saved, 3, "mine")
    author.save(OTHER, parent=saved["id"])
    write(author, saved, 3, "changed", number=2)
    assert [read(author, saved, number) for number in (1, 2)] == [{3: "mine"}, {3: "changed"}]


def test_notes_go_with_their_version_and_not_into_a_fork(author: Browser, stranger: Browser) -> None:
    saved = author.save()
    write(author, saved, 3, MARKER)
    for browser in (author, stranger):
        fork = browser.post(f"/s/{saved['id']}/fork/")["Location"].split("/")[2]
        assert read(browser, {"id": fork}) == {}
    assert Note.objects.count() == 1


def ids_of(author: Browser, saved: dict[str, Any]) -> dict[str, str]:
    """Return the ids of all objects about a scenario that everybody sees: run, course, class, experiment, share."""
    course = author.post("/courses/new/", {"title": "A course", "scenarios": saved["id"]})
    body = {"scenario": saved["id"], "factors": [{"seeds": [1]}]}
    experiment = author.post_json("/api/v1/experiments", **body).json()["id"]
    author.post_json(f"/api/v1/scenarios/{saved['id']}/shares", account="reader")
    return {
        "sid": saved["id"], "rid": saved["run"], "cid": course["Location"].split("/")[2], "eid": experiment,
        "code": start(author, saved), "slug": "first-pod", "token": "x", "m": "1", "n": "1",
    }  # fmt: skip


def pages_with_the_marker(browser: Browser, ids: dict[str, str]) -> set[tuple[str, str]]:
    """Return method and address of all answers that contain the note, in their body or headers."""
    found = set()
    for route in ROUTES:
        known = {**VALUES, **ids} | ({"a": ids["sid"], "b": ids["sid"]} if route.startswith("compare/") else {})
        ends = re.search("logout|login|signup|delete|end|revoke|claim|settings|notes|cancel|language", route)
        for method in ("GET",) if ends else ("GET", "POST"):
            kind = "application/json" if route.startswith("api/") else "application/x-www-form-urlencoded"
            body = json.dumps({"text": OTHER}) if kind.endswith("json") and method == "POST" else ""
            answer = browser.generic(method, "/" + route.format(**known), body, kind)
            content = body_of(answer)
            if content.startswith(b"KSU1"):
                content = zlib.decompress(content[32:])
            if MARKER.encode() in content or MARKER in str(answer.headers):
                found.add((method, route))
    return found


def test_no_address_gives_a_note_to_anybody_but_who_wrote_it(author: Browser, settings: Any) -> None:
    settings.RATE_LIMITS = dict.fromkeys(settings.RATE_LIMITS, 10**6)
    staff = User.objects.create_superuser("staff")
    User.objects.create_user("reader")
    sign_up(author, "ada")
    saved = author.save(visibility="public")
    worker.execute(saved["run"])
    write(author, saved, 1, MARKER)
    ids = ids_of(author, saved)
    student, other = Browser(), Browser()
    student.get(f"/c/{ids['code']}/")
    other.force_login(staff)
    assert len(ROUTES) > 80
    for browser in (student, other):
        assert pages_with_the_marker(browser, ids) == set()
    kept_in = {model for model in apps.get_models() if MARKER in str(list(model._default_manager.values()))}
    assert kept_in == {Note}, "what websockets send comes from other rows"
    notes_address = ("GET", "api/v1/scenarios/{sid}/versions/{number}/notes")
    assert pages_with_the_marker(author, ids) == {notes_address}, "in no page of its author's either"
