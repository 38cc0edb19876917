"""Answers a stored request by the view that answers small ones, in a process that can be killed."""

import tempfile
import zlib
from collections.abc import Iterator
from io import BytesIO
from time import monotonic
from typing import Any, BinaryIO, NamedTuple, cast

from django.contrib.auth.models import AnonymousUser
from django.core.handlers.wsgi import WSGIRequest
from django.db import connections
from django.http import HttpRequest
from django.urls import resolve
from django.utils import translation

from kschedui.models import Upload
from kschedui.runs.turns import Requester
from kschedui.uploads import parts, store
from kschedui.work import progress

GZIP = b"\x1f\x8b"
WORK = 0.95  # of the time; then what came of it is stored


class Response(NamedTuple):
    """The response to a request: status, content type and body. The body of a redirect is its address."""

    status: int
    content_type: str
    body: bytes


def answer(pk: int) -> Response:
    """Return the response of the view to an upload that this worker holds. If repeated, changes are made only once."""
    upload = Upload.objects.select_related("owner").get(pk=pk)
    try:
        with tempfile.TemporaryFile(prefix="kschedui-upload-") as body:
            for block in parts.read(upload, parts.Kind.BODY):
                body.write(block)
            size = body.tell()
            body.seek(0)
            request = request_of(upload, cast(BinaryIO, body), size)
            view, args, kwargs = resolve(request.path)
            with translation.override(upload.language), progress.listen(ProgressRecorder(upload)):
                response = view(request, *args, **kwargs)
        body = response.headers.get("Location", "").encode() or response.content
        return Response(response.status_code, response.headers["Content-Type"], body)
    finally:
        if not connections["default"].in_atomic_block:  # as in a test
            connections.close_all()


class ProgressRecorder:
    """Stores the progress of an upload, at most twice a second."""

    def __init__(self, upload: Upload) -> None:
        self.upload = upload
        self.at = monotonic()

    def __call__(self, part: float) -> None:
        if monotonic() - self.at >= store.PROGRESS_SECONDS:
            self.at = monotonic()
            store.store_progress(self.upload, WORK * part)


class KeptRequest(WSGIRequest):
    """A stored request; Django's limit on the size of its body does not apply."""

    @property
    def body(self) -> bytes:
        if not hasattr(self, "_body"):
            self._body = self.read()
        return self._body


def request_of(upload: Upload, body: BinaryIO, size: int) -> HttpRequest:
    """Rebuild the stored request with its sender, whose permissions were checked when it arrived."""
    stored = store.StoredRequest(**upload.request)
    request = KeptRequest(
        {
            "REQUEST_METHOD": stored.method,
            "PATH_INFO": stored.path,
            "QUERY_STRING": stored.query,
            "CONTENT_TYPE": stored.content_type,
            "CONTENT_LENGTH": str(size),
            "HTTP_IDEMPOTENCY_KEY": stored.key or f"upload-{upload.public_id}",
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "80",
            "REMOTE_ADDR": "",
            "wsgi.input": body,
        }
    )
    request.user = upload.owner or AnonymousUser()
    wsgi: Any = request
    wsgi.upload, wsgi.sender = upload, store.sender_of(upload)
    wsgi.requester = Requester(upload.party, upload.author, upload.address)
    return request


# --- In the web process -------------------------------------------------------------------------------------------


def upload_of(request: HttpRequest) -> Upload | None:
    """Return the upload that a worker is answering; None in a web process."""
    return getattr(request, "upload", None)


def stored_request_of(request: HttpRequest) -> store.StoredRequest:
    """Return the parts of the request that are stored with its body."""
    return store.StoredRequest(
        request.method or "",
        request.path,
        request.META.get("QUERY_STRING", ""),
        request.META.get("CONTENT_TYPE", ""),
        request.headers.get("Idempotency-Key", ""),
    )


def blocks_of(request: HttpRequest, head: bytes) -> Iterator[bytes]:
    """Yield the whole body; `head` has already been read."""
    yield head
    while block := request.read(parts.PIECE):
        yield block


def read_small(request: HttpRequest, most: int) -> bytes | None:
    """Read the body if it has at most this many bytes, uncompressed, and return None; the view then reads it as usual.

    Otherwise return the first part of it; the rest is still to be read.
    """
    head = request.read(most + 1)
    if len(head) > most or unpacks_to_more(head, most):
        return head
    request._body = head  # as `request.body` keeps it
    request._stream = BytesIO(head)
    return None


def unpacks_to_more(packed: bytes, most: int) -> bool:
    """Return whether the bytes are gzip data of more than `most` uncompressed bytes."""
    unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        return packed.startswith(GZIP) and len(unpacker.decompress(packed, most + 1)) > most
    except zlib.error:
        return False
