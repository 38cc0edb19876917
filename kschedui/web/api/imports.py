"""The API that reads what clusters print."""

import json
from typing import Any, BinaryIO, cast

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext_noop
from ninja import Router

from kschedui.language import spoken
from kschedui.scenarios import engine, importers
from kschedui.scenarios.importers.dump_reader import TooLong
from kschedui.web.api.answers import Refusal, place_to_work
from kschedui.web.api.callers import reads
from kschedui.web.api.document import dump
from kschedui.web.api.shapes import Imported
from kschedui.web.http import body_limit

router = Router(tags=["texts"])


@router.post(
    "/import", auth=reads("check"), response=Imported, summary="Make a scenario of a dump", openapi_extra=dump()
)
def import_text(request: HttpRequest) -> Imported:
    """What kubectl or kube-scheduler-simulator printed, as a scenario; `notes` say what was left out or added. The body
    is {text} as JSON; with another Content-Type it is the dump itself, which gzip may have packed."""
    most = settings.LIMITS["import_bytes"]
    try:
        with place_to_work():
            found = importers.convert(dump_in(request), engine.limits(), most)
    except TooLong:
        raise Refusal(413, body_limit.too_large(most)) from None
    return Imported(text=found.text, notes=[spoken(note) for note in found.notes])


def dump_in(request: HttpRequest) -> str | BinaryIO:
    """The text, or the body to read it from: `request.body` would be limited to what a scenario may hold."""
    if request.content_type != "application/json":
        return cast(BinaryIO, request)
    try:
        body: Any = json.loads(request.read())
    except (ValueError, RecursionError):
        raise Refusal(400, gettext_noop("Send a JSON object.")) from None
    text = body.get("text") if isinstance(body, dict) else None
    if not isinstance(text, str) or not text.strip():
        raise Refusal(422, gettext_noop("`text` must be the text of a scenario."), code="invalid_request")
    return text
