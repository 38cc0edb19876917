"""The course for the CKA: its lessons exist, its page lists what it leaves out, and each lesson leads to the next."""

import shutil
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.management import call_command
from django.utils import translation

from kschedui import library
from kschedui.models import Scenario
from kschedui.scenarios import cka
from kschedui.scenarios.lessons import track
from tests.web.conftest import Browser

LOADED = ("surge-and-unavailable", "rollout-without-room", "budgets-and-drain")


@pytest.fixture
def loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, db: None) -> None:
    """Load some of the course's lessons, and one of its challenges."""
    for slug in LOADED:
        shutil.copy(library.FOLDER / f"{slug}.yaml", tmp_path)
    (tmp_path / "challenges").mkdir()
    shutil.copy(library.CHALLENGES / "challenge-drain.yaml", tmp_path / "challenges")
    monkeypatch.setattr(library, "FOLDER", tmp_path)
    monkeypatch.setattr(library, "CHALLENGES", tmp_path / "challenges")
    call_command("load_library", verbosity=0)


def test_its_lessons_and_challenges_exist_and_stand_once() -> None:
    known = {path.stem for path in (*library.files(), *library.challenges())}
    assert set(cka.order()) <= known
    assert len(cka.order()) == len(set(cka.order()))
    (cluster,) = (chapter for chapter in track.CHAPTERS if chapter.key == "cluster")
    assert set(cluster.lessons) <= set(cka.order())
    assert sum(domain.percent for domain in cka.DOMAINS) == 100
    assert all(str(domain.left_out).endswith(".") for domain in cka.DOMAINS)


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_the_page_lists_what_is_loaded_and_what_is_left_out(loaded: None, author: Browser, language: str) -> None:
    page = author.get("/courses/cka/", HTTP_ACCEPT_LANGUAGE=language)
    text = page.content.decode()
    entries = [e for d in page.context["domains"] for s in d["subjects"] for e in s["entries"]]
    assert [entry["challenge"] for entry in entries] == [False, False, False, True]
    with translation.override(language):
        for domain in cka.DOMAINS:
            assert str(domain.left_out) in text
    assert entries[-1]["url"].endswith("/v/1/challenge/")
    assert author.get(entries[-1]["url"]).status_code == 200


def test_a_lesson_of_the_course_leads_to_the_next_lesson_of_it(loaded: None, author: Browser) -> None:
    by_slug = {scenario.slug: scenario for scenario in Scenario.objects.filter(slug__in=LOADED)}
    first = by_slug["surge-and-unavailable"]
    place = author.get(f"/s/{first.public_id}/?course=cka&predict=1").context["boot"]["place"]
    on = urlsplit(place["on"])
    assert on.path == f"/s/{by_slug['rollout-without-room'].public_id}/"
    assert parse_qs(on.query) == {"course": ["cka"], "predict": ["1"]}
    assert place["url"] == "/courses/cka/"
    lessons = [slug for slug in cka.order() if slug in track.order()]
    assert (place["number"], place["of"]) == (lessons.index("surge-and-unavailable") + 1, len(lessons))


def test_the_page_is_empty_but_there_without_a_library(db: None, author: Browser) -> None:
    page = author.get("/courses/cka/")
    assert page.status_code == 200
    assert all(not domain["subjects"] for domain in page.context["domains"])
