"""Pods are frozen; a changed one is a copy."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, replace

import pytest

from scheduler_core.apis.core import Pod
from tests.builders import node, parse, pod


def loaded() -> Pod:
    (found,) = (one for one in parse(node("n"), pod("a", cpu=1, labels={"app": "web"})).objects if isinstance(one, Pod))
    return found


def test_a_changed_pod_has_every_other_field_of_the_one_that_it_was_made_from() -> None:
    before = loaded()
    after = before.changed(node_name="n", start_time=3.0)
    assert after == replace(before, node_name="n", start_time=3.0)
    assert (before.node_name, before.start_time) == ("", None)
    for field in {one.name for one in fields(Pod)} - {"node_name", "start_time"}:
        assert getattr(after, field) is getattr(before, field)


def test_a_changed_pod_is_frozen_as_any_other() -> None:
    after = loaded().changed(phase="Running")
    assert type(after) is Pod
    with pytest.raises(FrozenInstanceError):
        after.phase = "Pending"  # type: ignore[misc]
