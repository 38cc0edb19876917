"""What every view shares: who may ask how often, JSON in, JSON out, and refusals as sentences."""

import functools
import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, JsonResponse, RawPostDataException
from django.http.response import HttpResponseBase
from django.utils.cache import patch_cache_control
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_noop

from kschedui.language import spoken
from kschedui.models import Run, Scenario, Version
from kschedui.runs.room import NoRoom, require_room
from kschedui.runs.turns import Asker
from kschedui.scenarios import access, engine
from kschedui.web import heavy
from kschedui.web.api import jobs, rates
from kschedui.web.api.rates import count
from kschedui.web.http import body_limit
from kschedui.web.http.client_address import client_of
from kschedui.web.http.health import reason_of
from scheduler_core.apis.messages import Message
from scheduler_core.scenario.parse import ScenarioErrors

logger = logging.getLogger(__name__)

View = Callable[..., HttpResponseBase]
LIGHT = 32_000  # characters: a text that is read in a few hundredths of a second


def asker_of(request: HttpRequest) -> Asker:
    """By whom a run that this visitor asks for is counted."""
    visitor = access.visitor_of(request)
    address = salted_hmac("kschedui.address", client_of(request.META.get("REMOTE_ADDR", ""))).hexdigest()
    author = f"account {visitor.user.pk}" if visitor.user else visitor.editor_hash
    return Asker(author if visitor.user else address, author, address)


class Refusal(Exception):
    """The answer is this status with this sentence, in the visitor's language, and these headers; `more` goes into the
    JSON beside it. `rows` are the API's errors where there are several, or where they have places."""

    def __init__(
        self,
        status: int,
        sentence: str,
        *,
        headers: Mapping[str, str] | None = None,
        rows: list[dict[str, Any]] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(sentence)
        self.rows = rows
        self.sentence = sentence
        self.status = status
        self.headers = headers or {}
        self.more = more


def api_view(method: str, *, limit: str) -> Callable[[View], View]:
    """An API view: one method, rate-limited under the name `limit`, every refusal as {"errors": [...]}."""
    methods = ("GET", "HEAD") if method == "GET" else (method,)

    def wrap(view: View) -> View:
        @functools.wraps(view)
        def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            try:
                if request.method not in methods:
                    sentence = Message("This address understands {method} only.", method=method)
                    raise Refusal(405, sentence, headers={"Allow": ", ".join(methods)})
                count(request, limit)
                response = view(request, *args, **kwargs)
            except Exception as error:
                response = refusal_json(refusal_of(error))
            return finished(request, response)

        return answer

    return wrap


def finished(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """With a new visitor's token, and not kept for the next visitor, who may see something else."""
    access.remember(request, response)
    if not response.has_header("Cache-Control"):
        patch_cache_control(response, private=True, no_cache=True)
    return response


def refusal_json(refusal: Refusal) -> JsonResponse:
    """A refusal as the API says it."""
    errors = refusal.rows or [{"message": spoken(refusal.sentence)}]
    return JsonResponse({"errors": errors, **refusal.more}, status=refusal.status, headers=refusal.headers)


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
        case Version.DoesNotExist():
            return Refusal(404, gettext_noop("This scenario has no such version."))
        case Run.DoesNotExist():
            return Refusal(404, gettext_noop("There is no such run."))
        case NoRoom():
            return Refusal(503 if error.here else 422, error.sentence)
        case RequestDataTooBig():
            return too_large()
        case SuspiciousOperation():
            return Refusal(400, gettext_noop("This request is not one that a browser makes here."))
        case ScenarioErrors():
            return Refusal(422, error.message, rows=engine.error_rows(error))
        case jobs.Refused():
            return Refusal(error.status, error.rows[0]["message"], rows=error.rows)
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


def json_body(request: HttpRequest, **fields: type) -> dict[str, Any]:
    """The JSON object that was sent. `fields` are those we read and their types; an absent one is None."""
    try:
        body = json.loads(request.body)
    except (ValueError, RecursionError, RawPostDataException):  # the last: a form, which was read as one before
        raise Refusal(400, gettext_noop("Send a JSON object.")) from None
    if not isinstance(body, Mapping):
        raise Refusal(400, gettext_noop("Send a JSON object."))
    for name, kind in fields.items():
        value = body.get(name)
        if value is not None and (not isinstance(value, kind) or isinstance(value, bool)):
            expected = Message("a number") if kind is int else Message("a string")
            raise Refusal(400, Message("`{name}` must be {expected}.", name=name, expected=expected))
    return {name: body.get(name) for name in fields}


def text_of(body: Mapping[str, Any]) -> str:
    """The scenario's text in a body."""
    text = body["text"]
    if not isinstance(text, str) or not text.strip():
        raise Refusal(400, gettext_noop("`text` must be the text of a scenario."))
    if len(text.encode("utf-8", "surrogatepass")) > settings.LIMITS["scenario_bytes"]:
        raise too_large()
    return text


def worked(request: HttpRequest, job: Callable[..., Any], *args: Any, size: int, slow: bool = False) -> Any:
    """The result of one of `jobs`: at once when its work is small, else from a process of the heavy requests' pool."""
    if size <= LIGHT:
        return job(*args)
    asker = asker_of(request)
    return heavy.run(asker.author or asker.address, job, *args, seconds=settings.LIMITS["heavy_seconds"], slow=slow)


def keeping_visitor(request: HttpRequest) -> access.Visitor:
    """A visitor who is about to keep something; raises NoRoom when they have kept enough."""
    visitor = access.editing_visitor(request)
    require_room(visitor, asker_of(request).address)
    return visitor
