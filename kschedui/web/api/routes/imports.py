"""The API that reads what clusters print."""

import json
import shutil
import tempfile
from typing import Any, BinaryIO, cast

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext_noop
from ninja import Router

from kschedui.web.api import jobs
from kschedui.web.api.answers import Refusal, worked
from kschedui.web.api.callers import reads
from kschedui.web.api.document import dump
from kschedui.web.api.shapes import Imported

router = Router(tags=["texts"])

BLOCK = 1024 * 1024


@router.post(
    "/import", auth=reads("check"), response=Imported, summary="Make a scenario of a dump", openapi_extra=dump()
)
def import_text(request: HttpRequest) -> Imported:
    """What kubectl or kube-scheduler-simulator printed, as a scenario; `notes` say what was left out or added. The body
    is {text} as JSON; with another Content-Type it is the dump itself, which gzip may have packed."""
    most = settings.LIMITS["import_bytes"]
    with tempfile.NamedTemporaryFile(prefix="kschedui-import-") as file:
        source = dump_in(request)
        if isinstance(source, str):
            file.write(source.encode("utf-8", "surrogatepass"))
        else:
            shutil.copyfileobj(source, file, BLOCK)
        file.flush()
        text, notes = worked(request, jobs.convert, file.name, most, size=file.tell())
    return Imported(text=text, notes=notes)


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
