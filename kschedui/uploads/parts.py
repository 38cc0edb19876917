"""The bytes of an upload as rows of about a megabyte, compressed and encrypted: until it is pruned, a dump may contain
Secrets.

The key is derived from SECRET_KEY and the upload's id, so that the database alone reveals nothing.
"""

import hashlib
import hmac
import os
import zlib
from collections.abc import Iterable, Iterator

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings
from django.db import transaction
from django.db.models import F

from kschedui.models import Upload, UploadPart

Kind = UploadPart.Kind
PIECE = 1024 * 1024
LEVEL = 1  # of zlib: a dump becomes a twentieth, in half a second
NONCE_BYTES = 12


class TooManyBytes(Exception):
    """The compressed bytes exceed `most`."""

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self.most = most


class DamagedPart(Exception):
    """A stored part cannot be decrypted: it was changed, or SECRET_KEY is a different one."""


def write(upload: Upload, kind: Kind, blocks: Iterable[bytes], most: int | None = None) -> None:
    """Replace the bytes of this kind. Raises TooManyBytes."""
    with transaction.atomic():
        upload.parts.filter(kind=kind).delete()
    size = 0
    for seq, piece in enumerate(compress(blocks)):
        size += len(piece)
        if most is not None and size > most:
            raise TooManyBytes(most)
        nonce = os.urandom(NONCE_BYTES)
        content = nonce + cipher(upload).encrypt(nonce, piece, place(kind, seq))
        UploadPart.objects.create(upload=upload, kind=kind, seq=seq, content=content)
    Upload.objects.filter(pk=upload.pk).update(bytes=F("bytes") + size)


def read(upload: Upload, kind: Kind) -> Iterator[bytes]:
    """Yield the bytes in pieces. Raises DamagedPart."""
    unpacker = zlib.decompressobj()
    for seq in range(upload.parts.filter(kind=kind).count()):
        content = bytes(upload.parts.filter(kind=kind, seq=seq).values_list("content", flat=True).first() or b"")
        try:
            piece = cipher(upload).decrypt(content[:NONCE_BYTES], content[NONCE_BYTES:], place(kind, seq))
        except (InvalidTag, ValueError):
            raise DamagedPart from None
        while piece:
            yield unpacker.decompress(piece, PIECE)
            piece = unpacker.unconsumed_tail
    yield unpacker.flush()


def compress(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the compressed bytes in pieces of about a megabyte."""
    packer, held = zlib.compressobj(LEVEL), bytearray()
    for block in blocks:
        held += packer.compress(block)
        if len(held) >= PIECE:
            yield bytes(held)
            held.clear()
    yield bytes(held + packer.flush())


def cipher(upload: Upload) -> AESGCM:
    """Return the cipher of this upload; no other upload has the same key."""
    name = f"kschedui.uploads {upload.public_id}"
    return AESGCM(hmac.new(settings.SECRET_KEY.encode(), name.encode(), hashlib.sha256).digest())


def place(kind: Kind, seq: int) -> bytes:
    """Return the associated data that binds a part to its position."""
    return f"{kind} {seq}".encode()
