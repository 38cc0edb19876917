"""The OpenAPI document: what ninja derives from the operations, and additions that it cannot know.

These are problems, scopes, the engine's records (which msgspec describes), and responses that are not JSON.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation
from pydantic.json_schema import models_json_schema

from kschedui.runs.frames import MEDIA_TYPE as CHUNK
from kschedui.web.api.callers import SAFE, Caller
from kschedui.web.api.shapes import ID, Problem, Waiting
from kschedui.web.http.problems import MEDIA_TYPE, PROBLEMS

REFERENCE = "#/components/schemas/{name}"
PARAMETERS = {  # of paths: what the URL's converters let through
    "sid": {"type": "string", "pattern": ID},
    "rid": {"type": "string", "pattern": ID},
    "eid": {"type": "string", "pattern": ID},
    "uid": {"type": "string", "pattern": ID},
    "name": {"type": "string", "pattern": r"^[0-9A-Za-z._:-]{1,253}$"},
}
PARAMETERS |= dict.fromkeys(("kind", "namespace"), PARAMETERS["name"])
NUMBER = {"type": "integer", "minimum": 0, "maximum": 999_999_999}

LATER = (
    "With `Location`: the request is large, and a worker answers it. `url` is the same address, which tells how far it "
    "is; `answer` has the answer, with the status and the body that a smaller request gets at once."
)
WAITING = (
    "Without `Location`, and only for requests with `Prefer: wait=N`: others came first for N seconds. Repeat the "
    "request; its place is kept for 15 seconds."
)

RATES = ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")
HEADERS = {  # of responses: what they say
    "Retry-After": "Seconds until it is worth asking again.",
    "WWW-Authenticate": "Bearer, and the realm.",
    "RateLimit-Limit": "Calls of this kind that you may make per minute.",
    "RateLimit-Remaining": "Calls that are left in this minute.",
    "RateLimit-Reset": "Seconds until the next minute begins.",
}
# Problems that every operation may answer with: status -> their headers.
OF_EVERY_CALL: dict[int, tuple[str, ...]] = {
    401: ("WWW-Authenticate",),
    403: (),
    429: ("Retry-After", *RATES),
    503: ("Retry-After",),
}

_records: dict[str, Any] = {}  # schemas of the engine's records that an operation answers with


def ok(media_type: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Return the description of a response that ninja does not generate."""
    return {"responses": {200: {"description": "OK", "content": {media_type: {"schema": schema}}}}}


def binary() -> dict[str, Any]:
    """Describe a response that is a chunk (200), or empty because the client's copy is current (304)."""
    described = ok(CHUNK, {"type": "string", "format": "binary"})
    described["responses"][304] = {"description": "Not Modified"}
    return described


def dump() -> dict[str, Any]:
    """Describe a body that is a dump, in JSON or unchanged."""
    text = {"type": "object", "properties": {"text": {"type": "string", "minLength": 1}}, "required": ["text"]}
    packed = {"type": "string", "format": "binary"}
    content = {"application/json": {"schema": text}, "application/octet-stream": {"schema": packed}}
    return {"requestBody": {"required": True, "content": content}}


def record(kind: Any) -> dict[str, Any]:
    """Describe a response with the JSON of one of the engine's records."""
    return ok("application/json", schema_of(kind))


def json_lines(title: str) -> dict[str, Any]:
    """Describe a response with one JSON object per line."""
    return ok("application/jsonl", {"type": "string", "title": title})


def event_stream(kind: Any) -> dict[str, Any]:
    """Describe a response with one JSON object per line, or with server-sent events."""
    schema_of(kind)
    described = json_lines("Event")
    content = described["responses"][200]["content"]
    content["text/event-stream"] = {"schema": {"type": "string", "title": "Event"}}
    return described


def schema_of(kind: Any) -> dict[str, Any]:
    """Return the schema of a msgspec record; records that it references become components of the document."""
    (schema,), components = msgspec.json.schema_components([kind], ref_template=REFERENCE)
    _records.update(components)
    return schema


def references(names: Sequence[str]) -> dict[str, Any]:
    """Return references to the headers of these names in HEADERS."""
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def problem_of(status: int) -> dict[str, Any]:
    """Describe the response with a problem of this status: its codes, and when each is sent."""
    codes = {code: when for code, (of, _, when) in PROBLEMS.items() if of == status}
    described: dict[str, Any] = {
        "description": " ".join(f"`{code}`: {when}" for code, when in codes.items()),
        "content": {MEDIA_TYPE: {"schema": {"$ref": REFERENCE.format(name="Problem")}}},
    }
    return described | ({"headers": references(OF_EVERY_CALL[status])} if OF_EVERY_CALL[status] else {})


def accepted(*, later: bool) -> dict[str, Any]:
    """Describe the 202 response of a request that is not answered yet; `later`: a worker may answer it."""
    kinds = {"UploadOut": LATER, "Waiting": WAITING} if later else {"Waiting": WAITING}
    schemas = [{"$ref": REFERENCE.format(name=name)} for name in kinds]
    return {
        "description": " ".join(kinds.values()),
        "headers": references(["Retry-After"]),
        "content": {"application/json": {"schema": {"anyOf": schemas} if later else schemas[0]}},
    }


class Document(OpenAPISchema):
    """The OpenAPI 3.1 document."""

    def operation_details(self, operation: Operation) -> dict[str, Any]:
        """Add an id, the scope that a token needs, the answer that asks to wait, the rates, and the problems."""
        details: dict[str, Any] = super().operation_details(operation)
        caller = next((auth for auth in operation.auth_callbacks if isinstance(auth, Caller)), None)
        details["operationId"] = f"{operation.view_func.__module__.rpartition('.')[2]}_{operation.view_func.__name__}"
        if caller:
            details["x-scope"] = caller.scope
        if caller and caller.waits:
            details["responses"][202] = accepted(later=caller.later)
        if caller:
            for status, response in details["responses"].items():
                if int(status) < 400:
                    response["headers"] = {**response.get("headers", {}), **references(RATES)}
            details["responses"] |= {status: problem_of(status) for status in OF_EVERY_CALL}
        content = {MEDIA_TYPE: {"schema": {"$ref": REFERENCE.format(name="Problem")}}}
        details["responses"]["default"] = {"description": "A problem", "content": content}
        return details

    def operation_parameters(self, operation: Operation) -> list[dict[str, Any]]:
        """Add the limits of parameters in the address."""
        parameters: list[dict[str, Any]] = super().operation_parameters(operation)
        for parameter in parameters:
            if parameter["in"] == "path":
                parameter["schema"] = PARAMETERS.get(parameter["name"], NUMBER)
        return parameters

    def operation_security(self, operation: Operation) -> list[dict[str, Any]]:
        """Return the security of an operation: a token or the site's cookies; reading public data needs neither."""
        either: list[dict[str, Any]] = [{"token": []}, {"session": []}]
        return [*either, {}] if set(operation.methods) <= set(SAFE) else either

    def get_components(self) -> dict[str, Any]:
        """Add the components of this module."""
        template = REFERENCE.format(name="{model}")
        own = models_json_schema([(kind, "validation") for kind in (Problem, Waiting)], ref_template=template)[1][
            "$defs"
        ]
        own["Problem"]["properties"]["code"]["enum"] = list(PROBLEMS)
        schemes = {
            "token": {"type": "http", "scheme": "bearer", "description": "Made on the account page."},
            "session": {"type": "apiKey", "in": "cookie", "name": "session", "description": "The site's own pages."},
        }
        schemas = dict(sorted({**self.schemas, **_records, **own}.items()))
        number = {"type": "integer", "minimum": 0}
        kinds = {"WWW-Authenticate": {"type": "string"}}
        headers = {name: {"description": says, "schema": kinds.get(name, number)} for name, says in HEADERS.items()}
        return {"schemas": schemas, "securitySchemes": schemes, "headers": headers}


class DocumentedAPI(NinjaAPI):
    """ninja's API with the document of this module."""

    document: OpenAPISchema | None = None

    def get_openapi_schema(self, *, path_prefix: str | None = None, path_params: Any = None) -> OpenAPISchema:
        """Return the document. It is built once, which takes a tenth of a second."""
        if self.document is None:
            self.document = Document(self, self.get_root_path(path_params or {}))
        return self.document
