"""`kschedui autoscale FILE`: what the cluster's autoscaler would do for pods that wait, and why it keeps a node."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import msgspec

from kschedui.cli import answers, inputs
from kschedui.cli.numbers import counted
from kschedui.cli.unusable import Unusable
from kschedui.scenarios.outside_plugins import registry
from scheduler_core import ScenarioError
from scheduler_core.ask.autoscale.answers import TITLES, Autoscaling, NewNodes, NodeAnswer, PodAnswer
from scheduler_core.ask.autoscale.comparison import Outcome, compare
from scheduler_core.ask.autoscale.question import autoscale

SHOWN = 20  # entries of a list, in a table
FEW_TYPES = 8


def add_arguments(parser: ArgumentParser) -> None:
    answers.add_arguments(parser)
    parser.add_argument(
        "--autoscaler",
        default="",
        choices=("cluster-autoscaler", "karpenter"),
        help="of a dump: the one that is asked (default: Karpenter if the cluster has NodePools)",
    )
    parser.add_argument("--pod", metavar="POD", help="only this pod: NAMESPACE/NAME, or NAME in the namespace default")
    parser.add_argument("--node", metavar="NODE", help="only this node: why it stays")
    parser.add_argument(
        "--at", type=float, metavar="SECONDS", help="a time of the run (default: after its events, before any node)"
    )
    parser.add_argument(
        "--compare",
        action="store_true",
        help="run Cluster Autoscaler and Karpenter on the same load and the same machines, and compare them",
    )
    parser.add_argument("--no-run", action="store_true", help="do not run the scenario to prove the answer")


def run(options: Namespace) -> int:
    source = _read(options)
    failed = bool(inputs.say_warnings(source, quiet=options.quiet) and options.strict)
    if options.compare:
        with answers.named_errors(source):
            _compare(source, options)
        return int(failed)
    with answers.named_errors(source):
        plans = autoscale(source.scenario, registry(), options.at, proves=not options.no_run)
    for answer in plans:
        _select(answer, options)
    if options.format == "json":
        sys.stdout.write(json.dumps([as_data(answer) for answer in plans], indent=1) + "\n")
    else:
        for answer in plans:
            write(answer, in_full=bool(options.pod or options.node))
    return int(failed)


def _compare(source: inputs.Input, options: Namespace) -> None:
    """Run both autoscalers and print a comparison."""
    from kschedui.scenarios.other_autoscaler import NAMES, with_autoscaler  # which only this question needs

    converted = {name: with_autoscaler(source.scenario.text, name) for name in NAMES}
    if not options.quiet:
        for note in (note for imported in converted.values() for note in imported.notes):
            sys.stderr.write(f"{source.name}: {note}\n")
    comparison = compare(
        {name: inputs.parse_changed(source, imported.text) for name, imported in converted.items()}, registry()
    )
    if options.format == "json":
        sys.stdout.write(msgspec.json.encode(comparison).decode() + "\n")
        return
    rows: list[tuple[str, Callable[[Outcome], str]]] = [
        ("cost of the run", lambda side: f"{side.cost:.4g}"),
        ("price per hour at the end", lambda side: f"{side.last.price:.4g}"),
        ("nodes at the end", lambda side: f"{side.last.nodes:,}"),
        ("nodes added, removed", lambda side: f"{side.added:,}, {side.removed:,}"),
        ("first order after", lambda side: "never" if side.ordered is None else f"{side.ordered:.3g} s"),
        ("pods that had to wait", lambda side: f"{len(side.waits):,}"),
        ("their wait, mean, longest", lambda side: f"{side.mean_wait:.1f} s, {side.longest_wait:.1f} s"),
        ("pods without a node at the end", lambda side: f"{len(side.waiting):,}"),
        ("evictions", lambda side: f"{side.evictions:,}"),
    ]
    out = sys.stdout.write
    out(f"{comparison.seconds / 60:.3g} minutes, the same load and machines\n")
    out(f"  {'':32}" + "".join(f"{TITLES[side.actor]:24}" for side in comparison.outcomes).rstrip() + "\n")
    for title, show in rows:
        out(f"  {title:32}" + "".join(f"{show(side):24}" for side in comparison.outcomes).rstrip() + "\n")


def _read(options: Namespace) -> inputs.Input:
    """Read the file; a dump is converted with the autoscaler of its cluster. Raises Unusable."""
    name = options.files[0]
    content = b""
    try:
        with inputs.open_input(name) as source:
            content = source.read()
        return inputs.from_content(name, content, options.kubernetes_version, autoscaler=options.autoscaler)
    except ScenarioError as error:
        raise Unusable("\n".join([inputs.in_file(name, error), *inputs.hints(name, content)])) from None


def _select(answer: Autoscaling, options: Namespace) -> None:
    """Keep only the pod and the node that the options name. Raises Unusable if the answer has none."""
    if options.pod:
        key = options.pod if "/" in options.pod else f"default/{options.pod}"
        answer.pods = [pod for pod in answer.pods if pod.pod == key]
        if not answer.pods:
            raise Unusable(f"{options.files[0]}: no pod {key} waits for a node")
    if options.node:
        answer.nodes = [node for node in answer.nodes if node.node == options.node]
        if not answer.nodes:
            raise Unusable(f"{options.files[0]}: there is no node {options.node}")


def as_data(answer: Autoscaling) -> dict[str, Any]:
    """Return the answer as plain data."""
    data: dict[str, Any] = json.loads(msgspec.json.encode(answer, enc_hook=str))
    return {**data, "price": answer.price}


def write(answer: Autoscaling, *, in_full: bool = False) -> None:
    """Print an answer as text."""
    out = sys.stdout.write
    out(f"{TITLES[answer.actor]}\n")
    count = sum(new.count for new in answer.new_nodes)
    price = "" if answer.price is None or not count else f", {answer.price:.4g} an hour"
    out(f"  {counted(count, 'node would be added', 'nodes would be added')}{price}\n")
    _write_list(map(_new_nodes, _merged(answer.new_nodes)), SHOWN)
    proof = answer.proof
    if proof is not None and answer.pods:
        left = counted(len(proof.waiting), "pod still waits", "pods still wait")
        ordered = "nothing is ordered" if proof.ordered is None else f"ordered after {proof.ordered:.3g} s"
        placed = "" if proof.placed is None else f", the last pod bound after {proof.placed:.3g} s"
        out(f"  run: {ordered}{placed}; {left}\n")
    waiting = [pod for pod in answer.pods if pod.outcome == "none"]
    out(f"  {counted(len(waiting), 'pod gets no node', 'pods get no node')}\n")
    for pod in (answer.pods if in_full else waiting)[:SHOWN]:
        _write_pod(pod, in_full=in_full)
    if len(waiting) > SHOWN:
        out(f"    and {len(waiting) - SHOWN:,} more\n")
    leaving = [node for node in answer.nodes if node.outcome != "stays"]
    alone = ", each alone" if answer.actor == "karpenter" and len(leaving) > 1 else ""
    out(f"  {counted(len(leaving), 'node could go', 'nodes could go')}{alone}\n")
    _write_list(map(_node, leaving), SHOWN)
    staying = [node for node in answer.nodes if node.outcome == "stays"]
    out(f"  {counted(len(staying), 'node stays', 'nodes stay')}\n")
    _write_list(map(_node, staying), SHOWN)


def _write_list(lines: Iterable[str], most: int) -> None:
    every = list(lines)
    sys.stdout.writelines(f"    {line}\n" for line in every[:most])
    if len(every) > most:
        sys.stdout.write(f"    and {len(every) - most:,} more\n")


def _merged(nodes: Sequence[NewNodes]) -> Iterator[NewNodes]:
    """Yield the new nodes, with equal ones merged into one entry."""
    alike: dict[object, list[NewNodes]] = {}
    for new in nodes:
        key = new.group, new.instance_type, new.zone, new.capacity_type, tuple(new.types), new.price
        alike.setdefault(key, []).append(new)
    for first, *others in alike.values():
        count = first.count + sum(other.count for other in others)
        pods = [*first.pods, *(pod for other in others for pod in other.pods)]
        yield msgspec.structs.replace(first, count=count, pods=pods)


def _new_nodes(new: NewNodes) -> str:
    kind = " ".join(filter(None, (new.instance_type, new.zone, new.capacity_type)))
    price = "" if new.price is None else f", {new.price:.4g} an hour each"
    others = f", of {len(new.types)} possible types" if len(new.types) > 1 else ""
    return f"{new.count} of {new.group}{': ' if kind else ''}{kind}{price}{others}; {counted(len(new.pods), 'pod')}"


def _write_pod(pod: PodAnswer, *, in_full: bool) -> None:
    out = sys.stdout.write
    place = {"new node": f"a new node of {pod.place}", "existing node": pod.place, "none": "no node"}[pod.outcome]
    out(f"    {pod.pod}: {place}\n")
    for refusal in pod.refusals:
        out(f"      {refusal.group}: {refusal.reason}\n")
    if in_full:
        for refused in pod.types:
            price = "" if refused.price is None else f" ({refused.price:.4g} an hour)"
            out(f"      {refused.pool}, {refused.instance_type}{price}: {refused.reason}\n")
    for change in pod.changes:
        out(f"      would help: {change}\n")


def _node(node: NodeAnswer) -> str:
    saves = "" if node.saves is None else f", saves {node.saves:.4g} an hour"
    reason = f": {node.reason}" if node.reason else ""
    verb = {"stays": "", "delete": " is deleted", "replace": " is replaced"}[node.outcome]
    return f"{node.node}{verb}{reason}{saves}"
