"""`kschedui simulate FILE ...`: the outcome of each attempt."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from kschedui.cli import inputs
from kschedui.cli.inputs import Input
from kschedui.cli.numbers import counted
from kschedui.cli.progress import show_progress
from kschedui.cli.unusable import Unusable
from kschedui.scenarios.outside_plugins import simulate
from scheduler_core import RunEnded, decisions, encode, short_decisions
from scheduler_core.scenario.reading.problems import Problems
from scheduler_core.scenario.settings.controllers import controller_names
from scheduler_core.scenario.types import Scenario
from scheduler_core.trace.actor_rows import actor_rows
from scheduler_core.trace.autoscaling_rows import autoscaling_rows
from scheduler_core.trace.events import AnyEvent, CycleStarted, PodGated, PodIgnored

FORMATS = ("jsonl", "json", "table", "events")
NOT_TRIED = "NotTried"


def add_arguments(parser: ArgumentParser) -> None:
    inputs.add_arguments(parser, several=True)
    parser.add_argument("--format", choices=FORMATS, default="jsonl", help="events: the whole trace as JSON lines")
    parser.add_argument(
        "--columns", action="store_true", help="include the verdicts and scores of each node, which is much longer"
    )
    parser.add_argument(
        "--actors",
        action="store_true",
        help="print what every actor did: controllers, kubelets, the scheduler; the last row is the final state",
    )
    parser.add_argument(
        "--controllers",
        metavar="NAMES",
        help="the controllers that run, separated by commas, in place of the scenario's; none: the scheduler alone",
    )
    parser.add_argument(
        "--summary", action="store_true", help="print only counts: attempts, bound, evicted, and pending by message"
    )


def run(options: Namespace) -> int:
    status = 0
    for name in options.files:
        source = with_controllers(inputs.read(name, options.kubernetes_version), options.controllers)
        warned = inputs.say_warnings(source, quiet=options.quiet)
        status = max(status, int(bool(warned and options.strict)))
        try:
            write(source, options)
        except RunEnded as error:
            raise Unusable(f"{name}: {error}") from None
    return status


def with_controllers(source: Input, names: str | None) -> Input:
    """Return the input with the controllers of `names`, the value of --controllers; None: its own. Raises Unusable."""
    if names is None:
        return source
    problems = Problems()
    given = [] if names == "none" else [name.strip() for name in names.split(",")]
    controllers = controller_names(given, problems) or ()
    if errors := problems.errors():
        raise Unusable(f"--controllers: {errors[0].message}")
    return replace(source, scenario=replace(source.scenario, controllers=controllers))


def rows_of(scenario: Scenario, events: Iterable[AnyEvent]) -> Iterator[dict[str, Any]]:
    """Return the actions of every actor, in the form of the recordings of controllers or of autoscalers."""
    if scenario.actors:
        groups = [group.name for group in scenario.node_groups]
        return autoscaling_rows(events, groups, min(actor.start_seconds for actor in scenario.actors))
    return actor_rows(events, scenario.name)


def write(source: Input, options: Namespace) -> None:
    """Print one file's result on standard output."""
    events = show_progress(simulate(source.scenario), quiet=options.quiet)
    if options.actors:
        for row in rows_of(source.scenario, events):
            sys.stdout.write(json.dumps(row) + "\n")
        return
    if options.format == "events" and not options.summary:
        for event in events:
            sys.stdout.buffer.write(encode(event) + b"\n")
        return
    several = source.name if len(options.files) > 1 else ""
    release = source.scenario.release.version
    in_full = options.columns and not options.summary  # as recorded of kube-scheduler (tests/conformance/README.md)
    rows = decisions(events, as_recorded=True) if in_full else records(events, release, short_decisions)
    if options.summary:
        write_summary(summary(rows), several, options.format)
    elif options.format == "table":
        write_table(rows, several, release)
    elif options.format == "json":
        answer = {"file": source.name, "kubernetesVersion": release, "attempts": list(rows)}
        sys.stdout.write(json.dumps(answer, indent=1) + "\n")
    else:
        for record in rows:
            sys.stdout.write(compact({"file": several, **record} if several else record) + "\n")


def records(
    events: Iterable[AnyEvent], release: str, convert: Callable[[Iterable[AnyEvent]], Iterator[dict[str, Any]]]
) -> Iterator[dict[str, Any]]:
    """Yield the decision records to which `convert` converts the events, then a record with the reason for each pod
    that was never tried, and the final record.

    The final record contains the release.
    """
    untried: dict[str, str] = {}
    for record in convert(_note_untried(events, untried)):
        if "final" in record:
            time = record["final"]["time"]
            for pod in record["final"]["pending"]:
                if pod in untried:
                    yield {"attempt": 0, "time": time, "pod": pod, "outcome": NOT_TRIED, "message": untried[pod]}
            yield {"final": {**record["final"], "kubernetesVersion": release}}
        else:
            yield record


def _note_untried(events: Iterable[AnyEvent], untried: dict[str, str]) -> Iterator[AnyEvent]:
    """Yield the same events, and store in `untried` the reason why each pod has not been tried so far."""
    for event in events:
        match event:
            case PodGated():
                untried[event.pod] = event.message
            case PodIgnored():
                from kschedui.ask.words import no_profile_words  # rarely needed, and not light

                untried[event.pod] = str(no_profile_words(event.scheduler))
            case CycleStarted():
                untried.pop(event.pod, None)
        yield event


def compact(record: dict[str, Any]) -> str:
    return json.dumps(record, separators=(",", ":"))


def summary(rows: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return {attempts, outcomes, bound, deleted, waiting, time, kubernetesVersion, messages}.

    `messages` has the number of waiting pods for each message, "" for pods that were not tried.
    """
    outcomes: Counter[str] = Counter()
    messages: dict[str, str] = {}
    final: dict[str, Any] = {}
    for record in rows:
        if "final" in record:
            final = record["final"]
            continue
        if "attempt" not in record:  # a pod group's, whose members have attempts of their own
            continue
        if record["outcome"] != NOT_TRIED:
            outcomes[record["outcome"]] += 1
        messages[record["pod"]] = record.get("message") or ""
    waiting = Counter(messages.get(pod, "") for pod in final["pending"])
    return {
        "attempts": outcomes.total(),
        "outcomes": dict(outcomes),
        "bound": len(final["bound"]),
        "deleted": len(final["deleted"]),
        "waiting": len(final["pending"]),
        "time": final["time"],
        "kubernetesVersion": final["kubernetesVersion"],
        "messages": dict(waiting.most_common()),
    }


def write_summary(counts: dict[str, Any], name: str, form: str) -> None:
    if form in ("json", "jsonl"):
        sys.stdout.write(compact({"file": name, **counts} if name else counts) + "\n")
        return
    outcomes = ", ".join(f"{number:,} {outcome}" for outcome, number in counts["outcomes"].items())
    head = f"{name}: " if name else ""
    sys.stdout.write(
        f"{head}{counted(counts['attempts'], 'attempt')} ({outcomes}) in {counts['time']:,} virtual seconds, "
        f"kube-scheduler {counts['kubernetesVersion']}\n"
    )
    sys.stdout.write(
        f"{counted(counts['bound'], 'pod')} bound, {counts['deleted']:,} deleted, {counts['waiting']:,} waiting\n"
    )
    for message, pods in counts["messages"].items():
        sys.stdout.write(f"{pods:>7,}  {message or 'not tried'}\n")


def write_table(rows: Iterable[dict[str, Any]], name: str, release: str) -> None:
    """Print a line for each attempt, and for each pod that is not tried."""
    sys.stdout.write(f"{name + ', ' if name else ''}kube-scheduler {release}\n")
    sys.stdout.write(f"{'ATTEMPT':>7} {'TIME':>8} {'OUTCOME':<14} {'POD':<40} NODE OR MESSAGE\n")
    for record in rows:
        if "final" in record:
            continue
        outcome = record.get("node") or record.get("message") or ""
        preemption = record.get("preemption") or {}
        if preemption.get("victims"):
            outcome = f"{preemption['nominatedNode']}: evicts {', '.join(preemption['victims'])}; {outcome}"
        subject = record.get("pod") or f"PodGroup {record['podGroup']}"
        sys.stdout.write(
            f"{record.get('attempt') or '-':>7} {record['time']:>8g} {record['outcome']:<14} {subject:<40} {outcome}\n"
        )
