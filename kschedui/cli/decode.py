"""`kschedui decode MESSAGE`: explains a FailedScheduling message part by part."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from typing import Any

import msgspec

from kschedui.cli.inputs import open_input
from kschedui.cli.unusable import Unusable
from kschedui.waiting.autoscalers import ForeignMessage, foreign_messages
from kschedui.waiting.decoded import Row, in_words
from kschedui.waiting.message import FailedMessage, messages, write_message

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
    found = [message for message in messages(text) if message.understood]
    foreign = foreign_messages(text)
    if not found and not foreign:
        raise Unusable("this is no FailedScheduling message; expected one such as: 0/3 nodes are available: ...")
    decoded = [record(message) for message in found]
    if options.format == "json":
        others = [msgspec.to_builtins(one) for one in foreign]
        sys.stdout.write(json.dumps({"messages": decoded, "autoscalers": others}, indent=1) + "\n")
    else:
        for number, one in enumerate(decoded):
            sys.stdout.write("\n" if number else "")
            write(one)
        for one_foreign in foreign:
            write_foreign(one_foreign)
    return 0


def record(message: FailedMessage) -> dict[str, Any]:
    """Return {message, nodes, parts, preemption, note, cut, helps}; `parts` as FIELDS, `preemption` None: not
    mentioned.
    """
    known = in_words(message)
    mentioned = message.preemption is not None
    return {
        "message": write_message(message),
        "nodes": message.total,
        "parts": [part(row) for row in known["rows"]],
        "preemption": [part(row) for row in known["preemption"]] if mentioned else None,
        "note": known["note"],
        "cut": known["cut"],
        "helps": known["helps"],
    }


def part(row: Row) -> dict[str, Any]:
    """Return a part of the message."""
    return {name: getattr(row, name) for name in FIELDS}


def write(decoded: dict[str, Any]) -> None:
    """Print the message as text."""
    sys.stdout.write(f"{decoded['message']}\n")
    for one in decoded["parts"]:
        plugin = f"{one['plugin']}: " if one["plugin"] else ""
        count = f"{one['count']:>6,} of {decoded['nodes']:,} nodes" if one["count"] else "   the pod itself"
        sys.stdout.write(f"{count}  {plugin}{one['reason']}\n")
        sys.stdout.writelines(f"        {text}\n" for text in (one["meaning"], one["unsaid"]) if text)
    for one in decoded["preemption"] or ():
        sys.stdout.write(f"{one['count']:>6,} nodes  preemption: {one['reason']}\n")
        sys.stdout.write(f"        {one['meaning']}\n" if one["meaning"] else "")
    sys.stdout.write(f"{decoded['note']}\n" if decoded["note"] else "")
    sys.stdout.write("The message is truncated.\n" if decoded["cut"] else "")


def write_foreign(message: ForeignMessage) -> None:
    """Print a message of an autoscaler as text."""
    sys.stdout.write(f"of {message.source}, not of the scheduler: {message.message}\n    {message.meaning}\n")
    for one in message.parts:
        count = f"{one.count:>6,} node groups  " if one.count else "        "
        group = f"{one.group}: " if one.group else ""
        sys.stdout.write(f"{count}{group}{one.reason}\n")
        sys.stdout.write(f"        {one.meaning}\n" if one.meaning else "")
