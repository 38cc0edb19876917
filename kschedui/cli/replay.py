"""`kschedui replay FILE`: the decisions of a recorded cluster next to the simulated ones."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from kschedui.ask.replay_words import reason
from kschedui.cli import answers, inputs
from kschedui.cli.progress import show_progress
from kschedui.cli.unusable import Unusable
from kschedui.scenarios.outside_plugins import simulate
from scheduler_core.ask.replay.replaying import Replay, ReplayedDecision, replay
from scheduler_core.scenario.parse import Scenario

VERDICTS = ("equal", "tie", "different", "unknowable")


def add_arguments(parser: ArgumentParser) -> None:
    inputs.add_arguments(parser, several=False, content="a recording, as `kschedui record` writes it")
    parser.add_argument(
        "--config", metavar="FILE", help="the cluster's KubeSchedulerConfiguration (default: that of the release)"
    )
    parser.add_argument(
        "--format", choices=("table", "json"), default="table", help="json: one object for each decision"
    )


def run(options: Namespace) -> int:
    source = inputs.read(options.files[0], options.kubernetes_version, configuration(options.config))
    warned = inputs.say_warnings(source, quiet=options.quiet)
    if not source.scenario.observed:
        raise Unusable(
            f"{source.name}: spec.observed is empty; `kschedui record` makes recordings with decisions in it"
        )
    with answers.named_errors(source):
        result = replay(show_progress(simulate(source.scenario), quiet=options.quiet))
    if options.format == "json":
        for decision in result.decisions:
            sys.stdout.write(json.dumps(row(decision), ensure_ascii=False) + "\n")
    else:
        write(result, source.scenario)
    return int(bool(result.verdicts["different"]) or bool(warned and options.strict))


def configuration(name: str | None) -> str:
    """Return the text of a configuration file, "" without one. Raises Unusable."""
    if name is None:
        return ""
    try:
        return Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Unusable(f"cannot read {name}: {getattr(error, 'strerror', None) or error}") from None


def row(decision: ReplayedDecision) -> dict[str, Any]:
    """Return {pod, time, observed, simulated, verdict, reason, attempt, step}; for the outcomes see `outcome`."""
    event = decision.event
    return {
        "pod": event.pod,
        "time": event.seen,
        "observed": outcome(event.node, event.message, event.nominated_node, event.victims),
        "simulated": outcome(
            "" if event.simulated_message else event.simulated_node,
            event.simulated_message,
            event.simulated_node if event.simulated_message else "",
            event.simulated_victims,
        ),
        "verdict": event.verdict,
        "reason": str(reason(event)),
        "attempt": decision.attempt,
        "step": decision.step,
    }


def outcome(node: str, message: str, nominated_node: str, victims: list[str]) -> dict[str, Any] | None:
    """Return {node}, or {message}, or {message, nominatedNode, victims} if preemption nominated a node.

    None: no decision.
    """
    if node:
        return {"node": node}
    if not message and not nominated_node:
        return None
    nomination = {"nominatedNode": nominated_node, "victims": victims} if nominated_node else {}
    return {"message": message, **nomination}


def write(result: Replay, scenario: Scenario) -> None:
    """Print the result for people: the shares, every decision that differs, and the gaps in the recording."""
    total, counts = len(result.decisions), result.verdicts
    sys.stdout.write(
        f"{total:,} decisions of the cluster, decided again by kube-scheduler {scenario.release.version}\n"
    )
    for verdict in VERDICTS:
        sys.stdout.write(f"{counts[verdict]:>7,}  {verdict:<11} {counts[verdict] / total:.1%}\n")
    for decision in result.decisions:
        if decision.event.verdict == "different":
            event = decision.event
            sys.stdout.write(f"{event.seen:>10.3f} s  {event.pod}  {reason(event)}\n")
    if other := result.other_weight:
        sys.stdout.write(
            f"With weight {other.weight} for {other.plugin}, {other.explained:,} instead of {result.explained:,} of "
            f"{result.scored:,} scored bindings come out as observed. Has the cluster a configuration (--config)?\n"
        )
    for gap in scenario.unobserved:
        sys.stdout.write(f"Not observed from {gap.start:g} to {gap.end:g} s: {gap.what}\n")
