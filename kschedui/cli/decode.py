"""`kschedui decode MESSAGE`: explains a FailedScheduling message part by part."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from typing import Any

import msgspec

from kschedui.cli.inputs import open_input
from kschedui.cli.numbers import counted
from kschedui.cli.unusable import Unusable
from kschedui.scenarios.importers import for_people
from kschedui.scenarios.kinds_of_text import is_for_people
from kschedui.waiting.decoded import Row, in_words
from kschedui.waiting.foreign import ForeignMessage
from kschedui.waiting.message import FailedMessage, messages, write_message
from kschedui.waiting.others import foreign_messages

LONGEST = 1 << 20  # bytes of standard input
FIELDS = ("count", "reason", "plugin", "meaning", "unsaid", "helps")


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("message", nargs="+", metavar="MESSAGE", help="the message; - reads standard input")
    parser.add_argument("--format", choices=("table", "json"), default="table")


def run(options: Namespace) -> int:
    text = " ".join(options.message)
    if text == "-":
        with open_input("-") as source:
            text = source.read(LONGEST).decode("utf-8", errors="replace")
    understood = [message for message in messages(text) if message.understood]
    foreign = foreign_messages(text)
    notes = for_people.read(text).notes if is_for_people(text) else []
    if not understood and not foreign and not notes:
        raise Unusable("this is no FailedScheduling message; expected one such as: 0/3 nodes are available: ...")
    decoded = [record(message) for message in understood]
    if options.format == "json":
        others = [msgspec.to_builtins(message) for message in foreign]
        answer = {"messages": decoded, "autoscalers": others, "notes": list(map(str, notes))}
        sys.stdout.write(json.dumps(answer, indent=1) + "\n")
    else:
        for number, explanation in enumerate(decoded):
            sys.stdout.write("\n" if number else "")
            write(explanation)
        for message in foreign:
            write_foreign(message)
        sys.stdout.writelines(f"{note}\n" for note in notes)
    return 0


def record(message: FailedMessage) -> dict[str, Any]:
    """Return {message, nodes, parts, preemption, note, cut, helps}; each part has the FIELDS.

    `preemption` is None if the message does not mention it.
    """
    words = in_words(message)
    mentioned = message.preemption is not None
    return {
        "message": write_message(message),
        "nodes": message.total,
        "parts": [part_record(row) for row in words["rows"]],
        "preemption": [part_record(row) for row in words["preemption"]] if mentioned else None,
        "note": words["note"],
        "cut": words["cut"],
        "helps": words["helps"],
    }


def part_record(row: Row) -> dict[str, Any]:
    """Return the FIELDS of a part of the message, by name."""
    return {name: getattr(row, name) for name in FIELDS}


def write(decoded: dict[str, Any]) -> None:
    """Print the message as text."""
    sys.stdout.write(f"{decoded['message']}\n")
    for part in decoded["parts"]:
        plugin = f"{part['plugin']}: " if part["plugin"] else ""
        share = f"{part['count']:,} of {counted(decoded['nodes'], 'node')}" if decoded["nodes"] else ""
        count = f"{share or counted(part['count'], 'node'):>6}" if part["count"] else "the pod itself"
        sys.stdout.write(f"    {count}  {plugin}{part['reason']}\n")
        sys.stdout.writelines(f"        {text}\n" for text in (part["meaning"], part["unsaid"]) if text)
    for part in decoded["preemption"] or ():
        count = f"{counted(part['count'], 'node')}  " if part["count"] else ""
        sys.stdout.write(f"    {count}preemption: {part['reason']}\n")
        sys.stdout.write(f"        {part['meaning']}\n" if part["meaning"] else "")
    sys.stdout.write(f"{decoded['note']}\n" if decoded["note"] else "")
    sys.stdout.write("The message is truncated.\n" if decoded["cut"] else "")


def write_foreign(message: ForeignMessage) -> None:
    """Print a message of an autoscaler as text."""
    sys.stdout.write(f"of {message.source}, not of the scheduler: {message.message}\n    {message.meaning}\n")
    for part in message.parts:
        count = f"{counted(part.count, 'node group')}  " if part.count else ""
        group = f"{part.group}: " if part.group else ""
        sys.stdout.write(f"    {count}{group}{part.reason}\n")
        sys.stdout.write(f"        {part.meaning}\n" if part.meaning else "")
