"""URLs in expressions (`k8s.io/apiserver/pkg/cel/library/urls.go`; Go's `net/url`)."""

from __future__ import annotations

import re

import msgspec

from scheduler_core.cel.declarations import Function, Implementation, Library, Overload
from scheduler_core.cel.libraries.quotes import quote
from scheduler_core.cel.types import BOOL, STRING, URL, list_of, map_of
from scheduler_core.cel.values import NO_SUCH_OVERLOAD, Error, Map, Value, register

_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:", re.ASCII)
_USER = re.compile(r"[A-Za-z0-9\-._:~!$&'()*+,;=%@]*", re.ASCII)
_PORT = re.compile(r"(?::[0-9]*)?", re.ASCII)
_ESCAPE = re.compile(r"%([0-9a-fA-F]{2})")
_UNRESERVED = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~")
_IN_PATH = _UNRESERVED | frozenset("$&+,/:;=@")
_IN_ENCODED_PATH = _IN_PATH | frozenset("!'()*[]%")
_IN_HOST = _UNRESERVED | frozenset("!$&'()*+,;=:[]<>\"")


class Url(msgspec.Struct, frozen=True):
    """The parts of a URL; two URLs are equal if they are written the same way."""

    text: str
    scheme: str
    host: str
    path: str
    raw_path: str
    query: str


class _UrlError(ValueError):
    """An invalid URL; the message is Go's."""


def _parse(text: str, *, written: str = "") -> Url:
    """Parse a URL; `written`: the whole text, if `text` lacks its fragment. Raises _UrlError with Go's message."""
    if any(ord(letter) < 0x20 or ord(letter) == 0x7F for letter in text):
        raise _UrlError("net/url: invalid control character in URL")
    if not text:
        raise _UrlError("empty url")
    if text == "*":
        return Url(text, "", "", "*", "", "")
    if text.startswith(":"):
        raise _UrlError("missing protocol scheme")
    match = _SCHEME.match(text)
    scheme, remaining = (match[0][:-1].lower(), text[match.end() :]) if match else ("", text)
    written = scheme + (written or text)[len(scheme) :]
    remaining, _, query = remaining.partition("?")
    if not remaining.startswith("/"):
        if scheme:
            return Url(written, scheme, "", "", "", query)
        raise _UrlError("invalid URI for request")
    host = ""
    if scheme and remaining.startswith("//"):
        authority, slash, path = remaining[2:].partition("/")
        remaining = slash + path
        host = _parse_authority(authority)
    return Url(written, scheme, host, _unescape(remaining), remaining, query)


def _parse_authority(authority: str) -> str:
    user, at, host = authority.rpartition("@")
    parsed = _parse_host(host)
    if at:
        if not _USER.fullmatch(user):
            raise _UrlError("net/url: invalid userinfo")
        _unescape(user)
    return parsed


def _parse_host(host: str) -> str:
    if host.startswith("["):
        end = host.rfind("]")
        if end < 0:
            raise _UrlError("missing ']' in host")
        _check_port(host[end + 1 :])
    elif ":" in host:
        _check_port(host[host.rfind(":") :])
    for letter in host:
        if ord(letter) < 0x80 and letter not in _IN_HOST and letter != "%":
            raise _UrlError(f"invalid character {quote(letter)} in host name")
    return _unescape(host, host=True)


def _check_port(port: str) -> None:
    if not _PORT.fullmatch(port):
        raise _UrlError(f"invalid port {quote(port)} after host")


def _unescape(text: str, *, host: bool = False) -> str:
    parts: list[bytes] = []
    at = 0
    while at < len(text):
        percent = text.find("%", at)
        if percent < 0:
            parts.append(text[at:].encode())
            break
        parts.append(text[at:percent].encode())
        match = _ESCAPE.match(text, percent)
        if match is None:
            raise _UrlError(f"invalid URL escape {quote(text[percent : percent + 3])}")
        byte = int(match[1], 16)
        if host and byte < 0x80 and match[0] != "%25":
            raise _UrlError(f"invalid URL escape {quote(match[0])}")
        parts.append(bytes([byte]))
        at = match.end()
    return b"".join(parts).decode(errors="replace")


def _escaped_path(url: Url) -> str:
    if all(letter in _IN_ENCODED_PATH for letter in url.raw_path):
        return url.raw_path
    if url.path == "*":
        return "*"
    return "".join(chr(byte) if chr(byte) in _IN_PATH else f"%{byte:02X}" for byte in url.path.encode())


def _hostname(url: Url) -> str:
    return _split_port(url.host)[0]


def _split_port(host: str) -> tuple[str, str]:
    colon, port = host.rfind(":"), ""
    if colon >= 0 and _PORT.fullmatch(host[colon:]):
        host, port = host[:colon], host[colon + 1 :]
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    return host, port


def _query(url: Url) -> Value:
    parameters = Map()
    for part in url.query.split("&"):
        if not part or ";" in part:
            continue
        key, _, value = part.partition("=")
        try:
            key, value = _unescape(key.replace("+", " ")), _unescape(value.replace("+", " "))
        except _UrlError:
            continue
        values = parameters.setdefault(key, [])
        assert isinstance(values, list)
        values.append(value)
    return parameters


def _url(text: Value) -> Value:
    assert isinstance(text, str)
    try:
        _parse(text)
        return _parse(text.partition("#")[0] or text, written=text)
    except _UrlError as error:
        return Error(f"URL parse error during conversion from string: parse {quote(text)}: {error}")


def why_not_uri(text: str) -> str | None:
    """Return Go's error for a request URI, None if it is valid."""
    try:
        _parse(text)
    except _UrlError as error:
        return f"parse {quote(text)}: {error}"
    return None


def _equal(url: Url, other: Value) -> Value:
    if type(other) is not Url:
        return other if type(other) is Error else NO_SUCH_OVERLOAD
    return url.text == other.text


register(Url, URL, equal=_equal)


def _part(name: str, overload: str, of: Implementation) -> Function:
    return Function(name, (Overload(overload, (URL,), STRING, True, of),))


URLS = Library(
    (
        Function("url", (Overload("string_to_url", (STRING,), URL, False, _url),)),
        _part("getScheme", "url_get_scheme", lambda url: url.scheme),
        _part("getHost", "url_get_host", lambda url: url.host),
        _part("getHostname", "url_get_hostname", _hostname),
        _part("getPort", "url_get_port", lambda url: _split_port(url.host)[1]),
        _part("getEscapedPath", "url_get_escaped_path", _escaped_path),
        Function("getQuery", (Overload("url_get_query", (URL,), map_of(STRING, list_of(STRING)), True, _query),)),
        Function("isURL", (Overload("is_url_string", (STRING,), BOOL, False, lambda text: type(_url(text)) is Url),)),
    )
)
