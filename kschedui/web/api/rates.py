"""How often a visitor may ask: counted by account, or by the browser's token; and by address, far above a class."""

import hashlib
import logging
import time

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest
from django.utils.translation import gettext_noop

from kschedui.scenarios import access
from kschedui.web.http.client_address import client_of
from scheduler_core.apis.messages import Message

logger = logging.getLogger(__name__)

MINUTE = 60
VISITORS = 30  # times what one may ask for: a whole school has one address, and all of it opens a link at once


class TooOften(Exception):
    """The sentence says whose limit it is; `seconds` until the next minute."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.seconds = MINUTE - int(time.time()) % MINUTE


def count(request: HttpRequest, limit: str) -> None:
    """Count a request; raises TooOften. Without the cache nobody is refused."""
    most = settings.RATE_LIMITS[limit]
    if one_more(limit, address_of(request)) > VISITORS * most:
        raise TooOften(
            Message(
                "Too many requests from your address; the limit is {most} a minute. Please wait a little.",
                most=VISITORS * most,
            )
        )
    who = who_asks(request)
    if who and one_more(limit, who) > most:
        raise TooOften(Message("Too many requests; the limit is {most} a minute. Please wait a little.", most=most))


def who_asks(request: HttpRequest) -> str:
    """The script's token, the account's session, or the browser's token; "" without any. Nothing is looked up: the
    database may be away, and who makes sessions up is counted by address all the same."""
    if token := getattr(request, "api_token", None):
        return f"script {token.pk}"
    session = request.COOKIES.get(settings.SESSION_COOKIE_NAME, "")
    return hashed(session or access.token_in(request.COOKIES)) if session or access.COOKIE in request.COOKIES else ""


def require_guess(name: str) -> None:
    """May somebody try a password of this account? Raises TooOften after many wrong ones, from wherever they came."""
    if so_far("guess", hashed(name)) >= settings.RATE_LIMITS["login"]:
        raise TooOften(gettext_noop("Too many wrong passwords for this account; please wait a minute."))


def wrong_guess(name: str) -> None:
    """Count a wrong password."""
    one_more("guess", hashed(name))


def require_code(request: HttpRequest) -> None:
    """May somebody at this address try the code of a class? Raises TooOften after many wrong ones."""
    if so_far("code", address_of(request)) >= settings.RATE_LIMITS["code"]:
        raise TooOften(gettext_noop("Too many wrong codes from your address; please wait a minute."))


def wrong_code(request: HttpRequest) -> None:
    """Count a code that no class has."""
    one_more("code", address_of(request))


def address_of(request: HttpRequest) -> str:
    """By which visitors without a token are counted."""
    return f"address {client_of(request.META.get('REMOTE_ADDR', ''))}"


def hashed(name: str) -> str:
    """Short, and of letters that every cache takes."""
    return hashlib.sha256(name.casefold().encode("utf-8", "surrogatepass")).hexdigest()


def key_of(limit: str, who: str) -> str:
    """Of this minute."""
    return f"rate:{limit}:{who.replace(' ', ':')}:{int(time.time()) // MINUTE}"


def one_more(limit: str, who: str) -> int:
    """How many there were in this minute, with this one; 0 when they are not counted."""
    key = key_of(limit, who)
    try:
        cache.add(key, 0, 2 * MINUTE)
        return cache.incr(key)
    except Exception as error:  # whatever the cache's client raises, and ValueError when the key ended just now
        logger.warning("requests are not counted: %s", error)
        return 0


def so_far(limit: str, who: str) -> int:
    """How many there were in this minute."""
    try:
        return int(cache.get(key_of(limit, who), 0))
    except Exception as error:  # whatever the cache's client raises
        logger.warning("requests are not counted: %s", error)
        return 0
