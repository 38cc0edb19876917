"""The sessions of an account: where it is logged in, when each was last used, and how to end one."""

from datetime import timedelta
from typing import Any

from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from kschedui.models import SessionUse

USED_AGAIN = timedelta(minutes=1)  # between two updates of `last_used`, as for tokens
BROWSERS = (("Edg/", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"))
SYSTEMS = (("Android", "Android"), ("iPhone", "iOS"), ("iPad", "iPadOS"), ("Windows", "Windows"), ("Mac OS X", "macOS"),
           ("Linux", "Linux"))  # fmt: skip


def record_use(request: HttpRequest) -> None:
    """Store that the session of the logged-in account is used now, at most once a minute."""
    key = request.session.session_key
    if not key or not cache.add(f"session-use:{key}", 1, USED_AGAIN.total_seconds()):
        return
    now, browser = timezone.now(), browser_of(request.headers.get("User-Agent", ""))
    if not SessionUse.objects.filter(session=key).update(last_used=now, browser=browser) and is_stored(key):
        SessionUse.objects.get_or_create(
            session_id=key, defaults={"owner_id": request.user.pk or 0, "last_used": now, "browser": browser}
        )


def is_stored(key: str) -> bool:
    return Session.objects.filter(pk=key).exists()


def of_owner(owner: Any) -> QuerySet[SessionUse]:
    """Return the account's sessions that have not expired, the last used first."""
    return SessionUse.objects.filter(owner=owner, session__expire_date__gt=timezone.now())


def end(owner: Any, pk: int) -> None:
    """Log out the browser of this session if it is one of the account's."""
    Session.objects.filter(pk__in=of_owner(owner).filter(pk=pk).values("session")).delete()


def end_others(owner: Any, key: str | None) -> None:
    """Log out all browsers of the account except the one whose session has this key."""
    Session.objects.filter(pk__in=of_owner(owner).exclude(session=key).values("session")).delete()


def browser_of(user_agent: str) -> str:
    """Return the known names of the browser and the system: "Firefox, Linux"; "" if neither is known."""
    names = (next((name for sign, name in signs if sign in user_agent), "") for signs in (BROWSERS, SYSTEMS))
    return ", ".join(name for name in names if name)
