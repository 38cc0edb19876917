"""Large requests that a worker answers: their progress, their responses, and cancelling them."""

from typing import cast

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from ninja import Router, Status

from kschedui.language import in_language
from kschedui.models import Upload
from kschedui.scenarios import access
from kschedui.uploads import responding, store
from kschedui.web.api.callers import reads, writes
from kschedui.web.api.shapes import State, UploadAhead, UploadOut
from kschedui.web.api.visitors import keeping_visitor, requester_of

router = Router(tags=["uploads"])


def keep_request(request: HttpRequest, head: bytes) -> Upload:
    """Store a large request, and return its upload; `head` of its body has been read."""
    visitor = keeping_visitor(request)
    stored = responding.stored_request_of(request)
    return store.keep(visitor, requester_of(request), stored, responding.blocks_of(request, head))


def own_upload(request: HttpRequest, uid: str) -> Upload:
    """Return an upload of the visitor. Raises Upload.DoesNotExist."""
    return store.by_id(access.visitor_of(request), uid)


def describe(upload: Upload) -> UploadOut:
    """Describe the upload in its current state."""
    ahead = store.ahead_of(upload)
    done = upload.state == store.State.DONE
    return UploadOut(
        id=upload.public_id,
        url=reverse("v1:upload", args=[upload.public_id]),
        state=cast(State, upload.state),
        ahead=UploadAhead(others=ahead.others) if ahead else None,
        progress=upload.progress,
        answer=reverse("v1:upload-answer", args=[upload.public_id]) if done else None,
        error=in_language(upload.error),
    )


@router.get("/{id:uid}", auth=reads(), response=UploadOut, url_name="upload", summary="How far a large request is")
def read(request: HttpRequest, uid: str) -> UploadOut:
    """Return the state of a request. Poll until `state` is done, failed or cancelled; once a second is enough."""
    return describe(own_upload(request, uid))


@router.get(
    "/{id:uid}/answer",
    auth=reads(),
    response=dict,
    url_name="upload-answer",
    summary="Read the answer of a large request",
)
def answer(request: HttpRequest, uid: str) -> HttpResponseBase:
    """Return the status and the body that a small request would have got immediately."""
    upload = own_upload(request, uid)
    body = b"".join(store.answer_of(upload))
    return HttpResponse(body, status=upload.status, content_type=upload.content_type)


@router.delete("/{id:uid}", auth=writes("run"), response={204: None}, summary="Cancel a large request")
def cancel(request: HttpRequest, uid: str) -> Status[None]:
    """Stop the work and delete what was stored."""
    store.cancel(own_upload(request, uid))
    return Status(204, None)
