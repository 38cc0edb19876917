"""Visitors and their permissions: an account, or the browser that created a scenario (known by a signed cookie)."""

import hashlib
import hmac
import secrets
from collections.abc import Iterator, Mapping
from typing import Any, cast

import msgspec
from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.core import signing
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext_noop

from kschedui.models import Course, Scenario, Share

COOKIE = "__Host-editor" if settings.HTTPS else "kschedui_editor"
SALT = "kschedui.editor"
COOKIE_SECONDS = 400 * 24 * 3600  # browsers keep none for longer
TOKEN_BYTES = 18
MAX_ORIGINS = 100  # of a copy of a copy
WIDER: list[str] = [Scenario.Visibility.PRIVATE, Scenario.Visibility.UNLISTED, Scenario.Visibility.PUBLIC]


class NotAllowed(Exception):
    """The visitor has no access; the text is the sentence for the visitor."""


class Deleted(NotAllowed):
    """The scenario was deleted; it can be restored."""


class Visitor(msgspec.Struct, frozen=True):
    """A visitor. `user` is None without an account; `editor` is the browser's token, "" if it has none.

    `kept_hash`: the hash of the token, where only that is stored.
    """

    user: Any = None
    editor: str = ""
    kept_hash: str = ""

    @property
    def editor_hash(self) -> str:
        """Return the token's digest, which a scenario stores instead of the token."""
        return hashlib.sha256(self.editor.encode()).hexdigest() if self.editor else self.kept_hash

    @property
    def author(self) -> str:
        """Return the name by which the visitor's runs and idempotency keys are counted; "" without any identity."""
        return f"account {self.user.pk}" if self.user else self.editor_hash


def visitor_of(request: HttpRequest) -> Visitor:
    """Return the visitor who sent this request; in a worker, the one who sent the upload."""
    if (sender := getattr(request, "sender", None)) is not None:
        return cast(Visitor, sender)
    user = request.user if request.user.is_authenticated else None
    if getattr(request, "api_token", None):  # stands for the account only; cookies of the request are ignored
        return Visitor(user)
    return Visitor(user, getattr(request, "new_editor", "") or token_in(request.COOKIES))


def visitor_of_scope(scope: Mapping[str, Any]) -> Visitor:
    """Return the visitor who opened this websocket."""
    user = scope.get("user")
    return Visitor(user if user and user.is_authenticated else None, token_in(scope.get("cookies", {})))


def token_in(cookies: Mapping[str, str]) -> str:
    """Return the browser's token; "" if it has none or an invalid one."""
    try:
        return signing.TimestampSigner(salt=SALT).unsign(cookies.get(COOKIE, ""), max_age=COOKIE_SECONDS)
    except signing.BadSignature:
        return ""


def editing_visitor(request: HttpRequest) -> Visitor:
    """Return the visitor, with a token for the browser if there is no account; `remember` sets its cookie."""
    visitor = visitor_of(request)
    if not visitor.user and not visitor.kept_hash:
        request.new_editor = visitor.editor or secrets.token_urlsafe(TOKEN_BYTES)  # type: ignore[attr-defined] # read by `remember`
    return visitor_of(request)


def remember(request: HttpRequest, response: HttpResponseBase) -> None:
    """Set the cookie with the token from `editing_visitor`, which renews its lifetime. Do nothing without a token."""
    token = getattr(request, "new_editor", "")
    if token:
        value = signing.TimestampSigner(salt=SALT).sign(token)
        response.set_cookie(COOKIE, value, max_age=COOKIE_SECONDS, httponly=True, samesite="Lax", secure=settings.HTTPS)


def forget_sessions() -> None:
    """Remove expired sessions, which Django does not do by itself."""
    SessionStore.clear_expired()


def owns(visitor: Visitor, item: Scenario | Course) -> bool:
    """Return whether the visitor owns the scenario or course: by the account, or without one by the browser that
    created it.

    Nobody owns the scenarios of the library.
    """
    if isinstance(item, Scenario) and item.slug:
        return False
    if item.owner_id:
        return visitor.user is not None and visitor.user.pk == item.owner_id
    return bool(visitor.editor_hash) and hmac.compare_digest(visitor.editor_hash, item.editor_hash)


def may_edit(visitor: Visitor, scenario: Scenario) -> bool:
    """Return whether the visitor owns the scenario or it is shared with them for editing."""
    return owns(visitor, scenario) or shares_with(visitor, scenario).filter(may_edit=True).exists()


def may_see(visitor: Visitor, scenario: Scenario) -> bool:
    """Return whether the visitor can see the scenario.

    Everyone with the link can, unless it is private: then its owner, and accounts with which it is shared. A deleted
    scenario cannot be seen.
    """
    if scenario.deleted_at:
        return False
    open_to_all = scenario.visibility != Scenario.Visibility.PRIVATE
    return open_to_all or owns(visitor, scenario) or shares_with(visitor, scenario).exists()


def shares_with(visitor: Visitor, scenario: Scenario) -> QuerySet[Share]:
    """Return the shares of the scenario with the visitor's account or its groups; none if no account owns it."""
    user = visitor.user
    if user is None or scenario.slug or not scenario.owner_id:
        return Share.objects.none()
    return Share.objects.filter(Q(user=user) | Q(group__in=user.groups.all()), scenario=scenario)


def origins(copy: Scenario) -> Iterator[Scenario]:
    """Yield the original of a copy, then the original of that one, and so on.

    Raises NotAllowed after MAX_ORIGINS.
    """
    for _ in range(MAX_ORIGINS):
        origin = Scenario.objects.filter(versions=copy.fork_of_id).first() if copy.fork_of_id else None
        if origin is None:
            return
        yield origin
        copy = origin
    raise NotAllowed(
        gettext_noop(
            "There are too many copies between this scenario and its original. Save its text as a new scenario."
        )
    )


def secret_origin(visitor: Visitor, copy: Scenario) -> Scenario | None:
    """Return the first of the copy's originals that is private and not the visitor's own; None without one. Raises
    NotAllowed after MAX_ORIGINS.
    """
    private = (origin for origin in origins(copy) if origin.visibility == Scenario.Visibility.PRIVATE)
    return next((origin for origin in private if not owns(visitor, origin)), None)


def require_no_wider(visitor: Visitor, origin: Scenario | None, visibility: str) -> None:
    """Require a copy to be no more visible than each of its originals that belongs to somebody else.

    Raises NotAllowed.
    """
    for original in (origin, *origins(origin)) if origin else ():
        theirs = bool(original.owner_id or original.editor_hash) and not owns(visitor, original)
        if theirs and WIDER.index(visibility) > WIDER.index(original.visibility):
            raise NotAllowed(gettext_noop("A copy cannot be more visible than the original, which is not yours."))


def require_viewing(visitor: Visitor, scenario: Scenario) -> None:
    """Require that the visitor can see the scenario. Raises NotAllowed with the reason."""
    if scenario.deleted_at:
        raise Deleted(gettext_noop("This scenario was deleted."))
    if not may_see(visitor, scenario):
        raise NotAllowed(gettext_noop("This scenario is private."))


def require_editing(visitor: Visitor, scenario: Scenario) -> None:
    """Require that the visitor can edit the scenario. Raises NotAllowed with the reason."""
    if not may_edit(visitor, scenario):
        raise NotAllowed(gettext_noop("Only the author can change this scenario. You can fork it."))


def require_owner(visitor: Visitor, item: Scenario | Course) -> None:
    """Require that the visitor owns the scenario or course. Raises NotAllowed with the reason."""
    if not owns(visitor, item):
        raise NotAllowed(gettext_noop("Only the owner can do this."))
