"""Classes over HTTP: who may start one, joining by code, and that students can only see the run."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from kschedui.classrooms import store
from kschedui.classrooms.store import Question, RightAnswer, Shown
from kschedui.models import Answer, Classroom, Run, Scenario
from kschedui.runs import worker
from kschedui.scenarios import access
from tests.web.conftest import OTHER, Browser, private


def start(teacher: Browser, saved: dict[str, Any]) -> str:
    """Start a class on the run, and return its code."""
    answer = teacher.post(f"/s/{saved['id']}/v/1/class", {"run": saved["run"]})
    assert answer.status_code == 302, answer.content
    address: str = answer.headers["Location"]
    return address.split("/")[2]


def shown(question: Question | None = None) -> Shown:
    """Return the message of a teacher's page at the first step."""
    return Shown({"step": 0, "frame": 0}, question=question)


@pytest.fixture
def saved(author: Browser) -> dict[str, Any]:
    """Return the API's answer for a scenario of the author that everyone with the link sees, with a complete run."""
    made = author.save()
    worker.execute(made["run"])
    return made


def test_a_class_has_a_code_of_four_letters_and_one_page_for_teacher_and_students(
    author: Browser, stranger: Browser, saved: dict[str, Any]
) -> None:
    code = start(author, saved)
    assert len(code) == 4
    assert set(code) <= set(store.ALPHABET)
    teacher, student = author.get(f"/c/{code}/"), stranger.get(f"/c/{code}/")
    assert [answer.templates[0].name for answer in (teacher, student)] == ["class/teacher.html", "class/student.html"]
    assert stranger.get(f"/c/{code.lower()}/").headers["Location"] == f"/c/{code}/"
    assert stranger.get("/c/", {"code": f" {code[:2]} {code[2:]}".lower()}).headers["Location"] == f"/c/{code}/"
    assert b"<svg" in stranger.get(f"/c/{code}/qr.svg").content


def test_a_stranger_may_start_a_class_on_what_everyone_sees_and_then_teaches_it(
    author: Browser, stranger: Browser, saved: dict[str, Any]
) -> None:
    code = start(stranger, saved)
    assert author.get(f"/c/{code}/").templates[0].name == "class/student.html"
    assert stranger.get(f"/c/{code}/").templates[0].name == "class/teacher.html"


def test_a_student_gets_no_address_of_what_the_run_was_made_from(author: Browser, stranger: Browser) -> None:
    saved = private(author)
    code = start(author, saved)
    answer = stranger.get(f"/c/{code}/")
    assert saved["id"] not in answer.content.decode()
    boot = answer.context["boot"]
    assert boot["may_edit"] is False
    assert boot["page"] == f"/c/{code}/"


def test_a_class_of_a_private_scenario_opens_its_run_and_nothing_else_and_ends_with_the_class(
    author: Browser, stranger: Browser
) -> None:
    saved = private(author)
    run = f"/api/v1/runs/{saved['run']}"
    code = start(author, saved)
    assert stranger.get(f"{run}/chunks/0").status_code == 403, "before joining"
    stranger.get(f"/c/{code}/")
    shown = (f"{run}/chunks/0", f"{run}/explain/1", f"/c/{code}/words")
    assert [stranger.get(path).status_code for path in shown] == [200, 200, 200]
    sid = saved["id"]
    closed = [f"/s/{sid}/", f"/s/{sid}/v/1/", f"/embed/{sid}/v/1/", f"/s/{sid}/edit/", f"/new/?from={sid}"]
    closed += [f"/s/{sid}/v/1/{name}" for name in ("scenario.yaml", "events.jsonl", "decisions.jsonl", "trace.json")]
    closed += [f"/s/{sid}/v/1/{name}" for name in ("picture.svg", "qr.svg", "pending/", "releases/")]
    closed += [f"/api/v1/scenarios/{sid}", f"/api/v1/scenarios/{sid}/versions/1", f"{run}/events", f"{run}/decisions"]
    closed += [f"{run}/objects/pod/default/a", run, f"/api/v1/scenarios/{sid}/versions/1/words"]
    assert {path: stranger.get(path).status_code for path in closed} == dict.fromkeys(closed, 403)
    assert stranger.post(f"/s/{sid}/fork/").status_code == 403
    store.end(store.by_code(code).pk)
    assert [stranger.get(path).status_code for path in shown] == [403, 403, 403]
    over = stranger.get(f"/c/{code}/")
    assert over.status_code == 410
    assert sid not in over.content.decode()


def test_only_its_owner_starts_a_class_on_a_private_scenario(author: Browser, stranger: Browser) -> None:
    saved = private(author)
    assert stranger.post(f"/s/{saved['id']}/v/1/class", {"run": saved["run"]}).status_code == 403
    assert not Classroom.objects.exists()


def test_a_class_ends_when_its_scenario_may_not_be_shown_any_more(
    author: Browser, stranger: Browser, saved: dict[str, Any]
) -> None:
    others, own = start(stranger, saved), start(author, saved)
    Scenario.objects.filter(public_id=saved["id"]).update(visibility="private")
    assert store.is_over(store.by_code(others))
    assert not store.is_over(store.by_code(own))
    Scenario.objects.filter(public_id=saved["id"]).update(deleted_at=timezone.now())
    assert store.is_over(store.by_code(own))


def test_a_class_ends_after_four_hours_and_is_gone_a_day_later(
    author: Browser, stranger: Browser, saved: dict[str, Any]
) -> None:
    code = start(author, saved)
    room = store.by_code(code)
    assert room.expires - room.created <= timedelta(hours=4, seconds=1)
    Answer.objects.create(classroom=room, question="q", student="s", choice=0)
    Classroom.objects.update(expires=timezone.now() - timedelta(seconds=1))
    assert stranger.get(f"/c/{code}/").status_code == 410
    assert author.get(f"/c/{code}/answers.csv").status_code == 200
    assert store.purge() == 0
    Classroom.objects.update(expires=timezone.now() - timedelta(hours=25))
    assert store.purge() == 1
    assert not Answer.objects.exists()


def test_wrong_codes_are_refused_after_twenty_in_a_minute_and_then_right_ones_too(
    author: Browser, stranger: Browser, saved: dict[str, Any], settings: Any
) -> None:
    code = start(author, saved)
    for _ in range(settings.RATE_LIMITS["code"]):
        assert stranger.get("/c/ZZZZ/").status_code == 404
    assert stranger.get(f"/c/{code}/").status_code == 429
    assert stranger.get("/c/XXXXX/qr.svg").status_code == 429


@pytest.mark.parametrize("code", ["A", "KTRFF", "AEIO", "1234", "x" * 33])
def test_what_is_no_code_gets_the_page_to_join_with_a_sentence(stranger: Browser, code: str) -> None:
    answer = stranger.get("/c/", {"code": code}, follow=True)
    assert answer.status_code in (404, 422)
    assert b'role="alert"' in answer.content


def test_a_teacher_has_ten_classes_at_most(author: Browser, saved: dict[str, Any]) -> None:
    codes = [start(author, saved) for _ in range(store.MAX_LIVE)]
    assert author.post(f"/s/{saved['id']}/v/1/class", {"run": saved["run"]}).status_code == 422
    store.end(store.by_code(codes[0]).pk)
    start(author, saved)


def test_a_class_is_on_a_run_of_the_version_that_was_shown(author: Browser, saved: dict[str, Any]) -> None:
    other = author.save(OTHER)
    for run, status in ((other["run"], 422), ("nonsense", 404), ("", 404)):
        assert author.post(f"/s/{saved['id']}/v/1/class", {"run": run}).status_code == status


def test_the_answers_are_a_file_of_counts_for_the_teacher_alone(
    author: Browser, stranger: Browser, saved: dict[str, Any]
) -> None:
    code = start(author, saved)
    pk = store.by_code(code).pk
    store.show(pk, shown(Question("winner-1", 3)))
    store.store_answers(
        pk, [store.Given("winner-1", student, choice) for student, choice in zip("abcd", (1, 1, 0, 1), strict=True)]
    )
    store.show(pk, shown(Question("winner-1", 3, RightAnswer(1, "=Which node wins?", ["birch-1", "cedar-2"]))))
    answer = author.get(f"/c/{code}/answers.csv")
    assert answer.headers["Content-Type"].startswith("text/csv")
    assert answer.content.decode().splitlines() == [
        "question,text,choice,answers,right,lesson",
        "winner-1,'=Which node wins?,birch-1,1,,Small",
        "winner-1,'=Which node wins?,cedar-2,3,yes,Small",
        "winner-1,'=Which node wins?,3,0,,Small",
    ]
    assert stranger.get(f"/c/{code}/answers.csv").status_code == 403


def test_a_class_goes_on_with_the_next_lesson_of_its_course_and_takes_its_students_along(
    author: Browser, stranger: Browser, saved: dict[str, Any]
) -> None:
    other = author.save(OTHER)
    worker.execute(other["run"])
    course = author.post("/courses/new/", {"title": "Two", "scenarios": f"{saved['id']}\n{other['id']}"})
    cid = course.headers["Location"].split("/")[2]
    started = author.post(f"/s/{saved['id']}/v/1/class?course={cid}", {"run": saved["run"]}).headers["Location"]
    code = started.split("/")[2]
    assert started == f"/c/{code}/?course={cid}"
    stranger.get(f"/c/{code}/")
    pk = store.by_code(code).pk
    store.show(pk, shown(Question("winner-1", 2)))
    store.store_answers(
        pk, [store.Given("winner-1", student, choice) for student, choice in zip("abc", (1, 1, 0), strict=True)]
    )
    board = store.show(pk, shown(Question("winner-1", 2, RightAnswer(1, "Which?", ["n1", "n2"]))))
    assert board.tally == (2, 3)
    assert store.answers_of(pk, "a") == {"winner-1": 1}
    assert stranger.post(f"/c/{code}/next?course={cid}").status_code == 403
    assert author.post(f"/c/{code}/next").status_code == 409, "it has no place in the track"
    of_this_lesson = {"run": saved["run"]}
    assert author.post(f"/c/{code}/next?course={cid}", of_this_lesson).status_code == 422, "not a run of the next one"
    onward = [author.post(f"/c/{code}/next?course={cid}").headers["Location"] for _ in range(2)]
    following = onward[0].split("/")[2]
    assert onward == [f"/c/{following}/?course={cid}"] * 2, "two presses go on once"
    board = store.board(pk)
    assert (board.ended, board.next) == (True, following)
    assert stranger.get(f"/c/{code}/").headers["Location"] == f"/c/{following}/"
    boot = author.get(onward[0]).context["boot"]
    assert boot["class"]["begun"], "no code stands before a lesson that the class goes on with"
    assert boot["run"] == other["run"]
    lines = author.get(f"/c/{following}/answers.csv").content.decode().splitlines()
    assert lines[1:] == ["winner-1,Which?,n1,1,,Small", "winner-1,Which?,n2,2,yes,Small"], "of the lesson before, too"
    assert author.post(f"/c/{following}/next?course={cid}").status_code == 409, "the last lesson"


def test_two_presses_at_once_start_one_class_also_of_a_teacher_who_has_no_more(
    author: Browser, saved: dict[str, Any]
) -> None:
    code, *_ = [start(author, saved) for _ in range(store.MAX_LIVE)]
    teacher = access.Visitor(editor=access.token_in({access.COOKIE: author.cookies[access.COOKIE].value}))
    run = Run.objects.get()
    both = [store.by_code(code), store.by_code(code)]  # as two simultaneous requests would read it
    assert store.teaches(teacher, both[0])
    assert len({store.go_on(teacher, classroom, run).pk for classroom in both}) == 1
    assert store.live().count() == store.MAX_LIVE
    assert Classroom.objects.count() == store.MAX_LIVE + 1


def test_of_a_student_nothing_is_kept_but_a_hash_that_differs_in_each_class(
    author: Browser, stranger: Browser, saved: dict[str, Any]
) -> None:
    from kschedui.classrooms import student_cookie

    first, second = start(author, saved), start(author, saved)
    tokens = []
    for code in (first, second):
        stranger.get(f"/c/{code}/")
        cookie = student_cookie.read_student_cookie({name: one.value for name, one in stranger.cookies.items()})
        assert cookie is not None
        tokens.append(cookie.student)
    assert tokens[0] != tokens[1]
    assert {field.name for field in Answer._meta.get_fields()} == {"id", "classroom", "question", "student", "choice"}


def test_an_answer_changes_until_the_question_is_revealed_and_counts_once(
    author: Browser, saved: dict[str, Any]
) -> None:
    pk = store.by_code(start(author, saved)).pk
    given = store.Given
    assert store.store_answers(pk, [given("q", "ada", 0)]) == set(), "nothing is asked"
    store.show(pk, shown(Question("q", 2)))
    assert len(store.store_answers(pk, [given("q", "ada", 0), given("q", "ada", 1), given("other", "bob", 0)])) == 1
    assert store.store_answers(pk, [given("q", "bob", 2)]) == set(), "there is no third choice"
    assert store.show(pk, shown(Question("q", 2, RightAnswer(1, "", [])))).asked["counts"] == [0, 1]
    assert store.store_answers(pk, [given("q", "ada", 0)]) == set()
    again = store.show(pk, shown(Question("q", 2, RightAnswer(0, "", []))))
    assert again.asked == {"id": "q", "choices": 2, "counts": [0, 1], "right": 1}, "a question is revealed once"
    assert store.show(pk, shown()).asked == {}
    assert store.show(pk, shown(Question("q", 2))).asked == again.asked, "nor is it asked again"


def test_a_question_that_is_put_away_keeps_its_answers_for_when_it_is_asked_again(
    author: Browser, saved: dict[str, Any]
) -> None:
    pk = store.by_code(start(author, saved)).pk
    store.show(pk, shown(Question("q", 2)))
    store.store_answers(pk, [store.Given("q", "ada", 1)])
    assert store.show(pk, shown()).revealed == []
    assert store.store_answers(pk, [store.Given("q", "bob", 1)]) == set()
    assert store.show(pk, shown(Question("q", 2, RightAnswer(1, "", [])))).asked["counts"] == [0, 1]
    assert store.board(pk).revealed == ["q"]


def test_a_class_takes_answers_of_as_many_students_as_the_limit_says(
    author: Browser, saved: dict[str, Any], settings: Any
) -> None:
    settings.LIMITS = {**settings.LIMITS, "class_students": 3}
    pk = store.by_code(start(author, saved)).pk
    store.show(pk, shown(Question("q", 2)))
    assert len(store.store_answers(pk, [store.Given("q", name, 0) for name in "abc"])) == 3
    assert store.store_answers(pk, [store.Given("q", "d", 0)]) == set()
    assert len(store.store_answers(pk, [store.Given("q", "a", 1)])) == 1


def test_a_class_goes_when_its_run_does(author: Browser, saved: dict[str, Any]) -> None:
    pk = store.by_code(start(author, saved)).pk
    Run.objects.all().delete()
    assert store.board(pk).ended
