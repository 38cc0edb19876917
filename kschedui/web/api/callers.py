"""Who calls the API: a script with a token, or one of the site's own pages (or anybody who only reads) with cookies."""

from typing import Any

from django.http import HttpRequest
from django.utils import translation
from django.utils.translation import gettext_noop
from ninja.security import HttpBearer
from ninja.utils import check_csrf

from kschedui.accounts import tokens
from kschedui.web.api.answers import Refusal
from kschedui.web.api.rates import count
from scheduler_core.apis.messages import Message

SAFE = ("GET", "HEAD")
CHALLENGE = {"WWW-Authenticate": 'Bearer realm="kschedui"'}


class Caller(HttpBearer):
    """Of an operation: the scope that a token needs, and the name under which calls are counted.

    A call with a token is answered in English, whoever's server it comes from, and its cookies count for nothing.
    """

    def __init__(self, scope: str, limit: str) -> None:
        super().__init__()
        self.scope = scope
        self.limit = limit

    def __call__(self, request: HttpRequest) -> Any:
        """True when the call may go on; raises Refusal."""
        header = request.headers.get("Authorization")
        if header is None:
            count(request, self.limit)
            if request.method not in SAFE and check_csrf(request):
                sentence = gettext_noop("Send a token, or the site's cookie together with X-CSRFToken.")
                raise Refusal(403, sentence, code="csrf_failed")
            return True
        translation.activate("en")
        scheme, _, secret = header.partition(" ")
        return self.authenticate(request, secret.strip() if scheme.lower() == "bearer" else "")

    def authenticate(self, request: HttpRequest, secret: str) -> Any:
        """The account of the token is the visitor from here on."""
        token = tokens.find(secret) if secret else None
        if token is None:
            count(request, self.limit)
            raise Refusal(401, gettext_noop("This is no token of this site, or it was revoked."), headers=CHALLENGE)
        request.user = token.owner
        request.api_token = token  # type: ignore[attr-defined]
        count(request, self.limit)
        if not tokens.allows(token, self.scope):
            sentence = Message("This token lacks the scope {scope}.", scope=self.scope)
            raise Refusal(403, sentence, code="insufficient_scope")
        return True


def reads(limit: str = "read") -> Caller:
    """For an operation that changes nothing."""
    return Caller(tokens.READ, limit)


def writes(limit: str) -> Caller:
    """For one that does."""
    return Caller(tokens.WRITE, limit)
