"""A student's seat: a signed cookie with the class and a random token, valid for that class's run only."""

import hashlib
import secrets
from collections.abc import Mapping
from typing import NamedTuple

from django.conf import settings
from django.core import signing
from django.http.response import HttpResponseBase

from kschedui.classrooms import store
from kschedui.models import Run
from kschedui.scenarios import access

COOKIE = "__Host-class" if settings.HTTPS else "kschedui_class"
SALT = "kschedui.class"
SECONDS = int(store.LASTS.total_seconds())
TOKEN_BYTES = 12


class Seat(NamedTuple):
    """A student's seat in a class."""

    code: str
    token: str

    @property
    def student(self) -> str:
        """Return the student's id, which differs between classes."""
        return hashlib.sha256(f"{self.code} {self.token}".encode()).hexdigest()[:32]


def seat_in(cookies: Mapping[str, str]) -> Seat | None:
    """Return the browser's seat, if it has a valid one."""
    try:
        signed_text = signing.TimestampSigner(salt=SALT).unsign(cookies.get(COOKIE, ""), max_age=SECONDS)
    except signing.BadSignature:
        return None
    return Seat._make(signed_text.split(".", 1))


def give(response: HttpResponseBase, code: str) -> None:
    """Set a seat cookie for the class that lasts as long as the class."""
    value = signing.TimestampSigner(salt=SALT).sign(f"{code}.{secrets.token_urlsafe(TOKEN_BYTES)}")
    response.set_cookie(COOKIE, value, max_age=SECONDS, httponly=True, samesite="Lax", secure=settings.HTTPS)


def sits_before(cookies: Mapping[str, str], run: Run) -> bool:
    """Return whether this browser has a seat in a class that currently shows the run."""
    seat = seat_in(cookies)
    if seat is None:
        return False
    classroom = store.live().filter(code=seat.code, run=run).first()
    return classroom is not None and not store.is_over(classroom)


def require_sight(visitor: access.Visitor, cookies: Mapping[str, str], run: Run) -> None:
    """Require access to a run through its scenario or its class. Raises NotAllowed."""
    if not sits_before(cookies, run):
        access.require_sight(visitor, run.version.scenario)
