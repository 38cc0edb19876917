"""Refusals as RFC 9457 problem documents: `code` and `title` never change, `detail` is a sentence for people."""

import json
from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse

MEDIA_TYPE = "application/problem+json"
API_PREFIX = "/api/"
PAGE = "/api/v1/docs"  # which tells what each code means

# code: (status, title, when it comes). A code that is out in the world stays as it is.
PROBLEMS = {
    "bad_request": (400, "Bad request", "The request, or its JSON, cannot be read."),
    "invalid_token": (401, "Invalid token", "The token is not of this site, was revoked, or has expired."),
    "forbidden": (403, "Forbidden", "You may not see this, or not change it."),
    "insufficient_scope": (403, "Insufficient scope", "The token may not do this; make one with the scope it needs."),
    "csrf_failed": (403, "CSRF check failed", "A change without a token needs the site's own cookie and X-CSRFToken."),
    "not_found": (404, "Not found", "There is no such thing, or no such address."),
    "method_not_allowed": (405, "Method not allowed", "The address understands the methods in Allow."),
    "conflict": (409, "Conflict", "What was asked does not fit the state that things are in."),
    "version_conflict": (409, "Version conflict", "Somebody saved meanwhile; `version` is the newest number."),
    "deleted": (410, "Deleted", "It was there, and its owner may bring it back."),
    "too_large": (413, "Too large", "The text is longer than the limit."),
    "invalid_request": (422, "Invalid request", "A field is missing, unknown or of another type: see `errors`."),
    "invalid_scenario": (422, "Invalid scenario", "The text is not understood: see `errors`, with lines and paths."),
    "unprocessable": (422, "Unprocessable", "It is understood, but not done here; `detail` says why."),
    "no_room": (422, "No room", "You, or your address, keep as much here as you may."),
    "idempotency_key_reused": (422, "Idempotency key reused", "This Idempotency-Key stands for another request."),
    "too_many_requests": (429, "Too many requests", "Wait for as many seconds as Retry-After says."),
    "internal_error": (500, "Internal error", "Something failed here; nothing that was saved is lost."),
    "unavailable": (503, "Unavailable", "Something that the site needs is busy, full or away; try again later."),
}
BY_STATUS = {
    400: "bad_request",
    401: "invalid_token",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    409: "conflict",
    410: "deleted",
    413: "too_large",
    422: "unprocessable",
    429: "too_many_requests",
    503: "unavailable",
}


def problem(status: int, detail: str, code: str = "", **more: Any) -> dict[str, Any]:
    """Return the document; `code` may be more specific than the status."""
    code = code or BY_STATUS.get(status, "internal_error")
    members = {"type": f"{PAGE}#{code}", "title": PROBLEMS[code][1], "status": status, "code": code, "detail": detail}
    return {**members, **more}


def problem_response(members: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> HttpResponse:
    """Return the HTTP response of a problem."""
    return HttpResponse(json.dumps(members), status=members["status"], content_type=MEDIA_TYPE, headers=headers)
