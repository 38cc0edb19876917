"""The API for importing dumps of clusters."""

import json
import shutil
import tempfile
from typing import BinaryIO, cast

import msgspec
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_noop
from ninja import Router, Status

from kschedui.models import Version
from kschedui.scenarios import idempotency
from kschedui.scenarios import store as scenarios
from kschedui.scenarios.digest import Digest
from kschedui.uploads import store as uploads
from kschedui.uploads.responding import upload_of
from kschedui.web.api import jobs
from kschedui.web.api.bodies import parse_json
from kschedui.web.api.callers import reads, writes
from kschedui.web.api.document import dump
from kschedui.web.api.rates import count
from kschedui.web.api.refusals import Refusal
from kschedui.web.api.routes.scenarios import Key, run_and_describe
from kschedui.web.api.routes.texts import JSON
from kschedui.web.api.shapes import Imported, Saved
from kschedui.web.api.visitors import keeping_visitor, save_once
from kschedui.web.api.work import SLOW, work

router = Router(tags=["texts"])
saving = Router(tags=["scenarios"])  # an address below that of scenarios

BLOCK = 1024 * 1024


@router.post(
    "/import",
    auth=reads("check", large=True),
    response=Imported,
    summary="Make a scenario of a dump",
    openapi_extra=dump(),
)
def import_text(request: HttpRequest) -> HttpResponse:
    """Convert output of kubectl or kube-scheduler-simulator to a scenario; `notes` list what was left out or added.

    The body is {text} as JSON; with another Content-Type it is the dump itself, optionally compressed with gzip.
    """
    imported = convert_dump(request)
    upload = upload_of(request)
    if upload and imported.digest:
        uploads.keep_digest(upload, imported.digest)
    answer = {"text": imported.text, "notes": imported.notes, "checked": msgspec.Raw(imported.checked)}
    name = upload.public_id if upload and imported.digest else None
    return HttpResponse(msgspec.json.encode({**answer, "upload": name}), content_type=JSON)


@saving.post(
    "/import",
    auth=writes("save", large=True),
    response={201: Saved},
    summary="Save a dump as a new scenario, and run it",
    openapi_extra=dump(),
)
def save_dump(request: HttpRequest, key: Key = "") -> Status[Saved]:
    """Save the dump as a private scenario. Same dumps as `POST /import`, same response as `POST /scenarios`."""
    count(request, "run")
    visitor = keeping_visitor(request)
    imported = convert_dump(request)
    if imported.digest is None:
        errors = json.loads(imported.checked)["errors"]
        raise Refusal(422, errors[0]["message"], code="invalid_scenario", errors=errors)
    digest = imported.digest

    def create(digest: Digest) -> Version:
        return save_once(request, lambda visitor: scenarios.create(visitor, digest))

    version, _ = idempotency.once(visitor, key, lambda: digest.text, lambda: digest, create)
    return Status(201, run_and_describe(request, version))


def convert_dump(request: HttpRequest) -> jobs.Converted:
    """Convert the dump in a request to a scenario. Raises Refused or Refusal."""
    most = settings.LIMITS["import_bytes"]
    with tempfile.NamedTemporaryFile(prefix="kschedui-import-") as file:
        source = dump_in(request)
        if isinstance(source, str):
            file.write(source.encode("utf-8", "surrogatepass"))
        else:
            shutil.copyfileobj(source, file, BLOCK)
        file.flush()
        return work(request, jobs.convert, file.name, most, slow=file.tell() > SLOW)


def dump_in(request: HttpRequest) -> str | BinaryIO:
    """Return the text in a JSON body; for other content types, the request, from which the dump is read. Raises
    Refusal.
    """
    if request.content_type != "application/json":
        return cast(BinaryIO, request)
    try:
        body = parse_json(request.read())
    except ValueError:
        raise Refusal(400, gettext_noop("Send a JSON object.")) from None
    text = body.get("text") if isinstance(body, dict) else None
    if not isinstance(text, str) or not text.strip():
        raise Refusal(422, gettext_noop("`text` must be the text of a scenario."), code="invalid_request")
    return text
