"""TypeScript declarations of the trace, from its one definition in scheduler_core (records, events, keyframe)."""

import inspect
from collections.abc import Iterator, Sequence
from types import ModuleType, NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

from scheduler_core.trace import events as trace
from scheduler_core.trace import keyframe, pod_group_events, preemption_events, records

HEADER = "/** Generated from scheduler_core/trace by `manage.py trace_types`. Do not edit. */\n"
NAMED = ("Outcome", "StatusCode", "GroupOutcome")
SIMPLE = {str: "string", int: "number", float: "number", bool: "boolean", Any: "any", NoneType: "null"}
ABSTRACT = {"Record", "Event"}


def generate() -> str:
    """The whole file."""
    lines = [HEADER, "export type Column = number | string;"]
    lines += [f"export type {name} = {type_text(getattr(records, name))};" for name in NAMED]
    structs = map(interface, structs_of((records, trace, preemption_events, pod_group_events, keyframe)))
    parts = ["\n".join(lines), *structs, f"export type AnyEvent =\n{events()};"]
    return "\n\n".join(parts) + "\n"


def structs_of(modules: Sequence[ModuleType]) -> Iterator[type[msgspec.Struct]]:
    """The structs of the modules, as they stand in them."""
    for module in modules:
        for name, found in vars(module).items():
            own = inspect.isclass(found) and found.__module__ == module.__name__
            if own and issubclass(found, msgspec.Struct) and name not in ABSTRACT:
                yield found


def interface(record: type[msgspec.Struct]) -> str:
    """One struct; a field that is left out when it has its default is optional."""
    hints = get_type_hints(record)
    config = record.__struct_config__
    rows = [f'  type: "{config.tag}";'] if config.tag else []
    for field in msgspec.structs.fields(record):
        optional = "?" if config.omit_defaults and not field.required else ""
        rows.append(f"  {field.encode_name}{optional}: {type_text(hints[field.name])};")
    about = (record.__doc__ or "").split("\n")[0].strip()
    return f"/** {about} */\nexport interface {record.__name__} {{\n" + "\n".join(rows) + "\n}"


def events() -> str:
    """The union of all events."""
    return "\n".join(f"  | {event.__name__}" for event in get_args(trace.AnyEvent))


def type_text(kind: Any) -> str:
    """A Python type in TypeScript."""
    origin, args = get_origin(kind), get_args(kind)
    if kind in SIMPLE:
        return SIMPLE[kind]
    if origin is Literal:
        return " | ".join(f'"{value}"' for value in args)
    if origin in (Union, UnionType):
        return " | ".join(type_text(arg) for arg in args)
    if origin is list:
        inner = type_text(args[0])
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if origin is tuple:
        return f"[{', '.join(map(type_text, args))}]"
    if origin is dict:
        return f"Record<{type_text(args[0])}, {type_text(args[1])}>"
    return str(kind.__name__)
