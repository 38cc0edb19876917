"""Translates the engine's messages to the visitor's language with Django's catalogue; English without a translation."""

from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from typing import Any

from django.http import HttpRequest
from django.utils.translation import get_language, get_language_from_request, gettext

from scheduler_core.apis.messages import Message, Sentence, TranslatedMessage


def in_language(sentence: str) -> str:
    """Return the message in the active language. Messages among the values of a Message are translated too."""
    if not isinstance(sentence, Message):
        return gettext(sentence) if sentence else ""
    values = {
        name: Sentence(in_language(value)) if isinstance(value, Message) else value
        for name, value in sentence.values.items()
    }
    if isinstance(sentence, TranslatedMessage):
        template = sentence.chinese if language() == "zh-hans" else sentence.template
    else:
        template = gettext(sentence.template)
    return template.format(**values)


def language() -> str:
    """Return the visitor's language, "en" or "zh-hans", as lessons and the player name it."""
    return "zh-hans" if (get_language() or "en").startswith("zh") else "en"


def language_of_scope(scope: Mapping[str, Any]) -> str:
    """Return the language of the client of a request or a websocket, by Django's rules for pages."""
    headers = {name.lower(): value.decode("latin-1") for name, value in scope.get("headers", ())}
    try:
        cookies = {name: cookie.value for name, cookie in SimpleCookie(headers.get(b"cookie", "")).items()}
    except CookieError:
        cookies = {}
    request = HttpRequest()
    request.COOKIES = cookies
    request.META = {"HTTP_ACCEPT_LANGUAGE": headers.get(b"accept-language", "")}
    return get_language_from_request(request)
