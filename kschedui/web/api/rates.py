"""Rate limits per account or browser token and, far above the size of a class, per address."""

import hashlib
import logging
import time
from contextlib import suppress

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest
from django.utils.translation import gettext_noop

from kschedui.scenarios import access
from kschedui.uploads.responding import upload_of
from kschedui.web.http.client_address import client_of
from scheduler_core.apis.messages import Message

logger = logging.getLogger(__name__)

MINUTE = 60
VISITORS = 30  # times what one may ask for: a whole school has one address, and all of it opens a link at once


class TooOften(Exception):
    """The rate limit is exceeded; the sentence names it. `seconds`: until the next minute."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.seconds = seconds_left()


def seconds_left() -> int:
    """Return the seconds until the next minute, when counting starts again."""
    return MINUTE - int(time.time()) % MINUTE


def rate_headers(request: HttpRequest) -> dict[str, str]:
    """Return the headers with the number of remaining calls; {} if this request was not counted."""
    if not hasattr(request, "rate_left"):
        return {}
    most, left = request.rate_left
    return {"RateLimit-Limit": str(most), "RateLimit-Remaining": str(left), "RateLimit-Reset": str(seconds_left())}


def _note(request: HttpRequest, most: int, used: int) -> None:
    """Store the limit that leaves the fewest calls, for the headers."""
    left = max(0, most - used)
    if left < getattr(request, "rate_left", (0, left + 1))[1]:
        request.rate_left = most, left  # type: ignore[attr-defined] # for the response's headers


def count(request: HttpRequest, limit: str) -> None:
    """Count a request against a limit. Raises TooOften.

    Without the cache, no request is refused. Requests that a worker answers, and large ones whose headers were counted,
    are not counted again.
    """
    counted: set[str] = getattr(request, "scope", {}).get("counted", set())
    if upload_of(request) is not None or limit in counted:
        return
    counted.add(limit)
    most = settings.RATE_LIMITS[limit]
    used = count_one(limit, address_of(request))
    _note(request, VISITORS * most, used)
    if used > VISITORS * most:
        raise TooOften(
            Message(
                "Too many requests from your address. The limit is {most} per minute.",
                most=VISITORS * most,
            )
        )
    requester = requester_key(request)
    used = count_one(limit, requester) if requester else 0
    if requester:
        _note(request, most, used)
    if used > most:
        raise TooOften(Message("Too many requests. The limit is {most} per minute.", most=most))


def requester_key(request: HttpRequest) -> str:
    """Return a key for the script's token, the account's session, or the browser's token; "" without any.

    The database is not used, since it may be unavailable. Forged sessions are still counted by address.
    """
    if token := getattr(request, "api_token", None):
        return f"script {token.pk}"
    session = request.COOKIES.get(settings.SESSION_COOKIE_NAME, "")
    return hash_name(session or access.token_in(request.COOKIES)) if session or access.COOKIE in request.COOKIES else ""


def require_guess(request: HttpRequest, name: str) -> None:
    """Require that a password of this account may be tried. Raises TooOften after many wrong ones.

    Once there are many wrong ones from any addresses, an address with a wrong one has to wait; an address without a
    wrong one, such as the owner's, does not.
    """
    most, wrong_here = settings.RATE_LIMITS["login"], count_so_far("guess", guesses_here(request, name))
    if wrong_here >= most or (wrong_here and count_so_far("guess", hash_name(name)) >= most):
        raise TooOften(gettext_noop("Too many wrong passwords for this account. Wait a minute."))


def count_wrong_guess(request: HttpRequest, name: str) -> None:
    """Count a wrong password of the account."""
    count_one("guess", hash_name(name))
    count_one("guess", guesses_here(request, name))


def guesses_here(request: HttpRequest, name: str) -> str:
    """Return the key under which the wrong passwords of this account from this address are counted."""
    return hash_name(f"{name} {address_of(request)}")


def require_code(request: HttpRequest) -> None:
    """Require that this address can try the code of a class. Raises TooOften after many wrong ones."""
    if count_so_far("code", address_of(request)) >= settings.RATE_LIMITS["code"]:
        raise TooOften(gettext_noop("Too many wrong codes from your address. Wait a minute."))


def count_wrong_code(request: HttpRequest) -> None:
    """Count a wrong class code against the limit of its address."""
    count_one("code", address_of(request))


def address_of(request: HttpRequest) -> str:
    """Return the key under which all requests from the visitor's address are counted."""
    return f"address {client_of(request.META.get('REMOTE_ADDR', ''))}"


def hash_name(name: str) -> str:
    """Return a hash of the name, case-insensitive, which every cache accepts as a key."""
    return hashlib.sha256(name.casefold().encode("utf-8", "surrogatepass")).hexdigest()


def key_of(limit: str, requester: str) -> str:
    """Return the cache key of the requester's count in the current minute."""
    return f"rate:{limit}:{requester.replace(' ', ':')}:{int(time.time()) // MINUTE}"


def count_one(limit: str, requester: str) -> int:
    """Count a request, and return the count of this minute; 0 if the cache is not available."""
    key = key_of(limit, requester)
    try:
        with suppress(ValueError):  # it is the first of this minute
            return cache.incr(key)
        cache.add(key, 0, 2 * MINUTE)
        return cache.incr(key)
    except Exception as error:  # any error of the cache's client, and ValueError when the key ended just now
        logger.warning("requests are not counted: %s", error)
        return 0


def count_so_far(limit: str, requester: str) -> int:
    """Return the count of this minute; 0 if the cache is not available."""
    try:
        return int(cache.get(key_of(limit, requester), 0))
    except Exception as error:  # any error of the cache's client
        logger.warning("requests are not counted: %s", error)
        return 0
