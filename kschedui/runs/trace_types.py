"""Generates the browser's files about the trace: types, the declarations of events, and rules by release."""

import inspect
import sys
from collections.abc import Iterator, Sequence
from types import ModuleType, NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

from scheduler_core.ask import durations
from scheduler_core.queue.scheduling_queue import UNSCHEDULABLE_FLUSH_SECONDS
from scheduler_core.releases import RELEASES, Release
from scheduler_core.trace import keyframe, records
from scheduler_core.trace.event import Event
from scheduler_core.trace.events import EVENTS

GENERATED = "Generated from scheduler_core/trace by `manage.py generate`. Do not edit."
NAMED = ("Outcome", "StatusCode", "GroupOutcome")
SIMPLE = {str: "string", int: "number", float: "number", bool: "boolean", Any: "any", NoneType: "null"}
ABSTRACT = {"Record", "Event"}
DECLARATIONS = """// @ts-check
/** %s */

/** @typedef {{ part_of: string, updates?: string, repeats?: true, extension_point?: string }} Declaration */

/** The declarations of each event; `Event` in scheduler_core/trace/event.py explains it. */
export const EVENTS = /** @type {Record<AnyEvent["type"], Declaration>} */ ({
%s
});
"""

OF_RELEASES = """// @ts-check
/** Generated from scheduler_core/releases and queue by `manage.py generate`. Do not edit. */

/** Seconds between two looks for pods that have waited for too long. */
export const UNSCHEDULABLE_FLUSH_SECONDS = %g;

/** The rules that pictures and sentences follow, by release; scheduler_core/releases/rules explains them. */
export const RULES = new Map([
%s
]);
"""
SHOWN_RULES = ("unschedulable_pods_are_retried_after",)


def generate() -> dict[str, str]:
    """Return the generated files, by path in the repository."""
    return {
        "static/js/trace/trace.d.ts": types(),
        "static/js/trace/events.js": declarations(),
        "static/js/trace/releases.js": rules_by_release(),
    }


def types() -> str:
    """Return the text of trace.d.ts."""
    lines = [f"/** {GENERATED} */\n", "export type Column = number | string;"]
    lines += [f"export type {name} = {type_text(getattr(records, name))};" for name in NAMED]
    events = [sys.modules[name] for name in dict.fromkeys(event.__module__ for event in EVENTS)]
    structs = map(interface, structs_of((records, *events, keyframe, durations)))
    union = "\n".join(f"  | {event.__name__}" for event in EVENTS)
    parts = ["\n".join(lines), *structs, f"export type AnyEvent =\n{union};"]
    return "\n\n".join(parts) + "\n"


def declarations() -> str:
    """Return the text of events.js."""
    return DECLARATIONS % (GENERATED, "\n".join(map(_declaration, EVENTS)))


def _declaration(event: type[Event]) -> str:
    declaration: dict[str, Any] = {"part_of": event.part_of, "updates": event.updates, "repeats": event.repeats}
    declaration["extension_point"] = event.extension_point
    fields = ", ".join(f"{name}: {msgspec.json.encode(value).decode()}" for name, value in declaration.items() if value)
    return f"\t{event.__name__}: {{ {fields} }},"


def rules_by_release() -> str:
    """Return the text of releases.js."""
    return OF_RELEASES % (UNSCHEDULABLE_FLUSH_SECONDS, "\n".join(map(_shown_rules, RELEASES.values())))


def _shown_rules(release: Release) -> str:
    rules = ", ".join(f"{name}: {msgspec.json.encode(getattr(release.rules, name)).decode()}" for name in SHOWN_RULES)
    return f'\t["{release.version}", {{ {rules} }}],'


def structs_of(modules: Sequence[ModuleType]) -> Iterator[type[msgspec.Struct]]:
    """Yield the structs of the modules, in the order of their definition."""
    for module in modules:
        for name, member in vars(module).items():
            own = inspect.isclass(member) and member.__module__ == module.__name__
            if own and issubclass(member, msgspec.Struct) and name not in ABSTRACT:
                yield member


def interface(record: type[msgspec.Struct]) -> str:
    """Return the TypeScript interface of a struct; fields that are omitted at their default are optional."""
    hints = get_type_hints(record)
    config = record.__struct_config__
    rows = [f'  type: "{config.tag}";'] if config.tag else []
    for field in msgspec.structs.fields(record):
        optional = "?" if config.omit_defaults and not field.required else ""
        rows.append(f"  {field.encode_name}{optional}: {type_text(hints[field.name])};")
    about = (record.__doc__ or "").split("\n")[0].strip()
    return f"/** {about} */\nexport interface {record.__name__} {{\n" + "\n".join(rows) + "\n}"


def type_text(kind: Any) -> str:
    """Return the TypeScript text of a Python type."""
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
