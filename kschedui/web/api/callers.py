"""Callers of the API: a script with a token, or a browser with cookies."""

from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest
from django.utils import translation
from django.utils.translation import gettext_noop
from ninja.security import HttpBearer
from ninja.utils import check_csrf

from kschedui.accounts import tokens
from kschedui.scenarios import access
from kschedui.uploads.responding import read_small, upload_of
from kschedui.uploads.store import require_few
from kschedui.web.api.rates import count
from kschedui.web.api.refusals import Refusal
from kschedui.web.api.visitors import keeping_visitor, requester_of
from scheduler_core.apis.messages import Message

SAFE = ("GET", "HEAD")
CHALLENGE = {"WWW-Authenticate": 'Bearer realm="kschedui"'}


class Large(Exception):
    """The request has to be stored, for a worker to answer it. `head`: the part of its body that has been read."""

    def __init__(self, head: bytes = b"") -> None:
        super().__init__()
        self.head = head


class Acceptable(Exception):
    """The headers of a large request are accepted; its body can be received."""


class Caller(HttpBearer):
    """A caller of an operation: the scope that a token needs, and the name under which calls are counted.

    A call with a token is answered in English, and its cookies are ignored.
    """

    def __init__(
        self, scope: str, limit: str, *, large: bool = False, later: bool = False, waits: bool = False
    ) -> None:
        super().__init__()
        self.scope = scope
        self.limit = limit
        self.large = large
        self.later = later or large
        self.waits = waits or self.later

    def __call__(self, request: HttpRequest) -> Any:
        """Return True if the call may proceed.

        Raises Refusal, TooOften, TooManyUploads, StorageFull or RequestDataTooBig if it may not, Large if a worker has
        to answer it, and Acceptable if only its headers have arrived so far.
        """
        if upload_of(request) is None:
            self.admit(request)
            if getattr(request, "scope", {}).get("headers_only"):
                self.require_acceptable(request)
                raise Acceptable
            if request.method not in SAFE:
                self.require_small(request)
        return True

    def require_acceptable(self, request: HttpRequest) -> None:
        """Require that a request with a large Content-Length is accepted and can be stored.

        Raises RequestDataTooBig, TooManyUploads or StorageFull.
        """
        if int(request.META.get("CONTENT_LENGTH") or 0) > settings.LIMITS["direct_bytes"]:
            if not self.large:
                raise RequestDataTooBig
            require_few(access.visitor_of(request), requester_of(request))
            keeping_visitor(request)

    def require_small(self, request: HttpRequest) -> None:
        """Require that the request can be answered in the web process. Raises Large or RequestDataTooBig."""
        most = settings.LIMITS["direct_bytes"]
        head = read_small(request, most)
        if head is not None:
            raise Large(head) if self.large else RequestDataTooBig

    def admit(self, request: HttpRequest) -> None:
        """Check the caller's permission, and the rate limit. Raises Refusal or TooOften."""
        header = request.headers.get("Authorization")
        if header is None:
            count(request, self.limit)
            if request.method not in SAFE and check_csrf(request):
                sentence = gettext_noop("Send a token, or the site's cookie together with X-CSRFToken.")
                raise Refusal(403, sentence, code="csrf_failed")
            return
        translation.activate("en")
        scheme, _, secret = header.partition(" ")
        self.authenticate(request, secret.strip() if scheme.lower() == "bearer" else "")

    def authenticate(self, request: HttpRequest, secret: str) -> None:
        """Authenticate by token: its account becomes the visitor. Raises Refusal or TooOften."""
        token = tokens.find(secret) if secret else None
        if token is None:
            count(request, self.limit)
            raise Refusal(401, gettext_noop("The token is invalid, was revoked, or has expired."), headers=CHALLENGE)
        request.user = token.owner
        request.api_token = token  # type: ignore[attr-defined] # read by `rates` and `access`
        count(request, self.limit)
        if not tokens.allows(token, self.scope):
            sentence = Message("This token lacks the scope {scope}.", scope=self.scope)
            raise Refusal(403, sentence, code="insufficient_scope")


def leave_large(request: HttpRequest, size: int) -> None:
    """Leave a request that stores a text of this many bytes to a worker if it is large. Raises Large.

    A text of 24 MB may take 200 MB here: with a single emoji, each of its characters takes four bytes.
    """
    if size > settings.LIMITS["direct_bytes"] and upload_of(request) is None:
        raise Large


def reads(limit: str = "read", *, large: bool = False, waits: bool = False) -> Caller:
    """Return the caller of an operation that changes nothing.

    `large`: it accepts a text of any length. `waits`: its work may have to wait for its turn.
    """
    return Caller(tokens.READ, limit, large=large, waits=waits)


def writes(limit: str, *, large: bool = False, later: bool = False, waits: bool = False) -> Caller:
    """Return the caller of an operation that changes something.

    `large` and `waits` as for `reads`. `later`: a worker may answer it.
    """
    return Caller(tokens.WRITE, limit, large=large, later=later, waits=waits)
