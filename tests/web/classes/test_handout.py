"""Handouts over HTTP: the page has parts for steps and no answers; the pictures are drawn once for each browser."""

from typing import Any

import pytest

from kschedui.models import Run
from kschedui.runs import worker
from kschedui.web.pages.pictures import moment
from kschedui.web.pages.teaching import handout
from tests.web.conftest import Browser


@pytest.fixture
def saved(author: Browser) -> dict[str, Any]:
    made = author.save()
    worker.execute(made["run"])
    return made


def test_a_handout_names_its_run_and_links_to_its_version(author: Browser, saved: dict[str, Any]) -> None:
    sid = saved["id"]
    for path in (f"/s/{sid}/handout", f"/s/{sid}/v/1/handout"):
        answer = author.get(path)
        assert answer.status_code == 200
        (part,) = answer.context["boot"]["parts"]
        assert part == {"run": saved["run"], "words": "", "kubernetes": "1.36"}
        assert f"/s/{sid}/v/1/qr.svg" in answer.content.decode()
        assert f"testserver/s/{sid}/v/1/" in answer.content.decode()


def test_a_run_that_did_not_end_well_has_no_handout_and_says_so(author: Browser, saved: dict[str, Any]) -> None:
    Run.objects.update(state=Run.State.FAILED)
    answer = author.get(f"/s/{saved['id']}/handout")
    assert answer.status_code == 409
    assert "The run did not finish, so there is no handout" in answer.content.decode()


def test_a_course_of_too_many_scenarios_is_refused_with_both_numbers(
    author: Browser, saved: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handout, "MAX_PARTS", 1)
    made = author.post("/courses/new/", {"title": "A course", "scenarios": f"{saved['id']}\n{saved['id']}"})
    answer = author.get(f"{made['Location']}handout")
    assert answer.status_code == 422
    assert "at most 1 scenarios, and this course has 2" in answer.content.decode()


def test_a_picture_that_the_browser_has_is_not_drawn_again(
    author: Browser, saved: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"/s/{saved['id']}/v/1/picture.svg"
    first = author.get(path, {"step": "3", "bare": "1"})
    assert first.content.startswith(b"<svg")
    assert b"Small" not in first.content, "the page has the words"
    monkeypatch.setattr(moment, "decode_chunk", None)
    again = author.get(path, {"step": "3", "bare": "1"}, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    monkeypatch.undo()
    for other in ({"step": "4", "bare": "1"}, {"step": "3"}):
        assert author.get(path, other, headers={"If-None-Match": first.headers["ETag"]}).status_code == 200
