"""The base class of all events, and their list.

An event is declared once, in its class. Everything else is derived from the declarations: `AnyEvent`, the content of a
keyframe (`keyframe.py`), and the browser's description of each type (`static/js/trace/trace.d.ts` and `events.js`).
"""

from __future__ import annotations

from typing import ClassVar, Literal, get_args

import msgspec

Part = Literal["run", "cycle", "cycle of its pod", "cycle of the preemptor", "group cycle"]
Updates = Literal["", "pod", "object", "pod group"]
ExtensionPoint = Literal[
    "",
    "PreEnqueue",
    "QueueSort",
    "PreFilter",
    "Filter",
    "PostFilter",
    "PreScore",
    "Score",
    "Reserve",
    "Permit",
    "PreBind",
    "Bind",
    "PostBind",
]
FIELDS_OF = {  # the fields that an event needs to have if it declares this
    "pod": ("pod",),
    "object": ("kind", "name", "namespace", "order"),
    "pod group": ("pod_group",),
    "cycle of its pod": ("pod",),
    "cycle of the preemptor": ("preemptor",),
}


class UndeclaredEvent(TypeError):
    """An event class whose declaration is missing or contradicts itself."""


class Event(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="type", gc=False):
    """Base of all events. Each class sets `part_of`, and the other attributes if they differ from these defaults.

    `part_of`: the scheduling cycle to whose record the event belongs, in a keyframe and in the browser. "run": none.
    "cycle": the current one, or the last one. "cycle of its pod": the same, if it is that of the event's `pod` (the
    members of a pod group are bound one after another, once all have been tried). "cycle of the preemptor": the same,
    if it is that of `preemptor` and its attempt has not finished. "group cycle": the pod group cycle.

    `updates`: the kind of object whose state the event changes. It sets the same fields whatever their previous values,
    so only the last event of each class is needed for a pod, object or pod group.

    `repeats`: a cycle may have several. `extension_point`: the extension point to which it belongs; "" if that depends
    on the previous events.
    """

    part_of: ClassVar[Part]
    updates: ClassVar[Updates] = ""
    repeats: ClassVar[bool] = False
    extension_point: ClassVar[ExtensionPoint] = ""

    def __init_subclass__(cls) -> None:
        _check(cls, "part_of", Part, required=True)
        _check(cls, "updates", Updates)
        _check(cls, "extension_point", ExtensionPoint)
        if _closed:
            raise UndeclaredEvent(
                f"{cls.__module__}.{cls.__name__} is not among the events of a run: import it in "
                "scheduler_core/trace/events.py"
            )
        _events.append(cls)


_events: list[type[Event]] = []
_closed: list[bool] = []


def _check(event: type[Event], name: str, values: object, *, required: bool = False) -> None:
    """Check that the class itself sets one of the values. Raises UndeclaredEvent."""
    value = vars(event).get(name, None if required else "")
    if value not in get_args(values):
        choices = ", ".join(f'"{choice}"' for choice in get_args(values) if choice)
        has = f"has {name} = {value!r}" if name in vars(event) else f"does not say {name}"
        raise UndeclaredEvent(f"event {event.__name__} {has}; one of {choices} was expected (see Event)")


def check_fields(event: type[Event]) -> None:
    """Check that the class has the fields that its declaration needs. Raises UndeclaredEvent."""
    for declaration in (event.part_of, event.updates):
        missing = [name for name in FIELDS_OF.get(declaration, ()) if name not in event.__struct_fields__]
        if missing:
            raise UndeclaredEvent(f'event {event.__name__} says "{declaration}", but has no field {", ".join(missing)}')


def declared_events() -> tuple[type[Event], ...]:
    """Return every event class in the order of declaration; none can be added afterwards. Raises UndeclaredEvent."""
    for event in _events:
        check_fields(event)
    _closed[:] = [True]
    return tuple(_events)
