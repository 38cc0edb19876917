"""Challenges on the site: the list, the verdicts, what stays hidden, and the challenge of a class."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import translation

from kschedui import library
from kschedui.models import Scenario, Solver, Version
from kschedui.scenarios import challenge_track
from scheduler_core import parse_scenario
from tests.web.conftest import Browser, body_of

SECRET = "Nobody knows this title"
MINE = f"""apiVersion: v1
kind: Node
metadata: {{name: n1}}
status: {{capacity: {{cpu: '4', pods: '110'}}}}
---
apiVersion: v1
kind: Pod
metadata: {{name: a}}
spec: {{containers: [{{name: main, image: pause}}]}}
---
apiVersion: kschedui.io/v1alpha1
kind: Challenge
metadata: {{name: mine}}
spec:
  asks: [SchedulerPlugin]
  seeds: [1, 2]
  variants:
  - title: {{en: {SECRET}, zh: {SECRET}}}
    objects: [{{apiVersion: v1, kind: Pod, metadata: {{name: a, labels: {{hidden-label: first}}}}, spec: {{containers: [{{name: main, image: pause}}]}}}}]
    expect: {{pods: {{default/a: n1}}}}
  - title: Another {SECRET}
    objects: [{{apiVersion: v1, kind: Pod, metadata: {{name: a, labels: {{hidden-label: second}}}}, spec: {{containers: [{{name: main, image: pause}}]}}}}]
    expect: {{pods: {{default/a: n1}}}}
  solution: "no-one-reads-the-solution"
---
apiVersion: kschedui.io/v1alpha1
kind: Scenario
metadata: {{name: mine}}
spec: {{title: Keep it out, expect: {{pods: {{default/a: pending}}}}}}
"""  # noqa: E501
RULE = """apiVersion: kschedui.io/v1alpha1
kind: SchedulerPlugin
metadata: {name: Keep}
spec:
  filter: %s
"""
RIGHT = RULE % "has(pod.metadata.labels) && 'hidden-label' in pod.metadata.labels"
HIDDEN = (SECRET, "hidden-label", "no-one-reads-the-solution")


@pytest.fixture
def challenges(db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Load the library's challenges, without its lessons."""
    monkeypatch.setattr(library, "FOLDER", tmp_path)
    call_command("load_library", verbosity=0)


def judge(browser: Browser, saved: dict[str, Any], text: str, **more: Any) -> Any:
    return browser.post_json(
        f"/api/v1/scenarios/{saved['id']}/versions/{saved['version']}/challenge", text=text, **more
    )


def test_the_list_goes_from_easy_to_hard_and_leads_to_each(challenges: None, author: Browser) -> None:
    page = author.get("/challenges/")
    found = page.context["challenges"]
    slugs = [Scenario.objects.get(public_id=one["id"]).slug for one in found]
    assert slugs == list(challenge_track.CHALLENGES) == [*slugs]
    assert sorted(slugs) == [path.stem for path in library.challenges()]
    for one in found:
        assert author.get(one["url"]).status_code == 200
    assert [one["level"][0] for one in found] == sorted(
        (one["level"][0] for one in found), key=["beginner", "intermediate", "advanced"].index
    )


def test_challenges_are_no_lessons(challenges: None, author: Browser) -> None:
    assert 'data-slug="' not in author.get("/").content.decode()
    assert author.get("/api/v1/lessons").json() == []


def test_loading_challenges_twice_changes_nothing_and_a_changed_variant_is_a_new_version(
    challenges: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = Version.objects.count()
    call_command("load_library", verbosity=0)
    assert Version.objects.count() == before
    folder = tmp_path / "changed"
    folder.mkdir()
    for path in library.challenges():
        (folder / path.name).write_text(path.read_text().replace("title: {en: No SSD", "title: {en: None at all"))
    monkeypatch.setattr(library, "CHALLENGES", folder)
    call_command("load_library", verbosity=0)
    assert Version.objects.count() == before + 1
    assert "None at all" in Version.objects.get(number=2).challenge


@pytest.mark.parametrize("slug", challenge_track.CHALLENGES)
def test_a_challenge_of_the_library_is_failed_and_solved_over_the_api(
    challenges: None, author: Browser, slug: str
) -> None:
    scenario = Scenario.objects.get(slug=slug)
    saved = {"id": scenario.public_id, "version": 1}
    version = scenario.versions.get()
    begun = judge(author, saved, version.text).json()
    assert not begun["solved"]
    assert begun["first"]["number"] == 1
    solution = parse_scenario((library.CHALLENGES / f"{slug}.yaml").read_text()).challenge
    assert solution is not None
    found = judge(author, saved, solution.solution).json()
    assert (found["solved"], found["first"]) == (True, None)
    assert found["held"] == len(found["variants"]) == version.summary["challenge"]["variants"]
    assert all(one["title"] for one in found["variants"][1:])


def test_a_hidden_variant_is_named_when_it_is_the_first_to_fail_and_later_ones_stay_hidden(
    author: Browser, stranger: Browser
) -> None:
    saved = author.save(MINE)
    first = judge(stranger, saved, RULE % "'true'").json()
    assert [one["holds"] for one in first["variants"]] == [False, True, True]
    found = judge(stranger, saved, RULE % "'false'").json()
    assert [one["holds"] for one in found["variants"]] == [True, False, False]
    assert [one["title"] for one in found["variants"]] == ["", SECRET, ""]
    assert found["first"]["number"] == 2
    assert found["first"]["seed"] == 1
    assert found["first"]["unmet"] == ["default/a: expected on n1, but it is pending"]
    assert "hidden-label: first" in found["first"]["text"]
    assert "hidden-label: second" not in str(found)
    assert judge(stranger, saved, RIGHT).json()["solved"]


def test_the_first_failure_can_be_played_and_fails_as_reported(author: Browser, stranger: Browser) -> None:
    saved = author.save(MINE)
    played = judge(stranger, saved, RULE % "'false'").json()["first"]["text"]
    parsed = parse_scenario(played)
    assert parsed.seed == 1
    assert [rule.name for rule in parsed.rules] == ["Keep"]
    assert stranger.post_json("/api/v1/preview", text=played).status_code == 200


def test_sentences_of_a_verdict_are_in_the_visitors_language(author: Browser) -> None:
    saved = author.save(MINE)
    with translation.override("zh-hans"):
        author.cookies["django_language"] = "zh-hans"
        found = judge(author, saved, RULE % "'false'").json()
    assert found["first"]["unmet"] == ["default/a：要求“在 n1 上”，实际“Pending”"]


def test_what_is_hidden_is_on_no_page_and_in_no_answer_for_others(author: Browser, stranger: Browser) -> None:
    saved = author.save(MINE)
    sid = saved["id"]
    forked = stranger.post(f"/s/{sid}/fork/")
    assert forked.status_code == 302
    addresses = [
        f"/s/{sid}/v/1/challenge/",
        f"/s/{sid}/v/1/",
        f"/s/{sid}/v/1/scenario.yaml",
        f"/s/{sid}/v/1/experiments/",
        f"/s/{sid}/v/1/handout",
        f"/new/?from={sid}",
        f"/api/v1/scenarios/{sid}",
        f"/api/v1/scenarios/{sid}/versions",
        f"/api/v1/scenarios/{sid}/versions/1",
        f"/api/v1/scenarios/{sid}/versions/1/words",
        f"/api/v1/scenarios/{sid}/versions/1/compare/1",
        f"/api/v1/runs/{saved['run']}",
        forked["Location"],
    ]
    for address in addresses:
        answer = stranger.get(address)
        assert answer.status_code in (200, 409), address
        shown = body_of(answer).decode()
        assert [word for word in HIDDEN if word in shown] == [], address
    assert "Keep it out" in stranger.get(addresses[0]).content.decode()


def test_its_author_reads_edits_and_saves_it_whole(author: Browser) -> None:
    saved = author.save(MINE)
    sid = saved["id"]
    for address in (f"/s/{sid}/edit/", f"/s/{sid}/v/1/scenario.yaml", f"/api/v1/scenarios/{sid}/versions/1"):
        shown = body_of(author.get(address)).decode()
        assert [word for word in HIDDEN if word not in shown] == [], address
    text = author.get(f"/api/v1/scenarios/{sid}/versions/1").json()["text"]
    again = author.save(text, parent=sid)
    assert again["version"] == 1  # the same text
    changed = author.save(text.replace(SECRET, "Another title"), parent=sid)
    assert changed["version"] == 2  # although the parts that others see are unchanged
    assert "Another title" in Version.objects.get(scenario__public_id=sid, number=2).challenge
    forked = author.post(f"/s/{sid}/fork/")["Location"]
    assert "Another title" in author.get(forked).content.decode()


def test_a_learners_copy_is_a_scenario_without_the_challenge(author: Browser, stranger: Browser) -> None:
    saved = author.save(MINE)
    stranger.post(f"/s/{saved['id']}/fork/")
    copy = Version.objects.exclude(scenario__public_id=saved["id"]).get()
    assert copy.challenge == ""
    assert "challenge" not in copy.summary


def test_an_answer_with_errors_is_refused_with_its_lines(author: Browser) -> None:
    saved = author.save(MINE)
    answer = judge(author, saved, RULE % "pod.metadata.nmae == 'a'")
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["line"] == 5


def test_what_is_no_challenge_has_no_verdict(author: Browser) -> None:
    saved = author.save()
    assert judge(author, saved, RIGHT).status_code == 404
    assert author.get(f"/s/{saved['id']}/v/1/challenge/").status_code == 404


def test_a_private_challenge_is_judged_for_its_author_alone(author: Browser, stranger: Browser) -> None:
    saved = author.save(MINE, visibility="private")
    assert judge(author, saved, RIGHT).status_code == 200
    assert judge(stranger, saved, RIGHT).status_code == 403


def class_on(author: Browser, saved: dict[str, Any]) -> str:
    started = author.post(f"/s/{saved['id']}/v/{saved['version']}/class", {"run": saved["run"]})
    return str(started["Location"].split("/")[2])


def test_a_class_does_a_challenge_and_the_teacher_sees_who_has_solved_it(author: Browser, db: None) -> None:
    code = class_on(author, author.save(MINE))
    address = f"/api/v1/classes/{code}/challenge"
    first, second = Browser(), Browser()
    for student in (first, second):
        assert student.get(f"/c/{code}/").status_code == 200  # joins
        page = student.get(f"/c/{code}/challenge/")
        assert address in page.content.decode()
        assert [word for word in HIDDEN if word in page.content.decode()] == []
    assert first.post_json(address, text=RULE % "'false'", name=" Ada ").json()["held"] == 1
    assert first.post_json(address, text=RIGHT, name="Ada").json()["solved"]
    first.post_json(address, text=RULE % "'false'", name="Ada")  # answers after the solution are not counted
    second.post_json(address, text=RULE % "'true'")
    found = author.get(address).json()
    assert found == {
        "variants": 3,
        "students": [
            {"name": "Ada", "tries": 2, "held": 3, "solved_in": 2},
            {"name": "", "tries": 1, "held": 2, "solved_in": None},
        ],
    }
    assert author.get(f"/c/{code}/challenge/").templates[0].name == "class/challenge.html"


def test_only_the_teacher_reads_who_has_solved_it_and_only_students_try(author: Browser, stranger: Browser) -> None:
    code = class_on(author, author.save(MINE))
    address = f"/api/v1/classes/{code}/challenge"
    assert stranger.get(address).status_code == 403
    assert stranger.post_json(address, text=RIGHT).status_code == 403
    assert stranger.get(f"/c/{code}/challenge/").status_code == 302  # to the class's page
    assert stranger.get("/api/v1/classes/BBBB/challenge").status_code == 404
    assert not Solver.objects.exists()


def test_a_class_has_as_many_solvers_as_students(author: Browser, settings: Any) -> None:
    settings.LIMITS = {**settings.LIMITS, "class_students": 1}
    code = class_on(author, author.save(MINE))
    for _ in range(2):
        student = Browser()
        student.get(f"/c/{code}/")
        assert student.post_json(f"/api/v1/classes/{code}/challenge", text=RIGHT).json()["solved"]
    assert Solver.objects.count() == 1


def test_a_class_that_is_over_takes_no_tries(author: Browser, stranger: Browser) -> None:
    from kschedui.classrooms import store
    from kschedui.models import Classroom

    code = class_on(author, author.save(MINE))
    stranger.get(f"/c/{code}/")
    store.end(Classroom.objects.get(code=code).pk)
    assert stranger.post_json(f"/api/v1/classes/{code}/challenge", text=RIGHT).status_code == 403
