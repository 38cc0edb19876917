"""`kschedui capacity POD FILE`: the number of further copies of a pod that fit at the end of the run."""

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
    parser.add_argument("pod", metavar="POD", help="NAMESPACE/NAME, or NAME in the namespace default")
    inputs.add_arguments(parser, several=False)
    parser.add_argument(
        "--replicas", type=int, metavar="N", help="the required number of copies; exit status 1 if they do not fit"
    )
    parser.add_argument("--format", choices=("table", "json"), default="table")


def run(options: Namespace) -> int:
    source = inputs.read(options.files[0], options.kubernetes_version)
    warned = inputs.say_warnings(source, quiet=options.quiet)
    key = known_pod(source, options.pod)
    try:
        moment = at_end(source.scenario, registry())
        result = capacity(moment, key, options.replicas)
    except (RunEnded, NotPossible) as error:
        raise Unusable(f"{source.name}: {error}") from None
    if options.format == "json":
        version = {"kubernetesVersion": source.scenario.release.version}
        sys.stdout.buffer.write(msgspec.json.encode(msgspec.to_builtins(result) | version) + b"\n")
    else:
        write(result, source.scenario.release.version)
    short = result.wanted is not None and result.fit < result.wanted
    return int(short or bool(warned and options.strict))


def write(result: Capacity, release: str) -> None:
    """Print the result as text."""
    wanted = "" if result.wanted is None else f" of {result.wanted:,}"
    sys.stdout.write(f"{result.fit:,}{wanted} copies of {result.pod} fit, kube-scheduler {release}\n")
    if result.message:
        sys.stdout.write(f"  then: {result.message}\n")
    for zone, count in result.by_zone.items():
        sys.stdout.write(f"{count:>7,}  in zone {zone or '(none)'}\n")
    for node, count in list(result.by_node.items())[:MOST_NODES]:
        sys.stdout.write(f"{count:>7,}  on {node}\n")
    if len(result.by_node) > MOST_NODES:
        sys.stdout.write(f"         and on {len(result.by_node) - MOST_NODES:,} more nodes\n")
    for more in result.more:
        sys.stdout.write(f"  {more.count:,} more nodes like {more.like} would do\n" if more.count else "")
        sys.stdout.write("" if more.count else f"  no number of nodes like {more.like} would do\n")
