"""`kschedui what-if POD FILE`: repeats the last decision about a pod with changes."""

from __future__ import annotations

import json
import re
import sys
from argparse import ArgumentParser, Namespace
from typing import Any

import msgspec
import yaml

from kschedui.ask.edit_rows import edits_of
from kschedui.ask.edit_words import edits_words
from kschedui.cli import answers
from kschedui.cli.explain import known_pod
from kschedui.cli.inputs import Input, open_input
from kschedui.cli.unusable import Unusable
from kschedui.scenarios.outside_plugins import known_plugins, outside_plugins, registry, simulate
from scheduler_core.ask.editing.edits import Edit
from scheduler_core.ask.moments.judge import Judgement, Side, judge
from scheduler_core.ask.moments.moment import before_attempt
from scheduler_core.scenario.objects.kinds import KINDS
from scheduler_core.trace.events import CycleStarted

MAX_NODES = 10  # of a list, in the table
MAX_BYTES = 1 << 20
MOST_DIGITS = 9  # of indexes and counts; int() raises an error for thousands
PART = re.compile(r'"([^"]*)"|([^."]+)')  # of a path: metadata.labels."topology.kubernetes.io/zone"
KIND_NAMES = {name.lower(): name for name in KINDS}


def add_arguments(parser: ArgumentParser) -> None:
    answers.add_arguments(parser, pod=True)
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KIND/NAME:PATH=VALUE",
        help="such as pod/shop/web:spec.nodeSelector.disk=ssd; without VALUE, the field is removed; may be repeated",
    )
    parser.add_argument("--remove", action="append", default=[], metavar="KIND/NAME", help="an object; may be repeated")
    parser.add_argument(
        "--add-nodes", action="append", default=[], metavar="NODE=COUNT", help="add copies of this node"
    )
    parser.add_argument(
        "--weight", action="append", default=[], metavar="PLUGIN=NUMBER", help="the weight of a Score plugin"
    )
    parser.add_argument("--disable", action="append", default=[], metavar="PLUGIN", help="disable this plugin")
    parser.add_argument("--edits", metavar="FILE", help="a JSON list of edits, as printed by `fix --format json`")


def run(options: Namespace) -> int:
    source, failed = answers.read_one(options)
    key = known_pod(source, options.pod)
    with answers.named_errors(source):
        edits = edits_of(rows(options))
        if not edits:
            raise Unusable("what-if needs a change: --set, --remove, --add-nodes, --weight, --disable or --edits")
        moment = before_attempt(source.scenario, last_attempt(source, key), registry())
        judgement = judge(moment, edits, known_plugins(outside_plugins()))
    release = source.scenario.release.version
    answer = msgspec.to_builtins(judgement) | {"kubernetesVersion": release}
    answers.write_answer(options, answer, lambda: write(judgement, edits, release))
    return int(failed)


def rows(options: Namespace) -> list[dict[str, Any]]:
    """Return the edits of the command line as plain data. Raises Unusable."""
    edits: list[dict[str, Any]] = []
    for text in options.set:
        target, colon, assignment = text.partition(":")
        path, equals, value = assignment.partition("=")
        if not colon or not equals or not path:
            raise Unusable(f"--set {text}: expected KIND/NAME:PATH=VALUE")
        edits.append({"type": "set", **_object(target), "path": _path(path), "value": _value(value)})
    edits += [{"type": "remove", **_object(text)} for text in options.remove]
    for text in options.add_nodes:
        edits.append({"type": "add-nodes", "like": text.partition("=")[0], "count": _number(text, "--add-nodes")})
    for text in options.weight:
        edits.append({"type": "weight", "plugin": text.partition("=")[0], "weight": _number(text, "--weight")})
    edits += [{"type": "disable", "plugin": text} for text in options.disable]
    return edits + (_edits_in_file(options.edits) if options.edits else [])


def last_attempt(source: Input, key: str) -> int:
    """Return the number of the pod's last attempt. Raises Unusable if it is never tried."""
    attempts = [
        event.attempt for event in simulate(source.scenario) if isinstance(event, CycleStarted) and event.pod == key
    ]
    if not attempts:
        raise Unusable(f"{source.name}: {key} is not tried in this run; `kschedui explain` has the reason")
    return attempts[-1]


def _object(text: str) -> dict[str, str]:
    """Parse KIND/NAME or KIND/NAMESPACE/NAME. Raises Unusable."""
    kind, _, name = text.partition("/")
    namespace, slash, last = name.rpartition("/")
    if kind.lower() not in KIND_NAMES or not last:
        raise Unusable(f"{text}: expected KIND/NAME or KIND/NAMESPACE/NAME, with a kind such as pod or node")
    kind_name = KIND_NAMES[kind.lower()]
    inside = namespace if slash else "default" if KINDS[kind_name].namespaced else ""
    return {"kind": kind_name, "name": last, "namespace": inside}


def _path(text: str) -> list[str | int]:
    parts = [quoted or plain for quoted, plain in PART.findall(text)]
    return [int(part) if part.isdecimal() and len(part) <= MOST_DIGITS else part for part in parts]


def _value(text: str) -> Any:
    """Parse a value as YAML: None for an empty one, which removes the field. Invalid YAML is returned as text."""
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):  # a date or number that is none, nested too deeply
        return text


def _number(text: str, option: str) -> int:
    number = text.partition("=")[2]
    if not number.isdecimal() or len(number) > MOST_DIGITS:
        raise Unusable(f"{option} {text}: expected NAME=NUMBER")
    return int(number)


def _edits_in_file(name: str) -> list[dict[str, Any]]:
    try:
        with open_input(name) as source:
            read = json.loads(source.read(MAX_BYTES))
    except ValueError as error:
        raise Unusable(f"{name} is not JSON: {error}") from None
    if not isinstance(read, list):
        raise Unusable(f"{name}: expected a list of edits")
    return read


def write(judgement: Judgement, edits: list[Edit], release: str) -> None:
    """Print the result as text."""
    sys.stdout.write(f"{judgement.pod}, kube-scheduler {release}: {edits_words(edits)}\n")
    sys.stdout.write(f"  before: {outcome_words(judgement.before)}\n  after:  {outcome_words(judgement.after)}\n")
    for name, changes, count in (
        ("nodes that become feasible", judgement.gained, judgement.counts[0]),
        ("nodes that no longer are", judgement.lost, judgement.counts[1]),
    ):
        if count:
            shown = ", ".join(change.node for change in changes[:MAX_NODES])
            more = f" and {count - MAX_NODES:,} more" if count > MAX_NODES else ""
            sys.stdout.write(f"  {name}: {shown}{more}\n")


def outcome_words(side: Side) -> str:
    """Return a decision in words."""
    if side.node:
        return f"bound to {side.node} ({side.feasible:,} feasible)"
    victims = f", evicting {', '.join(side.victims)}" if side.victims else ""
    return f"nominated to {side.nominated}{victims}" if side.nominated else side.message
