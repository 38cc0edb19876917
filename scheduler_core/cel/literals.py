"""The values of literals (cel-go's `parser/unescape.go`, Go's `strconv`)."""

from __future__ import annotations

import re

from scheduler_core.cel.values import MAX_INT, MAX_UINT, MIN_INT, Uint

_SIMPLE = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "`": "`", "?": "?",
}  # fmt: skip
_HEX_DIGITS = {"x": 2, "X": 2, "u": 4, "U": 8}
_NEWLINES = re.compile(r"\r\n?")


class LiteralError(ValueError):
    """The literal is invalid; the message is cel-go's."""


def parse_int(text: str) -> int:
    """Return the value of an integer literal, decimal or hexadecimal. Raises LiteralError if it is out of range."""
    sign, digits = (-1, text[1:]) if text.startswith("-") else (1, text)
    number = sign * (int(digits[2:], 16) if digits.startswith("0x") else decimal(digits))
    if not MIN_INT <= number <= MAX_INT:
        raise LiteralError("invalid int literal")
    return number


def parse_uint(text: str) -> Uint:
    """Return the value of an unsigned literal, which ends with u. Raises LiteralError if it is out of range."""
    digits = text[:-1]
    number = int(digits[2:], 16) if digits.startswith("0x") else decimal(digits)
    if number > MAX_UINT:
        raise LiteralError("invalid uint literal")
    return Uint(number)


def parse_double(text: str) -> float:
    """Return the value of a double literal. Raises LiteralError if it is infinite."""
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise LiteralError("invalid double literal")
    return number


def unescape(text: str, *, as_bytes: bool = False) -> str | bytes:
    """Return the text of a literal with its quotes, unescaped.

    Escapes with \\x and octal ones are bytes if `as_bytes`, otherwise code points. A raw literal begins with r or R.

    Raises LiteralError.
    """
    text = _NEWLINES.sub("\n", text)
    raw = text[0] in "rR"
    if raw:
        text = text[1:]
    quotes = 3 if text[:3] in ('"""', "'" * 3) and len(text) >= 6 else 1
    body = text[quotes:-quotes]
    if raw or "\\" not in body:
        return body.encode() if as_bytes else body
    parts: list[bytes] = []
    at = 0
    while at < len(body):
        if body[at] != "\\":
            end = body.find("\\", at)
            end = len(body) if end < 0 else end
            parts.append(body[at:end].encode())
            at = end
        else:
            piece, at = _unescape_one(body, at, as_bytes=as_bytes)
            parts.append(piece)
    joined = b"".join(parts)
    return joined if as_bytes else joined.decode()


def _unescape_one(body: str, at: int, *, as_bytes: bool) -> tuple[bytes, int]:
    """Return the bytes that the escape sequence at an offset stands for, and its end. Raises LiteralError."""
    letter = body[at + 1 : at + 2]
    if letter in _SIMPLE:
        return _SIMPLE[letter].encode(), at + 2
    if letter in _HEX_DIGITS:
        if as_bytes and letter in "uU":
            raise LiteralError("unable to unescape string")
        digits = body[at + 2 : at + 2 + _HEX_DIGITS[letter]]
        number, end = int(digits, 16), at + 2 + len(digits)
    else:
        number, end = int(body[at + 1 : at + 4], 8), at + 4
    if as_bytes:
        return bytes([number]), end
    if number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        raise LiteralError("invalid unicode code point")
    return chr(number).encode(), end


def decimal(digits: str) -> int:
    """Return the number that decimal digits state; one above the 64-bit range may become another above it."""
    digits = digits.lstrip("0") or "0"
    # Python refuses to read very long numbers, and no 64-bit integer has more than twenty digits.
    return int(digits) if len(digits) <= 20 else 10**20
