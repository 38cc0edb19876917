"""`kschedui drain`, `lose`, `add-nodes`, `reschedule`, `node-groups`, `upgrade`: questions about a whole cluster."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from kschedui.ask.words import OBSTACLES, cause_words
from kschedui.cli import answers, inputs
from kschedui.cli.inputs import Input
from kschedui.cli.numbers import counted
from kschedui.cli.unusable import Unusable
from kschedui.scenarios import yaml_text
from kschedui.scenarios.outside_plugins import registry
from scheduler_core import Scenario
from scheduler_core.apis.core import Node
from scheduler_core.ask.compare import Cause
from scheduler_core.ask.editing.text import append_events
from scheduler_core.ask.operations.helping import Helping, helping
from scheduler_core.ask.operations.node_groups import groups_of
from scheduler_core.ask.operations.questions import Add, Drain, Lose, Question, Reschedule, carried_out
from scheduler_core.ask.operations.results import Amount, Move, OperationResult
from scheduler_core.ask.operations.upgrade import Upgrade, upgrade
from scheduler_core.releases import RELEASES

SHOWN = 40  # entries of a list, in a table
FEW = 10  # names in an entry


class Command(NamedTuple):
    """The functions of a command that `kschedui.cli.main` calls."""

    add_arguments: Callable[[ArgumentParser], None]
    run: Callable[[Namespace], int]


def _add_node_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--node", action="append", default=[], metavar="NAME", help="a node; may be repeated")
    parser.add_argument("--group", default="", metavar="NAME", help="all nodes of this node group")
    parser.add_argument("-l", "--selector", metavar="LABEL=VALUE", help="all nodes with this label")


def _add_drain_arguments(parser: ArgumentParser) -> None:
    _add_node_arguments(parser)
    parser.add_argument("--remove", action="store_true", help="remove the empty nodes, as in a scale-down")
    _add_answer_arguments(parser)


def _add_lose_arguments(parser: ArgumentParser) -> None:
    _add_node_arguments(parser)
    parser.add_argument("--zone", default="", help="all nodes of this zone")
    _add_answer_arguments(parser)


def _add_arguments_of_add_nodes(parser: ArgumentParser) -> None:
    parser.add_argument("--like", default="", metavar="NODE", help="the existing node to copy")
    parser.add_argument("--group", default="", metavar="NAME", help="the node group of the new nodes")
    parser.add_argument("--zone", default="", help="the zone, for a node group with several zones")
    parser.add_argument("--count", type=int, default=1, metavar="N", help="the number of nodes (default: 1)")
    _add_answer_arguments(parser)


def _add_answer_arguments(parser: ArgumentParser) -> None:
    answers.add_arguments(parser)
    parser.add_argument(
        "--write", metavar="FILE", help="write a scenario with this operation in its timeline, to step through it"
    )


def _add_upgrade_arguments(parser: ArgumentParser) -> None:
    answers.add_arguments(parser)
    parser.add_argument("--to", required=True, choices=list(RELEASES), metavar="X.YZ", help="the other release")


def drain(options: Namespace) -> int:
    """Run `kschedui drain`; return its exit status."""
    return _answer(options, lambda source: Drain(_nodes(source.scenario, options), options.remove))


def lose(options: Namespace) -> int:
    """Run `kschedui lose`; return its exit status."""
    return _answer(options, lambda source: Lose(_nodes(source.scenario, options, zone=options.zone), options.zone))


def add(options: Namespace) -> int:
    """Run `kschedui add-nodes`; return its exit status."""
    return _answer(options, lambda _: Add(options.like, options.count, options.group, options.zone))


def reschedule(options: Namespace) -> int:
    """Run `kschedui reschedule`; return its exit status."""
    return _answer(options, lambda _: Reschedule())


def compare_releases(options: Namespace) -> int:
    """Run `kschedui upgrade`; return its exit status."""
    source, failed = answers.read_one(options)
    other = inputs.read_again(source, options.to)
    with answers.named_errors(source):
        comparison = upgrade(source.scenario, other, registry())
    answers.write_answer(options, comparison, lambda: write_upgrade(comparison))
    return int(bool(comparison.changes or comparison.unreadable or failed))


def find_helping_groups(options: Namespace) -> int:
    """Run `kschedui node-groups`; return its exit status."""
    source, failed = answers.read_one(options)
    with answers.named_errors(source):
        result = helping(source.scenario, registry())
    answers.write_answer(options, result, lambda: write_helping(result))
    return int(failed)


COMMANDS = {
    "drain": Command(_add_drain_arguments, drain),
    "lose": Command(_add_lose_arguments, lose),
    "add-nodes": Command(_add_arguments_of_add_nodes, add),
    "reschedule": Command(_add_answer_arguments, reschedule),
    "node-groups": Command(answers.add_arguments, find_helping_groups),
    "upgrade": Command(_add_upgrade_arguments, compare_releases),
}


def _nodes(scenario: Scenario, options: Namespace, *, zone: str = "") -> list[str]:
    """Return the named nodes, those with the label and those of the node group. Raises Unusable."""
    names = list(options.node)
    if options.selector:
        key, equals, value = options.selector.partition("=")
        if not equals:
            raise Unusable(f"--selector {options.selector}: expected LABEL=VALUE")
        nodes = [item for item in scenario.objects if isinstance(item, Node)]
        matching = [node.name for node in nodes if node.labels.get(key) == value]
        if not matching:
            raise Unusable(f"--selector {options.selector}: no node has this label")
        names += matching
    if options.group:
        groups = {
            group.name: group
            for group in groups_of(scenario, [item for item in scenario.objects if isinstance(item, Node)])
        }
        if options.group not in groups or not groups[options.group].nodes:
            raise Unusable(f"--group {options.group}: no node is in it; known: {', '.join(groups) or '-'}")
        names += groups[options.group].nodes
    if not names and not zone:
        raise Unusable("name the nodes with --node, --group or --selector")
    return names


def _answer(options: Namespace, question_of: Callable[[Input], Question]) -> int:
    """Print the answer to a question, and write the scenario for `--write`. Return the exit status."""
    source, failed = answers.read_one(options)
    with answers.named_errors(source):
        answer, timeline = carried_out(source.scenario, question_of(source), registry())
    if options.write:
        _write_scenario(options.write, append_events(source.scenario.text, timeline, yaml_text.write))
    answers.write_answer(options, answer, lambda: write(answer))
    return int(not answer.done or failed)


def _write_scenario(name: str, text: str) -> None:
    try:
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise Unusable(f"cannot write {name}: {error.strerror}") from None


def write(answer: OperationResult) -> None:
    """Print the result as text."""
    say = sys.stdout.write
    say(f"Kubernetes {answer.release}; {counted(answer.rounds, 'round')}\n")
    staying = [name for name in answer.nodes if name not in answer.emptied]
    fallen = [pod for pod in answer.unplaced if pod.before]
    say(f"{counted(len(answer.moved), 'pod moves or finds', 'pods move or find')} a place")
    say(f", {counted(len(fallen), 'finds', 'find')} no place, {counted(len(answer.blocked), 'is', 'are')} blocked")
    say(f", {counted(len(answer.unmanaged), 'has', 'have')} no controller")
    pending = counted(len(answer.unplaced) - len(fallen), "that was pending still is", "that were pending still are")
    say(f"; {pending}\n")
    if answer.blocked or answer.unmanaged:
        say(f"not empty: {len(staying):,} of {counted(len(answer.nodes), 'node')}: {_first_names(staying)}\n")
    _write_list("moves", map(_move, answer.moved))
    _write_list("find no place", _by_reason((f"{pod.pod}  was on {pod.before}", pod.message) for pod in fallen))
    _write_list("still pending", _by_reason((pod.pod, pod.message) for pod in answer.unplaced if not pod.before))
    _write_list("blocked", _by_reason((f"{pod.pod}  on {pod.node}", pod.message) for pod in answer.blocked))
    _write_list("no controller: nobody creates them again, and kubectl drain wants --force", answer.unmanaged)
    _write_list("lose an emptyDir", answer.local_data)
    _write_list(
        "budgets in the way",
        (
            f"{budget.budget}: allows {counted(budget.allowed, 'disruption')}, "
            f"{counted(budget.pods, 'pod has', 'pods have')} to go, "
            f"{budget.blocked} blocked{f'. {OBSTACLES[budget.obstacle]}' if budget.obstacle else ''}"
            for budget in answer.budgets
            if budget.blocked
        ),
    )
    if respected := [budget.budget for budget in answer.budgets if not budget.blocked]:
        say(f"budgets that are kept: {_first_names(respected)}\n")
    for name, before in answer.room_before.items():
        say(f"{name:>7}: {_share(name, before)} requested before, {_share(name, answer.room_after[name])} after\n")


def _move(pod: Move) -> str:
    preempted = "  (preempted)" if pod.cause == "preempted" else ""
    return f"{pod.pod}  {pod.before or '(pending)'} -> {pod.after}{preempted}"


def _first_names(names: Sequence[str]) -> str:
    more = f" and {len(names) - FEW:,} more" if len(names) > FEW else ""
    return ", ".join(names[:FEW]) + more


def _by_reason(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield an entry for each reason with FEW of the pods that it applies to, the most frequent reason first."""
    of_reason: dict[str, list[str]] = {}
    for name, reason in pairs:
        of_reason.setdefault(reason, []).append(name)
    for reason, names in sorted(of_reason.items(), key=lambda pair: -len(pair[1])):
        yield "\n    ".join([reason, *names[:FEW], *([f"and {len(names) - FEW:,} more"] if len(names) > FEW else [])])


def _share(name: str, total: Amount) -> str:
    percent = f" ({total.requested / total.allocatable:.0%})" if total.allocatable else ""
    return f"{amount(name, total.requested)} of {amount(name, total.allocatable)}{percent}"


def amount(name: str, value: int) -> str:
    """Return a short form of an amount of a resource."""
    if name == "cpu":
        return f"{value / 1000:,.1f}"
    return f"{value / 2**30:,.1f} GiB" if name == "memory" else f"{value:,}"


def _write_list(title: str, lines: Iterable[str]) -> None:
    every = list(lines)
    if not every:
        return
    sys.stdout.write(f"{title}:\n")
    for line in every[:SHOWN]:
        sys.stdout.write(f"  {line}\n")
    if len(every) > SHOWN:
        sys.stdout.write(f"  and {len(every) - SHOWN:,} more\n")


def write_upgrade(comparison: Upgrade) -> None:
    """Print the upgrade as text."""
    say = sys.stdout.write
    say(f"{counted(comparison.decided, 'pod')} decided on Kubernetes {comparison.before} and {comparison.after}\n")
    moved = [change for change in comparison.changes if change.before.node != change.after.node]
    others = [change for change in comparison.changes if change.before.node == change.after.node]
    lost = sum(not change.after.node for change in moved)
    reworded = sum(change.cause is not None and change.cause.kind == "message" for change in others)
    say(
        f"{counted(len(moved) - lost, 'comes', 'come')} to another node, {counted(lost, 'finds', 'find')} none any more"
    )
    say(f", {counted(reworded, 'stays', 'stay')} pending with another message")
    say(f", {counted(len(others) - reworded, 'differs', 'differ')} otherwise\n")
    for title, changes in (("changes", moved), ("the same node or none, but otherwise", others)):
        _write_list(
            title,
            _by_reason(
                (
                    f"{change.pod}  {change.before.node or '(pending)'} -> {change.after.node or '(pending)'}",
                    _cause_text(change.cause),
                )
                for change in changes
                if change.cause
            ),
        )
    same = ((pod.pod, pod.after.message) for pod in comparison.pending if pod.cause is None)
    _write_list("pending on both, for the same reason", _by_reason(same))
    _write_list(f"not taken by {comparison.after}", (f"{pod.pod}: {pod.message}" for pod in comparison.unreadable))


def _cause_text(cause: Cause) -> str:
    if cause.kind == "message":
        return f"{cause.before or '-'}\n    becomes {cause.after or '-'}"
    return str(cause_words(cause))


def write_helping(result: Helping) -> None:
    """Print the node groups as text."""
    say = sys.stdout.write
    say(
        f"Kubernetes {result.release}; {counted(len(result.pending), 'pod is', 'pods are')} pending, "
        f"{counted(len(result.groups), 'node group is', 'node groups are')} known\n"
    )
    for group in result.helps:
        kind = f"{group.group}{f', zone {group.zone}' if group.zone else ''}"
        if group.pods:
            price = "" if group.price is None else f", price {group.price:g}"
            short = "; with more than its maximum, more" if group.short else ""
            say(
                f"{kind}: {counted(group.nodes, 'more node schedules', 'more nodes schedule')} "
                f"{counted(len(group.pods), 'pod')}{price}{short}\n"
            )
            say("".join(f"  {key}\n" for key in group.pods[:SHOWN]))
        else:
            say(f"{kind}: helps none: {group.why}\n")
