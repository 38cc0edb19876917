"""Loading the library: repeatable, with permanent addresses, and independent of comments and layout."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from kschedui import library
from kschedui.models import Classroom, Run, Scenario, Version
from kschedui.scenarios import lessons
from kschedui.scenarios import store as scenarios
from kschedui.web.pages import cards
from tests.builders import node, pod, scenario
from tests.web.conftest import Browser

CHALLENGE = library.CHALLENGES / "challenge-weights.yaml"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, db: None) -> Path:
    """Return the folder of a library of two lessons, which a test may change."""
    for name in ("high-preempts-low.yaml", "priority-order.yaml"):
        shutil.copy(library.FOLDER / name, tmp_path)
    monkeypatch.setattr(library, "FOLDER", tmp_path)
    monkeypatch.setattr(library, "CHALLENGES", tmp_path / "challenges")
    return tmp_path


def load(*options: str) -> str:
    out = StringIO()
    call_command("load_library", *options, stdout=out)
    return out.getvalue()


def slugs_of(page: Any) -> list[str]:
    """Return the slugs of the lessons on the page, in order."""
    return re.findall('data-slug="(.*?)"', page.content.decode())


def test_loading_twice_changes_nothing(folder: Path) -> None:
    assert load() == "high-preempts-low: version 1\npriority-order: version 1\n"
    assert set(Run.objects.values_list("state", flat=True)) == {Run.State.DONE}
    assert load() == ""
    assert Version.objects.count() == Run.objects.count() == 2


def change_a_file(folder: Path, patch: pytest.MonkeyPatch) -> None:
    path = folder / "priority-order.yaml"
    path.write_text(path.read_text() + "\n# changed\n")


def add_a_challenge(folder: Path, patch: pytest.MonkeyPatch) -> None:
    (folder / "challenges").mkdir()
    shutil.copy(CHALLENGE, folder / "challenges")


def remove_a_file(folder: Path, patch: pytest.MonkeyPatch) -> None:
    (folder / "priority-order.yaml").unlink()


def change_the_engine(folder: Path, patch: pytest.MonkeyPatch) -> None:
    engine = folder / "version.py"
    engine.write_text("ENGINE_VERSION = 'another'")
    patch.setattr(library, "ENGINE", engine)


def delete_a_lesson(folder: Path, patch: pytest.MonkeyPatch) -> None:
    Scenario.objects.get(slug="priority-order").delete()


def delete_a_run(folder: Path, patch: pytest.MonkeyPatch) -> None:
    Run.objects.filter(version__scenario__slug="priority-order").delete()


def forget_that_a_run_was_queued(folder: Path, patch: pytest.MonkeyPatch) -> None:
    Run.objects.filter(version__scenario__slug="priority-order").update(state=Run.State.QUEUED)


CHANGES = (
    change_a_file,
    add_a_challenge,
    remove_a_file,
    change_the_engine,
    delete_a_lesson,
    delete_a_run,
    forget_that_a_run_was_queued,
)


@pytest.mark.parametrize("change", CHANGES)
def test_the_library_is_loaded_until_something_changes(
    folder: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path, pytest.MonkeyPatch], None]
) -> None:
    assert not library.is_loaded()
    load()
    assert library.is_loaded()
    change(folder, monkeypatch)
    assert not library.is_loaded()
    load()
    assert library.is_loaded()


def test_a_start_at_which_nothing_has_changed_imports_no_engine() -> None:
    load_up = "import django, sys; django.setup(); import kschedui.management.commands.up"
    code = f"{load_up}; print('scheduler_core' in sys.modules)"
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "kschedui.settings"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_changed_lesson_becomes_a_new_version_at_the_same_address(folder: Path, author: Browser) -> None:
    load()
    before = author.get("/library/priority-order/")["Location"]
    path = folder / "priority-order.yaml"
    path.write_text(path.read_text() + "\n# changed\n")
    assert load() == "priority-order: version 2\n"
    assert author.get("/library/priority-order/")["Location"] == before
    assert author.get(before).context["version"].number == 2


def test_a_new_engine_makes_new_versions_and_old_links_keep_their_trace(folder: Path, author: Browser) -> None:
    load()
    Run.objects.update(engine_version="0.0.1")
    assert load() == "high-preempts-low: version 2\npriority-order: version 2\n"
    scenario = Scenario.objects.get(slug="priority-order")
    old = author.get(f"/s/{scenario.public_id}/v/1/")
    assert old.context["boot"]["engine"]["version"] == "0.0.1"
    assert old.context["engine_is_old"]
    assert not author.get(f"/s/{scenario.public_id}/").context["engine_is_old"]


def test_a_lesson_that_is_gone_leaves_the_page_but_not_its_links(folder: Path, author: Browser) -> None:
    load()
    sid = Scenario.objects.get(slug="priority-order").public_id
    (folder / "priority-order.yaml").unlink()
    load()
    page = author.get("/")
    assert slugs_of(page) == ["high-preempts-low"]
    assert page.context["recent"] == []
    assert author.get(f"/s/{sid}/").status_code == 200


def test_a_broken_lesson_is_named(folder: Path) -> None:
    (folder / "broken.yaml").write_text("kind: [")
    with pytest.raises(CommandError, match=r"broken\.yaml: document 1, line 1"):
        load()


def test_the_first_page_speaks_the_visitors_language(folder: Path, author: Browser) -> None:
    load()
    english, chinese, again = (author.get("/", headers={"Accept-Language": one}) for one in ("en", "zh-CN", "en"))
    assert slugs_of(english) == slugs_of(chinese) == ["priority-order", "high-preempts-low"]
    headings = [re.findall("<h3>(.*)</h3>", page.content.decode())[0] for page in (english, chinese, again)]
    assert headings[0] == headings[2] != headings[1]
    assert "<svg" in english.content.decode().partition('id="cards"')[2]


def test_the_first_page_shows_what_has_changed_in_the_library(folder: Path, author: Browser) -> None:
    load()
    ran = author.get("/").content.decode()
    Run.objects.update(state=Run.State.QUEUED)
    unrun = author.get("/").content.decode()
    assert ('class="strip"' in ran, 'class="strip"' in unrun) == (True, False)
    Scenario.objects.filter(slug="priority-order").update(deleted_at=timezone.now())
    assert slugs_of(author.get("/")) == ["high-preempts-low"]
    lesson = folder / "high-preempts-low.yaml"
    lesson.write_text(lesson.read_text().replace("    en: A high-priority", "    en: Changed, a high-priority"))
    load()
    assert "<h3>Changed, " in author.get("/").content.decode()


def test_the_teachers_words_come_with_the_player(folder: Path, author: Browser) -> None:
    load()
    page = author.get(author.get("/library/high-preempts-low/")["Location"])
    lesson = author.get(page.context["boot"]["words"]).json()
    assert lesson["look_at"].startswith("No node is feasible")
    assert {"attempt", "event", "text", "about"} == set(lesson["captions"][0])
    assert lesson["captions"][0]["text"] not in page.content.decode()


def test_a_card_before_its_run_shows_the_start(folder: Path) -> None:
    load("--no-run")
    made = cards.lesson_card(scenarios.library().get(slug="high-preempts-low"))
    assert (made["nodes"], made["pods"]) == (2, 4)
    assert "<svg" in made["picture"]


def test_questions_come_with_the_teachers_words_and_without_an_answer(author: Browser) -> None:
    question = {"attempt": 1, "event": "ScoresComputed", "kind": "node", "en": "Which one?", "zh": "哪个？"}
    saved = author.save(scenario(node("n1"), pod("a"), lesson={"questions": [question]}))
    words = author.get(f"/api/v1/scenarios/{saved['id']}/versions/1/words", headers={"Accept-Language": "zh-CN"}).json()
    asked = {"attempt": 1, "event": "ScoresComputed", "text": "哪个？", "kind": "node"}
    assert words["questions"] == [{**asked, "frame": None, "about": "", "yes_or_no": False}]


def test_a_link_to_predict_with_previews_how_the_run_begins(folder: Path, author: Browser) -> None:
    load()
    url = author.get("/library/high-preempts-low/?predict=1")["Location"]
    assert url.endswith("?predict=1")
    page = author.get(url)
    assert page.context["boot"]["predict"] is True
    assert "is bound there at its second attempt" not in page.content.decode()
    assert page.context["unfurl"]["image"].endswith("picture.png?step=0")


def test_every_page_about_a_lesson_calls_it_by_its_title_in_the_readers_language(folder: Path, author: Browser) -> None:
    load()
    scenario = Scenario.objects.get(slug="high-preempts-low")
    title = lessons.load(scenarios.newest(scenario).lesson).text("title", "zh-hans")
    at = f"/s/{scenario.public_id}/v/1/"
    this = f"{scenario.public_id}/1"
    run = Run.objects.get(version__scenario=scenario)
    code = author.post(f"{at}class", {"run": run.public_id}).headers["Location"].split("/")[2]
    Classroom.objects.update(ended_at=timezone.now())
    pages = (
        *(f"{at}{name}" for name in ("", "pending/", "capacity/", "releases/", "experiments/", "handout", "speaker")),
        f"/compare/{this}/{this}/",
        f"/compare/{this}/{this}/text/",
        f"/c/{code}/",
    )
    for page in pages:
        answer = author.get(page, headers={"accept-language": "zh-hans"}, follow=True)
        assert answer.status_code == 200, page
        assert title in answer.content.decode(), page
        assert f">{scenario.title}<" not in answer.content.decode(), page
