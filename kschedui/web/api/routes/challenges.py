"""Challenges: evaluate an answer, alone or in a class, and list who has solved the challenge of a class."""

from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext_noop
from ninja import Router

from kschedui.classrooms import store, student_cookie
from kschedui.models import Classroom, Version
from kschedui.scenarios import access
from kschedui.scenarios import store as scenarios
from kschedui.scenarios.prose import clean_title
from kschedui.web.api import jobs, rates
from kschedui.web.api.callers import reads
from kschedui.web.api.refusals import Refusal
from kschedui.web.api.routes.texts import require_size
from kschedui.web.api.shapes import ClassAnswerIn, Judged, Solvers, TextIn
from kschedui.web.api.visitors import visible_scenario
from kschedui.web.api.work import work

router = Router(tags=["challenges"])
classes = Router(tags=["challenges"])


@router.post(
    "/{id:sid}/versions/{n:number}/challenge",
    auth=reads("run", waits=True),
    response=Judged,
    url_name="challenge",
    summary="Judge an answer to a challenge",
)
def judge(request: HttpRequest, sid: str, number: int, body: TextIn) -> dict[str, Any]:
    """Evaluate an answer. Only documents of the requested kinds count. The first variant that fails is named."""
    _, scenario = visible_scenario(request, sid)
    return verdicts_on(request, scenarios.version(scenario, number), body.text)


@classes.post(
    "/{id:code}/challenge",
    auth=reads("run", waits=True),
    response=Judged,
    url_name="class-challenge",
    summary="Judge an answer in a class",
)
def try_in_class(request: HttpRequest, code: str, body: ClassAnswerIn) -> dict[str, Any]:
    """Evaluate a student's answer to the challenge of a class, and count the try, which the teacher can see."""
    classroom = require_class(request, code)
    cookie = student_cookie.read_student_cookie(request.COOKIES)
    if cookie is None or cookie.code != classroom.code or store.is_over(classroom):
        raise Refusal(403, gettext_noop("Join the class first."))
    verdict = verdicts_on(request, classroom.run.version, body.text)
    store.keep_try(classroom.pk, cookie.student, clean_title(body.name), verdict["held"], solved=verdict["solved"])
    return verdict


@classes.get("/{id:code}/challenge", auth=reads(), response=Solvers, summary="Who has solved the challenge of a class")
def solvers(request: HttpRequest, code: str) -> dict[str, Any]:
    """List the students' tries at the challenge of a class, for its teacher."""
    classroom = require_class(request, code)
    if not store.teaches(access.visitor_of(request), classroom):
        raise Refusal(403, gettext_noop("Only the teacher of a class can see who has solved its challenge."))
    rows = classroom.solvers.values("name", "tries", "held", "solved_in")
    return {"variants": challenge_of(classroom.run.version)["variants"], "students": list(rows)}


def require_class(request: HttpRequest, code: str) -> Classroom:
    """Return the class with the code. Raises Refusal for a wrong one, which is counted, and TooOften after many."""
    rates.require_code(request)
    try:
        return store.by_code(code)
    except store.NoClass as error:
        rates.count_wrong_code(request)
        raise Refusal(404, error.args[0]) from None


def challenge_of(version: Version) -> dict[str, Any]:
    """Return the public data of a challenge (engine.challenge_summary). Raises Refusal if the version has none."""
    challenge: dict[str, Any] | None = version.summary.get("challenge")
    if challenge is None:
        raise Refusal(404, gettext_noop("This scenario is not a challenge."))
    return challenge


def verdicts_on(request: HttpRequest, version: Version, text: str) -> dict[str, Any]:
    """Return the evaluation of the answer in a text. Raises Refusal."""
    challenge_of(version)
    return work(request, jobs.judge, scenarios.text_for_work(version), version.challenge, require_size(text))
