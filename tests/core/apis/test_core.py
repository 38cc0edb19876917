"""Pods are immutable; a change makes a copy."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from scheduler_core.apis.core import Pod
from tests.builders import node, parse, pod


def loaded() -> Pod:
    (found,) = (one for one in parse(node("n"), pod("a", cpu=1, labels={"app": "web"})).objects if isinstance(one, Pod))
    return found


def test_the_key_of_a_copy_follows_its_name() -> None:
    before = loaded()
    after = replace(before, name="b")
    assert (before.key, after.key) == ("default/a", "default/b")
    assert replace(after, name="a") == before


def test_a_pod_is_frozen() -> None:
    with pytest.raises(AttributeError):
        loaded().phase = "Pending"  # type: ignore[misc]
