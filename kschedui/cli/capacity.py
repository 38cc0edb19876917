"""`kschedui capacity POD FILE`: the number of further copies of a pod that fit at the end of the run, and what limits
them.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

import msgspec

from kschedui.cli import inputs
from kschedui.cli.explain import known_pod
from kschedui.cli.unusable import Unusable
from kschedui.scenarios.outside_plugins import registry
from scheduler_core import RunEnded
from scheduler_core.ask.capacity import Capacity, capacity
from scheduler_core.ask.editing.edits import NotPossible
from scheduler_core.ask.moments.moment import at_end

MOST_NODES = 20


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("pod", metavar="POD", help="namespace/name, or a name of the namespace default")
    inputs.add_arguments(parser, several=False)
    parser.add_argument("--replicas", type=int, metavar="N", help="so many are wanted; status 1 if they do not fit")
    parser.add_argument("--format", choices=("table", "json"), default="table")


def run(options: Namespace) -> int:
    found = inputs.read(options.files[0], options.kubernetes_version)
    warned = inputs.say_warnings(found, quiet=options.quiet)
    key = known_pod(found, options.pod)
    try:
        moment = at_end(found.scenario, registry())
        made = capacity(moment, key, options.replicas)
    except (RunEnded, NotPossible) as error:
        raise Unusable(f"{found.name}: {error}") from None
    if options.format == "json":
        version = {"kubernetesVersion": found.scenario.release.version}
        sys.stdout.buffer.write(msgspec.json.encode(msgspec.to_builtins(made) | version) + b"\n")
    else:
        write(made, found.scenario.release.version)
    short = made.wanted is not None and made.fit < made.wanted
    return int(short or bool(warned and options.strict))


def write(made: Capacity, release: str) -> None:
    """Print the result as text."""
    wanted = "" if made.wanted is None else f" of {made.wanted:,}"
    sys.stdout.write(f"{made.fit:,}{wanted} copies of {made.pod} fit, kube-scheduler {release}\n")
    if made.message:
        sys.stdout.write(f"  then: {made.message}\n")
    for zone, count in made.by_zone.items():
        sys.stdout.write(f"{count:>7,}  in zone {zone or '(none)'}\n")
    for node, count in list(made.by_node.items())[:MOST_NODES]:
        sys.stdout.write(f"{count:>7,}  on {node}\n")
    if len(made.by_node) > MOST_NODES:
        sys.stdout.write(f"         and on {len(made.by_node) - MOST_NODES:,} more nodes\n")
    for one in made.more:
        sys.stdout.write(f"  {one.count:,} more nodes like {one.like} would do\n" if one.count else "")
        sys.stdout.write("" if one.count else f"  no number of nodes like {one.like} would do\n")
