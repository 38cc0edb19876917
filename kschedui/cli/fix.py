"""`kschedui fix POD FILE`: the smallest changes that make a pending pod fit, each verified by simulation."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import Any

import msgspec

from kschedui.ask.advice_words import advice_words
from kschedui.ask.words import change_words, contradiction_messages, coverage_words, missing_words
from kschedui.cli import answers
from kschedui.cli.explain import known_pod
from kschedui.cli.unusable import Unusable
from kschedui.scenarios.outside_plugins import registry
from scheduler_core.ask.moments.moment import at_end
from scheduler_core.ask.smallest.advice import advise
from scheduler_core.ask.smallest.coverage import Coverage, cover
from scheduler_core.ask.smallest.missing import missing
from scheduler_core.ask.smallest.smallest_change import Change, smallest_changes


def add_arguments(parser: ArgumentParser) -> None:
    answers.add_arguments(parser, pod=True)
    parser.add_argument("--most", type=int, default=10, metavar="N", help="the maximum number of changes (default: 10)")


def run(options: Namespace) -> int:
    source, failed = answers.read_one(options)
    key = known_pod(source, options.pod)
    with answers.named_errors(source):
        moment = at_end(source.scenario, registry())
        pod = moment.world().cluster.pods.get(key)
        if pod is None or pod.node_name:
            raise Unusable(f"{source.name}: {key} does not wait when the run ends")
        changes = smallest_changes(moment, key)
        lacking = [str(missing_words(absent)) for absent in missing(moment.world(), pod)]
        advice = [str(advice_words(sentence)) for sentence in advise(moment, key)]
        shown = [(change, cover(moment, key, change.edits)) for change in changes[: options.most]]
    answer = {
        "pod": key,
        "kubernetesVersion": source.scenario.release.version,
        "missing": lacking,
        "advice": advice,
        "changes": [record(change, coverage) for change, coverage in shown],
    }
    answers.write_answer(options, answer, lambda: write(answer))
    return int(not changes or failed)


def record(change: Change, coverage: Coverage | None = None) -> dict[str, Any]:
    """Return {words, node, others, edits, victims, untrue, coverage}; `edits` are in the format of `what-if --edits`.

    `coverage`: what the change does for all pods of the workload, "" if no other pod of it waits.
    """
    return {
        "words": str(change_words(change)),
        "node": change.node,
        "others": change.others,
        "edits": msgspec.to_builtins(change.edits),
        "victims": change.victims,
        "untrue": [str(reason) for reason in contradiction_messages(change.changed)],
        "coverage": str(coverage_words(coverage)) if coverage is not None else "",
    }


def write(answer: dict[str, Any]) -> None:
    """Print the changes as text."""
    sys.stdout.write(f"{answer['pod']}, kube-scheduler {answer['kubernetesVersion']}\n")
    sys.stdout.writelines(f"  missing: {line}\n" for line in answer["missing"])
    sys.stdout.writelines(f"  note: {line}\n" for line in answer["advice"])
    if not answer["changes"]:
        sys.stdout.write("  no change of pods or nodes that was tried makes it fit\n")
    for number, change in enumerate(answer["changes"], 1):
        victims = f"; evicts {', '.join(change['victims'])}" if change["victims"] else ""
        sys.stdout.write(f"{number:>3}. {change['words']} -> {change['node']}{victims}\n")
        sys.stdout.writelines(f"     {line}\n" for line in (change["coverage"],) if line)
        sys.stdout.writelines(f"     but: {reason}\n" for reason in change["untrue"])
