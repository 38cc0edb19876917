"""An event is declared once, in its class; a contradictory declaration is rejected in a sentence."""

from __future__ import annotations

from typing import get_args

import pytest

from scheduler_core.trace.event import Event, UndeclaredEvent, check_fields
from scheduler_core.trace.events import EVENTS, AnyEvent, PodBound


def test_any_event_is_one_of_the_declared_ones() -> None:
    assert get_args(AnyEvent) == EVENTS
    assert PodBound in EVENTS


def test_an_event_that_does_not_say_which_cycle_it_is_part_of_is_rejected() -> None:
    with pytest.raises(UndeclaredEvent, match=r"^event PodParked does not say part_of; one of \"run\", \"cycle\", "):
        type("PodParked", (Event,), {"__annotations__": {"pod": str}})


def test_an_event_that_says_something_else_is_rejected() -> None:
    with pytest.raises(UndeclaredEvent, match=r"^event PodParked has part_of = 'bind'; one of \"run\", "):
        type("PodParked", (Event,), {"part_of": "bind"})
    with pytest.raises(UndeclaredEvent, match=r"^event PodParked has updates = 'node'; one of \"pod\", \"object\""):
        type("PodParked", (Event,), {"part_of": "run", "updates": "node"})


def test_an_event_of_a_module_that_the_list_does_not_import_is_rejected() -> None:
    with pytest.raises(UndeclaredEvent, match=r"PodParked .* import it in scheduler_core/trace/events\.py"):
        type("PodParked", (Event,), {"part_of": "run"})


def test_an_event_without_the_field_that_its_declaration_needs_is_rejected() -> None:
    class Parked:
        part_of = "run"
        updates = "pod"
        __struct_fields__ = ("node",)

    with pytest.raises(UndeclaredEvent, match=r'^event Parked says "pod", but has no field pod$'):
        check_fields(Parked)  # type: ignore[arg-type]
