"""Quoted strings as Go's strconv.Quote writes them."""

from __future__ import annotations

SHORT_ESCAPES = {
    "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v", "\\": "\\\\", '"': '\\"',
}  # fmt: skip


def quote(text: str) -> str:
    """Return the text in quotes, with its unprintable characters escaped."""
    return '"' + "".join(_escape(letter) for letter in text) + '"'


def _escape(letter: str) -> str:
    if letter in SHORT_ESCAPES:
        return SHORT_ESCAPES[letter]
    if letter.isprintable():
        return letter
    number = ord(letter)
    if number < 0x80:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"
