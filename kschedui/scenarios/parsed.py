"""Scenarios of long texts, packed and stored with them: unpacking takes a tenth of the time of parsing.

The packed bytes are a mark, which identifies everything that a scenario depends on besides its text (`engine.mark`),
and the scenario as JSON, compressed by zlib with its checksum. MessagePack has no integers for quantities of more than
64 bits. Bytes that are damaged or have another mark are ignored: the text is parsed instead.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec
from isal import isal_zlib
from msgspec.structs import asdict, fields

from kschedui.models import ParsedText
from scheduler_core.apis.messages import Message
from scheduler_core.releases import release_named
from scheduler_core.scenario.parse import Scenario, without_collection

LONG = 100_000  # characters; shorter texts are parsed in some milliseconds
LEVEL = 1

FIELDS = {field.name: field.type for field in fields(Scenario) if field.name not in ("text", "release")}
Packed: Any = msgspec.defstruct("Packed", [("version", str), *FIELDS.items()])


def pack(scenario: Scenario, mark: bytes) -> bytes:
    """Return the bytes from which `unpack` returns an equal scenario; b"" for a short text, which is parsed again."""
    if len(scenario.text) < LONG:
        return b""
    values = (getattr(scenario, name) for name in FIELDS)
    raw = msgspec.json.encode(Packed(scenario.release.patch, *values), enc_hook=_as_data)
    return mark + isal_zlib.compress(raw, LEVEL)


def unpack(packed: bytes, text: str, mark: bytes) -> Scenario | None:
    """Return the scenario of the text; None if the text has to be parsed."""
    if not packed.startswith(mark):
        return None
    try:
        raw = isal_zlib.decompress(memoryview(packed)[len(mark) :])
        with without_collection():
            values = asdict(_decoder.decode(raw))
    except (isal_zlib.error, msgspec.DecodeError):  # type: ignore[misc] # isal's types give an instance
        return None
    release = release_named(values.pop("version"))
    assert release is not None
    return Scenario(text=text, release=release, **values)


def find_parsed(text: str, mark: bytes) -> Scenario | None:
    """Return the scenario that was stored with a version of this text; None if there is none that can be used."""
    if len(text) < LONG:
        return None
    stored = ParsedText.objects.filter(version__sha256=sha256(text)).order_by("-pk").values_list("packed", flat=True)
    packed = stored.first()
    return None if packed is None else unpack(bytes(packed), text, mark)


def sha256(text: str) -> str:
    """Return the hash that identifies equal texts."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _as_data(value: object) -> Any:
    if isinstance(value, Message):
        return value.as_data()
    if isinstance(value, Mapping):
        return dict(value)
    raise NotImplementedError(f"a scenario has a {type(value).__name__}")


def _from_data(kind: type, data: Any) -> Message:
    assert kind is Message, kind
    return Message.from_data(data)


_decoder = msgspec.json.Decoder(Packed, dec_hook=_from_data)
