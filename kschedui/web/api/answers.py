"""What every view shares: who may ask how often, and refusals as sentences."""

import logging
from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.http.response import HttpResponseBase
from django.utils.cache import patch_cache_control
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_noop

from kschedui.experiments.plan import TooLarge
from kschedui.experiments.store import TooMany
from kschedui.language import spoken
from kschedui.models import Course, Experiment, Run, Scenario, Version
from kschedui.runs.room import NoRoom, require_room
from kschedui.runs.turns import Asker
from kschedui.scenarios import access, engine
from kschedui.web import heavy
from kschedui.web.api import jobs, rates
from kschedui.web.http import body_limit
from kschedui.web.http.client_address import client_of
from kschedui.web.http.health import reason_of
from kschedui.web.http.metrics import refusals
from kschedui.web.http.problems import problem, problem_response
from scheduler_core.scenario.parse import ScenarioErrors

logger = logging.getLogger(__name__)

LIGHT = 32_000  # characters: a text that is read in a few hundredths of a second


def asker_of(request: HttpRequest) -> Asker:
    """By whom a run that this visitor asks for is counted."""
    visitor = access.visitor_of(request)
    address = salted_hmac("kschedui.address", client_of(request.META.get("REMOTE_ADDR", ""))).hexdigest()
    author = f"account {visitor.user.pk}" if visitor.user else visitor.editor_hash
    return Asker(author if visitor.user else address, author, address)


class Refusal(Exception):
    """The answer is this status with this sentence, in the visitor's language, and these headers. The API adds `code`
    (problems.py), where there is more than one of the status, and `more`."""

    def __init__(
        self, status: int, sentence: str, *, code: str = "", headers: Mapping[str, str] | None = None, **more: Any
    ) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.status = status
        self.code = code
        self.headers = headers or {}
        self.more = more


def finished(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """With a new visitor's token, and not kept for the next visitor, who may see something else."""
    access.remember(request, response)
    if not response.has_header("Cache-Control"):
        patch_cache_control(response, private=True, no_cache=True)
    return response


def refusal_json(refusal: Refusal) -> HttpResponse:
    """A refusal as the API says it."""
    found = problem(refusal.status, spoken(refusal.sentence), refusal.code, **refusal.more)
    refusals.labels(found["code"]).inc()
    return problem_response(found, refusal.headers)


def refusal_of(error: Exception) -> Refusal:
    """What to tell about an exception; one that nobody foresaw is logged."""
    match error:
        case Refusal():
            return error
        case access.Deleted():
            return Refusal(410, str(error))
        case access.NotAllowed():
            return Refusal(403, str(error))
        case Scenario.DoesNotExist():
            return Refusal(404, gettext_noop("There is no such scenario."))
        case Course.DoesNotExist():
            return Refusal(404, gettext_noop("There is no such course."))
        case Version.DoesNotExist():
            return Refusal(404, gettext_noop("This scenario has no such version."))
        case Run.DoesNotExist():
            return Refusal(404, gettext_noop("There is no such run."))
        case Experiment.DoesNotExist():
            return Refusal(404, gettext_noop("There is no such experiment."))
        case TooMany() | TooLarge():
            return Refusal(422, error.sentence)
        case NoRoom():
            return Refusal(503 if error.here else 422, error.sentence, code="" if error.here else "no_room")
        case RequestDataTooBig():
            return too_large()
        case MultiPartParserError() | SuspiciousOperation():
            return Refusal(400, gettext_noop("This request is not one that a browser makes here."))
        case ScenarioErrors():
            return Refusal(422, error.message, code="invalid_scenario", errors=engine.error_rows(error))
        case jobs.Refused():
            first = error.rows[0]
            placed: dict[str, Any] = {"code": "invalid_scenario", "errors": error.rows} if "line" in first else {}
            return Refusal(error.status, first["message"], **placed)
        case heavy.TooMuch():
            return Refusal(422, error.sentence)
        case rates.TooOften():
            return Refusal(429, error.sentence, headers={"Retry-After": str(error.seconds)})
        case OperationalError() | InterfaceError():
            logger.warning("a request failed: %s", " ".join(str(error).split()))
            return database_refusal(error)
        case heavy.Busy():
            return Refusal(503, str(error), headers={"Retry-After": str(heavy.SECONDS_IN_LINE)})
        case _:
            logger.exception("a request failed")
            return Refusal(
                500, gettext_noop("Something failed here. Nothing that was saved is lost; please try again.")
            )


DATABASE_SENTENCES = {
    "full": gettext_noop("This site has no room left to keep anything; whoever runs it has to make some."),
    "read-only": gettext_noop("This site can only be read at the moment; nothing can be saved or run."),
    "locked": gettext_noop("This site's database is busy; please try again in a moment."),
    "away": gettext_noop("This site's database does not answer; please try again in a moment."),
}


def database_refusal(error: Exception) -> Refusal:
    """503, and why."""
    return Refusal(503, DATABASE_SENTENCES[reason_of(error)], headers={"Retry-After": "10"})


def too_large() -> Refusal:
    """For a text above the limit."""
    return Refusal(413, body_limit.too_large(settings.LIMITS["scenario_bytes"]))


def worked(request: HttpRequest, job: Callable[..., Any], *args: Any, size: int, slow: bool = False) -> Any:
    """The result of one of `jobs`: at once when its work is small, else from a process of the heavy requests' pool."""
    if size <= LIGHT:
        return job(*args)
    asker = asker_of(request)
    return heavy.run(asker.author or asker.address, job, *args, seconds=settings.LIMITS["heavy_seconds"], slow=slow)


def near(request: HttpRequest, job: Callable[..., Any], name: Any, *args: Any, size: int, slow: bool = False) -> Any:
    """The same of a job that keeps something under its first argument: questions with that go to one process."""
    if size <= LIGHT:
        return job(name, *args)
    asker, seconds = asker_of(request), settings.LIMITS["heavy_seconds"]
    return heavy.run(asker.author or asker.address, job, name, *args, seconds=seconds, slow=slow, near=name)


def keeping_visitor(request: HttpRequest) -> access.Visitor:
    """A visitor who is about to keep something; raises NoRoom when they have kept enough."""
    visitor = access.editing_visitor(request)
    require_room(visitor, asker_of(request).address)
    return visitor
