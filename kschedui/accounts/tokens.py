"""API tokens: created and revoked by their owner, shown once, stored as a hash; a change of the password ends them.

The secret is 256 random bits, so a fast hash is as secure as a slow one.
"""

import hashlib
import secrets
from datetime import timedelta
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from kschedui.in_turn import in_turn
from kschedui.models import ApiToken

PREFIX = "ksu_"  # by which a scanner for leaked secrets, and a person, knows what it is
READ, WRITE = "read", "write"
SCOPES = (READ, WRITE)
MAX_TOKENS = 50  # of one account
USED_AGAIN = timedelta(minutes=1)  # between updates of `last_used`: a busy script does not write with each call


class TooManyTokens(Exception):
    """The account already has the maximum number of tokens."""


class EndTokens:
    """A password validator that accepts every password: its hook is how Django reports that one was changed."""

    def validate(self, password: str, user: Any = None) -> None:
        """Accept the password."""

    def get_help_text(self) -> str:
        """Return the sentence that forms show below the new password."""
        return _("A change of the password revokes all tokens of the account.")

    def password_changed(self, password: str, user: Any = None) -> None:
        """Revoke the account's tokens."""
        if user is not None:
            of_owner(user).delete()


def make(owner: Any, name: str, scopes: list[str], days: int | None = None) -> tuple[ApiToken, str]:
    """Return a new token and its secret, which is shown only once. The token expires after `days`; with None, it never
    does.

    Raises TooManyTokens.
    """
    secret = PREFIX + secrets.token_urlsafe(32)
    valid_scopes = [scope for scope in SCOPES if scope in scopes]
    with in_turn(f"tokens of {owner.pk}"):
        if of_owner(owner).count() >= MAX_TOKENS:
            raise TooManyTokens
        expires = timezone.now() + timedelta(days=days) if days is not None else None
        token = ApiToken.objects.create(
            owner=owner, name=name, sha256=sha256(secret), scopes=" ".join(valid_scopes), expires=expires
        )
        return token, secret


def find(secret: str) -> ApiToken | None:
    """Return the token with this secret, or None if there is none, it has expired, or its account is inactive.

    Records the use of the token.
    """
    now = timezone.now()
    valid = ApiToken.objects.filter(Q(expires=None) | Q(expires__gt=now), owner__is_active=True)
    api_token = valid.select_related("owner").filter(sha256=sha256(secret)).first()
    if api_token:
        stale = Q(last_used=None) | Q(last_used__lt=now - USED_AGAIN)
        ApiToken.objects.filter(stale, pk=api_token.pk).update(last_used=now)
    return api_token


def allows(token: ApiToken, scope: str) -> bool:
    """Return whether the token has the scope."""
    return scope in token.scopes.split()


def of_owner(owner: Any) -> QuerySet[ApiToken]:
    """Return the owner's tokens, newest first."""
    return ApiToken.objects.filter(owner=owner)


def revoke(owner: Any, pk: int) -> None:
    """Delete a token with this key if it is the owner's."""
    of_owner(owner).filter(pk=pk).delete()


def sha256(secret: str) -> str:
    """Return the hash under which a secret is stored."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
