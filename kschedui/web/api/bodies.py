"""JSON bodies of requests. Their texts may be long; the rest is short, since other threads wait while it is parsed."""

import json
import re
from typing import Any

import msgspec
from django.utils.translation import gettext_noop

from kschedui.web.api.refusals import Refusal
from scheduler_core.apis.messages import Message

MAX_FIELDS = 50
MAX_STRUCTURE = 256 * 1024  # bytes outside the texts
SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")  # half of a pair, which only JSON's escapes can write


def parse_json(body: bytes) -> Any:
    """Parse a body whose texts are valid Unicode: an unpaired surrogate can be neither stored nor sent.

    Raises ValueError for invalid JSON, and Refusal for such a text, too many fields, or too many bytes outside texts.
    """
    if len(body) > MAX_STRUCTURE and structure_of(body) > MAX_STRUCTURE:
        raise Refusal(
            413, Message("Apart from its text, the request has more than {most:,} bytes.", most=MAX_STRUCTURE)
        )
    try:
        value = json.loads(body)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if isinstance(value, dict) and len(value) > MAX_FIELDS:
        raise Refusal(422, Message("The request has more than {most} fields.", most=MAX_FIELDS), code="invalid_request")
    if SURROGATE.search(body):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise Refusal(400, gettext_noop("The request contains half of a character (a lone surrogate).")) from None
    return value


def structure_of(body: bytes) -> int:
    """Return the number of bytes outside the texts that are fields of the object; all bytes if it is not an object."""
    try:
        fields = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, RecursionError):
        return len(body)
    return len(body) - sum(len(value) for value in fields.values() if bytes(memoryview(value)[:1]) == b'"')
