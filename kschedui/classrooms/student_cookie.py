"""The cookie by which a student is recognised: signed, with the class and a random token, valid for that class only."""

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


class StudentCookie(NamedTuple):
    """The content of a student's cookie: the code of the class and a random token."""

    code: str
    token: str

    @property
    def student(self) -> str:
        """Return the student's id, which differs between classes."""
        return hashlib.sha256(f"{self.code} {self.token}".encode()).hexdigest()[:32]


def read_student_cookie(cookies: Mapping[str, str]) -> StudentCookie | None:
    """Return the content of the browser's student cookie; None without a valid one."""
    try:
        signed_text = signing.TimestampSigner(salt=SALT).unsign(cookies.get(COOKIE, ""), max_age=SECONDS)
    except signing.BadSignature:
        return None
    return StudentCookie._make(signed_text.split(".", 1))


def set_student_cookie(response: HttpResponseBase, code: str) -> None:
    """Set a cookie with a new token for the class; it expires after the maximum duration of a class."""
    value = signing.TimestampSigner(salt=SALT).sign(f"{code}.{secrets.token_urlsafe(TOKEN_BYTES)}")
    response.set_cookie(COOKIE, value, max_age=SECONDS, httponly=True, samesite="Lax", secure=settings.HTTPS)


def follows_run(cookies: Mapping[str, str], run: Run) -> bool:
    """Return whether this browser has joined a class that currently shows the run."""
    cookie = read_student_cookie(cookies)
    if cookie is None:
        return False
    classroom = store.with_scenario().filter(code=cookie.code, run=run).first()
    return classroom is not None and not store.is_over(classroom)


def require_viewing(visitor: access.Visitor, cookies: Mapping[str, str], run: Run) -> None:
    """Require that the visitor can see the run, through its scenario or a class. Raises NotAllowed."""
    if not follows_run(cookies, run):
        access.require_viewing(visitor, run.version.scenario)
