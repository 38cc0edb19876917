"""`kschedui capacity POD FILE`: the number of further copies of a pod that fit at the end of the run."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

import msgspec

from kschedui.cli import answers
from kschedui.cli.explain import known_pod
from kschedui.cli.numbers import counted
from kschedui.scenarios.outside_plugins import registry
from scheduler_core.ask.capacity import Capacity, capacity
from scheduler_core.ask.moments.moment import at_end

MAX_NODES = 20


def add_arguments(parser: ArgumentParser) -> None:
    answers.add_arguments(parser, pod=True)
    parser.add_argument(
        "--replicas", type=int, metavar="N", help="the required number of copies; exit status 1 if they do not fit"
    )


def run(options: Namespace) -> int:
    source, failed = answers.read_one(options)
    key = known_pod(source, options.pod)
    with answers.named_errors(source):
        result = capacity(at_end(source.scenario, registry()), key, options.replicas)
    release = source.scenario.release.version
    answer = msgspec.to_builtins(result) | {"kubernetesVersion": release}
    answers.write_answer(options, answer, lambda: write(result, release))
    short = result.wanted is not None and result.fit < result.wanted
    return int(short or failed)


def write(result: Capacity, release: str) -> None:
    """Print the result as text."""
    wanted = "" if result.wanted is None else f" of {result.wanted:,}"
    sys.stdout.write(f"{result.fit:,}{wanted} copies of {result.pod} fit, kube-scheduler {release}\n")
    if result.message:
        sys.stdout.write(f"  then: {result.message}\n")
    for zone, count in result.by_zone.items():
        sys.stdout.write(f"{count:>7,}  in zone {zone or '(none)'}\n")
    for node, count in list(result.by_node.items())[:MAX_NODES]:
        sys.stdout.write(f"{count:>7,}  on {node}\n")
    if len(result.by_node) > MAX_NODES:
        sys.stdout.write(f"         and on {counted(len(result.by_node) - MAX_NODES, 'more node')}\n")
    for more in result.more:
        sys.stdout.write(f"  {counted(more.count, 'more node')} like {more.like} would do\n" if more.count else "")
        sys.stdout.write("" if more.count else f"  no number of nodes like {more.like} would do\n")
