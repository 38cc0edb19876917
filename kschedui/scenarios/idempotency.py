"""Idempotency keys: repeating a create call whose response was lost does not create a second scenario."""

import hashlib
from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar

from django.db import IntegrityError, transaction
from django.utils import timezone

from kschedui.models import IdempotencyKey, Version
from kschedui.scenarios.access import Visitor

Prepared = TypeVar("Prepared")

RETENTION = timedelta(days=1)
LONGEST_KEY = 128


class KeyReused(Exception):
    """The key was used for another call."""


def once(
    visitor: Visitor,
    key: str,
    call: Callable[[], str],
    prepare: Callable[[], Prepared],
    create: Callable[[Prepared], Version],
) -> tuple[Version, bool]:
    """Return the version that `create` makes from the result of `prepare`, or made earlier under this key; and whether
    it is new.

    Slow work belongs in `prepare`: SQLite accepts no other writes during `create`. `call` returns the content of
    the request; raises KeyReused if it differs from that of the first request. Without a key, a version is always
    created.
    """
    if not key:
        return create(prepare()), True
    author = visitor.author
    digest = hashlib.sha256(call().encode("utf-8", "surrogatepass")).hexdigest()
    try:
        return version_of_key(author, key, digest), False
    except IdempotencyKey.DoesNotExist:
        prepared = prepare()
    try:
        with transaction.atomic():  # one that loses a race makes nothing
            version = create(prepared)
            IdempotencyKey.objects.create(author=author, key=key, sha256=digest, version=version)
            return version, True
    except IntegrityError:
        return version_of_key(author, key, digest), False


def version_of_key(author: str, key: str, digest: str) -> Version:
    """Return the version that was created under the key. Raises IdempotencyKey.DoesNotExist or KeyReused."""
    keys = IdempotencyKey.objects.select_related("version__scenario").defer(*Version.large("version__"))
    used = keys.get(author=author, key=key)
    if used.sha256 != digest:
        raise KeyReused
    return used.version


def forget() -> None:
    """Delete keys that are older than a day."""
    IdempotencyKey.objects.filter(created__lt=timezone.now() - RETENTION).delete()
