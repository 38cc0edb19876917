"""/api/v1: combines the operations, and handles what they have in common: problems, the visitor's cookie, caching."""

from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import gettext_noop
from ninja.errors import HttpError, ValidationError
from ninja.parser import Parser

from kschedui.language import in_language
from kschedui.web.api.bodies import parse_json
from kschedui.web.api.callers import Acceptable, Large
from kschedui.web.api.document import DocumentedAPI
from kschedui.web.api.field_messages import message_of
from kschedui.web.api.rates import rate_headers
from kschedui.web.api.refusals import Refusal, refusal_json, refusal_of
from kschedui.web.api.routes import (
    challenges,
    courses,
    experiments,
    imports,
    library,
    runs,
    scenarios,
    shares,
    texts,
    uploads,
    versions,
)
from kschedui.web.api.routes.what_if import autoscaling, operations
from kschedui.web.api.routes.what_if import routes as what_if
from kschedui.web.api.shapes import Waiting, WorkAhead
from kschedui.web.api.visitors import with_token
from kschedui.web.api.work import preferred_seconds
from kschedui.web.http.problems import API_PREFIX, MEDIA_TYPE
from kschedui.work.work_pool import Busy
from scheduler_core.apis.messages import Message


class BodyParser(Parser):
    """Parses bodies within limits."""

    def parse_body(self, request: HttpRequest) -> Any:
        """Parse the body. Raises ValueError or Refusal."""
        return parse_json(request.body)


SERVERS = [{"url": "/", "description": "This site"}]
api = DocumentedAPI(
    title="kschedui", version="1", urls_namespace="v1", docs_url=None, parser=BodyParser(), servers=SERVERS
)
for routes in (library, texts, imports):
    api.add_router("", routes.router)
api.add_router("/uploads", uploads.router)
api.add_router("/scenarios", imports.saving)
for routes in (scenarios, versions, shares):
    api.add_router("/scenarios", routes.router)
for routes in (runs, what_if, operations, autoscaling):
    api.add_router("/runs", routes.router)
api.add_router("/experiments", experiments.router)
api.add_router("/courses", courses.router)
api.add_router("/scenarios", challenges.router)
api.add_router("/classes", challenges.classes)


@api.exception_handler(Exception)
def refuse(request: HttpRequest, error: Exception) -> HttpResponseBase:
    """Return the problem document for an exception."""
    return refusal_json(refusal_of(error))


@api.exception_handler(Large)
def accepted(request: HttpRequest, error: Large) -> HttpResponseBase:
    """Store a large request for a worker, and return its state with the URL at which to ask for it again."""
    try:
        upload = uploads.keep_request(request, error.head)
    except Exception as refusal:
        return refuse(request, refusal)
    description = uploads.describe(upload)
    response = api.create_response(request, description.model_dump(mode="json"), status=202)
    response["Location"], response["Retry-After"] = description.url, "1"
    return response


@api.exception_handler(Acceptable)
def acceptable(request: HttpRequest, error: Acceptable) -> HttpResponse:
    """Return the response after which the server reads the body."""
    return HttpResponse(status=100)


@api.exception_handler(Busy)
def waiting(request: HttpRequest, error: Busy) -> HttpResponseBase:
    """Return the place in the queue to a client that asks again, a refusal to any other."""
    if error.ahead is None or preferred_seconds(request) is None:
        return refuse(request, error)
    waiting_for = Waiting(ahead=WorkAhead(**error.ahead._asdict()))
    response = api.create_response(request, waiting_for.model_dump(mode="json"), status=202)
    response["Retry-After"] = "1"
    return response


@api.exception_handler(HttpError)
def unreadable(request: HttpRequest, error: HttpError) -> HttpResponseBase:
    """Return the refusal for a body that ninja could not parse."""
    if isinstance(error.__context__, Refusal):
        return refusal_json(error.__context__)
    if isinstance(error.__context__, RequestDataTooBig):
        return refuse(request, error.__context__)
    return refusal_json(Refusal(400, gettext_noop("Send a JSON object.")))


@api.exception_handler(ValidationError)
def invalid(request: HttpRequest, error: ValidationError) -> HttpResponseBase:
    """Return the refusal for missing, unknown or invalid fields, each with its path."""
    rows = [{"path": path_of(row["loc"]), "message": in_language(message_of(row))} for row in error.errors]
    sentence = Message("{path}: {message}", path=rows[0]["path"], message=rows[0]["message"])
    return refusal_json(Refusal(422, sentence, code="invalid_request", errors=rows))


def path_of(location: tuple[Any, ...]) -> str:
    """Return the path of a field: `query.limit`, or for a body the names within it."""
    source, *rest = map(str, location)
    return ".".join(rest[1:] or rest) if source == "body" else ".".join([source, *rest[-1:]])


class ApiAnswers(MiddlewareMixin):
    """Common parts of all API responses."""

    def process_request(self, request: HttpRequest) -> None:
        """Treat HEAD as GET; the server leaves out the body."""
        if request.path.startswith(API_PREFIX) and request.method == "HEAD":
            request.method = "GET"

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Convert ninja's own errors to problem documents, for example for an unsupported method; add headers."""
        if not request.path.startswith(API_PREFIX):
            return response
        if request.META["REQUEST_METHOD"] == "HEAD":
            response = HttpResponse(status=response.status_code, headers=response.headers)
        if response.status_code == 405 and response.headers["Content-Type"] != MEDIA_TYPE:
            allowed = response.headers["Allow"]
            sentence = Message("This address supports only {method}.", method=allowed)
            response = refusal_json(Refusal(405, sentence, headers={"Allow": allowed}))
        for name, value in rate_headers(request).items():
            response.headers[name] = value
        return with_token(request, response)
