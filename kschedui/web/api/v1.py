"""/api/v1: the operations put together, and what all of them share: problems, the visitor's cookie, caching."""

from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.deprecation import MiddlewareMixin
from django.utils.translation import gettext_noop
from ninja.errors import HttpError, ValidationError

from kschedui.web.api.answers import Refusal, finished, refusal_json, refusal_of, too_large
from kschedui.web.api.document import DocumentedAPI
from kschedui.web.api.routes import courses, experiments, imports, library, runs, scenarios, shares, texts, versions
from kschedui.web.api.routes.asking import routes as asking
from kschedui.web.http.problems import API_PREFIX, MEDIA_TYPE
from scheduler_core.apis.messages import Message

api = DocumentedAPI(title="kschedui", version="1", urls_namespace="v1", docs_url=None)
for room in (library, texts, imports):
    api.add_router("", room.router)
for room in (scenarios, versions, shares):
    api.add_router("/scenarios", room.router)
for room in (runs, asking):
    api.add_router("/runs", room.router)
api.add_router("/experiments", experiments.router)
api.add_router("/courses", courses.router)


@api.exception_handler(Exception)
def refused(request: HttpRequest, error: Exception) -> HttpResponseBase:
    """Whatever was raised, as a problem."""
    return refusal_json(refusal_of(error))


@api.exception_handler(HttpError)
def unreadable(request: HttpRequest, error: HttpError) -> HttpResponseBase:
    """ninja could not read the body."""
    if isinstance(error.__context__, RequestDataTooBig):
        return refusal_json(too_large())
    return refusal_json(Refusal(400, gettext_noop("Send a JSON object.")))


@api.exception_handler(ValidationError)
def invalid(request: HttpRequest, error: ValidationError) -> HttpResponseBase:
    """A field that is missing, unknown or wrong; each with its place."""
    rows = [{"path": path_of(row["loc"]), "message": row["msg"]} for row in error.errors]
    sentence = Message("{path}: {message}", path=rows[0]["path"], message=rows[0]["message"])
    return refusal_json(Refusal(422, sentence, code="invalid_request", errors=rows))


def path_of(location: tuple[Any, ...]) -> str:
    """`query.limit`, or the field of a body."""
    source, *rest = map(str, location)
    return ".".join(rest[1:] or rest) if source == "body" else ".".join([source, *rest[-1:]])


class ApiAnswers(MiddlewareMixin):
    """What an answer of the API needs that the operation does not know of."""

    def process_request(self, request: HttpRequest) -> None:
        """HEAD is GET whose body the server leaves out."""
        if request.path.startswith(API_PREFIX) and request.method == "HEAD":
            request.method = "GET"

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Also in the API's words what ninja says in its own: that a method is not understood."""
        if not request.path.startswith(API_PREFIX):
            return response
        if request.META["REQUEST_METHOD"] == "HEAD":
            response = HttpResponse(status=response.status_code, headers=response.headers)
        if response.status_code == 405 and response.headers["Content-Type"] != MEDIA_TYPE:
            allowed = response.headers["Allow"]
            sentence = Message("This address understands {method} only.", method=allowed)
            response = refusal_json(Refusal(405, sentence, headers={"Allow": allowed}))
        return finished(request, response)
