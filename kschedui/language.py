"""Say the engine's sentences in the visitor's language, through Django's catalogue; English where it has nothing."""

from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from types import SimpleNamespace
from typing import Any

from django.utils.translation import get_language, get_language_from_request, gettext

from scheduler_core.apis.messages import Message


def spoken(sentence: str) -> str:
    """The sentence in the active language. Of a Message's values, those that are Messages are said too."""
    if not isinstance(sentence, Message):
        return gettext(sentence) if sentence else ""
    values = {name: spoken(value) if isinstance(value, Message) else value for name, value in sentence.values.items()}
    return gettext(sentence.template).format(**values)


def language() -> str:
    """The visitor's, of those that lessons and the player's texts have."""
    return "zh-hans" if (get_language() or "en").startswith("zh") else "en"


def language_of_scope(scope: Mapping[str, Any]) -> str:
    """The language of whoever opened a websocket, by the rules by which Django finds a page's."""
    headers = {name.lower(): value.decode("latin-1") for name, value in scope.get("headers", ())}
    try:
        cookies = {name: one.value for name, one in SimpleCookie(headers.get(b"cookie", "")).items()}
    except CookieError:
        cookies = {}
    request = SimpleNamespace(COOKIES=cookies, META={"HTTP_ACCEPT_LANGUAGE": headers.get(b"accept-language", "")})
    return get_language_from_request(request)  # type: ignore[arg-type]
