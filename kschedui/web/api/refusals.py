"""Refusals: the response to each exception, with status and sentence."""

import logging
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.utils.translation import gettext_noop

from kschedui.experiments.plan import ExperimentTooLarge
from kschedui.experiments.store import TooManyExperiments
from kschedui.language import in_language
from kschedui.models import Course, Experiment, Run, Scenario, Upload, Version
from kschedui.runs.storage_limits import StorageFull
from kschedui.runs.store import NOT_REPAIRED, REPAIRED, DamagedChunk
from kschedui.scenarios import access, engine
from kschedui.uploads import parts
from kschedui.uploads import store as uploads
from kschedui.web.api import jobs, rates
from kschedui.web.http import body_limit
from kschedui.web.http.health import reason_of
from kschedui.web.http.metrics import refusals
from kschedui.web.http.problems import problem, problem_response
from kschedui.work.limits import TooMuch
from kschedui.work.work_pool import Busy, ClientDisconnected
from kschedui.work.work_queue import WorkWait
from scheduler_core.apis.messages import Message
from scheduler_core.scenario.parse import ScenarioErrors

logger = logging.getLogger(__name__)


class Refusal(Exception):
    """An error that is answered with this status, this sentence in the visitor's language, and these headers.

    `code`: replaces the status's usual code (problems.py). `more`: further fields of the API's answer.
    """

    def __init__(
        self, status: int, sentence: str, *, code: str = "", headers: Mapping[str, str] | None = None, **more: Any
    ) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.status = status
        self.code = code
        self.headers = headers or {}
        self.more = more


def refusal_json(refusal: Refusal) -> HttpResponse:
    """Return a refusal in the API's format, and count it in the metrics."""
    body = problem(refusal.status, in_language(refusal.sentence), refusal.code, **refusal.more)
    refusals.labels(body["code"]).inc()
    return problem_response(body, refusal.headers)


def refusal_of(error: Exception) -> Refusal:
    """Return the refusal for an exception; unexpected ones are logged."""
    match error:
        case Refusal():
            return error
        case access.Deleted():
            return Refusal(410, str(error))
        case access.NotAllowed():
            return Refusal(403, str(error))
        case Scenario.DoesNotExist():
            return Refusal(404, gettext_noop("This scenario does not exist."))
        case Course.DoesNotExist():
            return Refusal(404, gettext_noop("This course does not exist."))
        case Version.DoesNotExist():
            return Refusal(404, gettext_noop("This version of the scenario does not exist."))
        case Run.DoesNotExist():
            return Refusal(404, gettext_noop("This run does not exist."))
        case Experiment.DoesNotExist():
            return Refusal(404, gettext_noop("This experiment does not exist."))
        case TooManyExperiments() | ExperimentTooLarge():
            return Refusal(422, error.sentence)
        case StorageFull():
            return Refusal(503 if error.here else 422, error.sentence, code="" if error.here else "no_room")
        case Upload.DoesNotExist():
            return Refusal(404, gettext_noop("This upload does not exist, or it was removed."))
        case uploads.NotDone():
            return Refusal(409, gettext_noop("There is no result, or it is not ready yet."))
        case uploads.TooManyUploads():
            return Refusal(429, error.sentence, headers={"Retry-After": "5"})
        case parts.TooManyBytes():
            return Refusal(413, packed_too_large(error.most))
        case parts.DamagedPart():
            return Refusal(410, gettext_noop("The request can no longer be read. Send it again."))
        case RequestDataTooBig():
            return Refusal(413, request_too_large())
        case MultiPartParserError() | SuspiciousOperation():
            return Refusal(400, gettext_noop("This request did not come from a page of this site."))
        case ScenarioErrors():
            return Refusal(422, error.message, code="invalid_scenario", errors=engine.error_rows(error))
        case jobs.Refused():
            first = error.rows[0]
            placed: dict[str, Any] = {"code": "invalid_scenario", "errors": error.rows} if "line" in first else {}
            return Refusal(error.status, first["message"], **placed)
        case DamagedChunk(repaired=True):
            return Refusal(503, REPAIRED, headers={"Retry-After": "2"})
        case DamagedChunk():
            return Refusal(409, NOT_REPAIRED)
        case TooMuch():
            return Refusal(422, error.sentence)
        case rates.TooOften():
            return Refusal(429, error.sentence, headers={"Retry-After": str(error.seconds)})
        case OperationalError() | InterfaceError():
            logger.warning("a request failed: %s", " ".join(str(error).split()))
            return database_refusal(error)
        case Busy():
            return busy(error.ahead)
        case ClientDisconnected():
            return Refusal(503, gettext_noop("The client has closed the connection."))
        case _:
            logger.exception("a request failed")
            return Refusal(500, gettext_noop("An internal error occurred. Nothing that was saved is lost. Try again."))


def incomplete(run: Run | None, sentence: str) -> Refusal:
    """Return the refusal of a request that needs a complete run; if the run has ended early, its sentence says that."""
    if run is not None and run.state in Run.ENDED:
        sentence = gettext_noop("The run did not finish. Open the scenario to see why.")
    return Refusal(409, sentence)


def busy(ahead: WorkWait | None) -> Refusal:
    """Return the refusal for work that cannot start yet: a client that retries soon keeps its place.

    `ahead` None: the queue is full, and the work has no place in it.
    """
    if ahead is None:
        sentence: str = gettext_noop("The server is busy: too many requests are waiting. Try again in a moment.")
        return Refusal(503, sentence, headers={"Retry-After": "10"})
    sentence = Message(
        "The server is busy. Requests before yours: {others}. Try again in a moment.",
        others=ahead.others,
    )
    return Refusal(503, sentence, headers={"Retry-After": "1"}, ahead=ahead._asdict())


DATABASE_SENTENCES = {
    "full": gettext_noop("The storage of this site is full. Its administrator has to free some space."),
    "read-only": gettext_noop("This site is in read-only mode. Saving and running are disabled."),
    "locked": gettext_noop("The database of this site is busy. Try again in a moment."),
    "away": gettext_noop("The database of this site does not respond. Try again in a moment."),
}


def database_refusal(error: Exception) -> Refusal:
    """Return a 503 with the reason why the database cannot be used."""
    return Refusal(503, DATABASE_SENTENCES[reason_of(error)], headers={"Retry-After": "10"})


def request_too_large() -> Message:
    """Return the sentence for a request that is too large for an operation without long texts."""
    return Message("The request is too large. The limit is {most:,} bytes.", most=settings.LIMITS["direct_bytes"])


def packed_too_large(most: int) -> Message:
    """Return the sentence for a compressed request above the limit."""
    return Message(
        "Compressed, the request has more than {most:,} bytes, which is the limit ({setting}).",
        most=most,
        setting="KSCHEDUI_MAX_UPLOAD_BYTES",
    )


def too_large() -> Refusal:
    """Return the refusal for a text above the limit."""
    return Refusal(413, body_limit.too_large(settings.LIMITS["scenario_bytes"]))
