"""`kschedui pending FILE`: the pods that are pending at the end of the run, by cause."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from kschedui.ask.afterwards_words import broken_words, evicted_words, standing_words, stuck_words
from kschedui.cli import answers
from kschedui.cli.explain import explain_waiting
from kschedui.cli.numbers import counted
from kschedui.scenarios.outside_plugins import registry
from kschedui.waiting import words
from kschedui.waiting.analysis import PendingPod, left_behind

SHOWN = 10  # pods of a cause, in the table
TITLES = {
    "evicted": "evicted by preemption",
    "stuck": "Terminating, and cannot end",
    "broken": "running, and would not be scheduled there now",
    "standing": "rollouts that stand still",
}


def add_arguments(parser: ArgumentParser) -> None:
    answers.add_arguments(parser)


def run(options: Namespace) -> int:
    source, failed = answers.read_one(options)
    with answers.named_errors(source):
        left = left_behind(source.scenario, registry())
    answer = {
        "kubernetesVersion": source.scenario.release.version,
        "waiting": len(left.waiting),
        "causes": [
            {"cause": cause, "pods": [explain_waiting(pod) for pod in pods]} for cause, pods in by_cause(left.waiting)
        ],
        "evicted": [str(evicted_words(victim)) for victim in left.evicted],
        "stuck": [str(stuck_words(pod)) for pod in left.stuck],
        "broken": [str(broken_words(pod)) for pod in left.broken],
        "standing": [str(line) for rollout in left.standing for line in standing_words(rollout)],
    }
    answers.write_answer(options, answer, lambda: write(answer))
    return int(failed)


def by_cause(waiting: list[PendingPod]) -> list[tuple[str, list[PendingPod]]]:
    """Return the pods of each blocker, the largest group first."""
    groups: dict[str, list[PendingPod]] = {}
    for pod in waiting:
        groups.setdefault(str(words.blocker_words(pod)), []).append(pod)
    return sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))


def write(answer: dict[str, Any]) -> None:
    """Print the pending pods as text, followed by the other pods and rollouts with problems."""
    waiting = counted(answer["waiting"], "pod waits", "pods wait")
    sys.stdout.write(f"{waiting}, kube-scheduler {answer['kubernetesVersion']}\n")
    for group in answer["causes"]:
        sys.stdout.write(f"{len(group['pods']):>7,}  {group['cause']}\n")
        for pod in group["pods"][:SHOWN]:
            sys.stdout.write(f"           {pod['pod']}  {pod['message']}\n")
            sys.stdout.writelines(f"             missing: {line}\n" for line in pod["missing"])
            sys.stdout.writelines(f"             note: {line}\n" for line in pod["advice"])
            sys.stdout.writelines(f"             nearest: {line}\n" for line in pod["nearest"][:1])
        if len(group["pods"]) > SHOWN:
            sys.stdout.write(f"           and {len(group['pods']) - SHOWN:,} more\n")
    for name, title in TITLES.items():
        if lines := answer[name]:
            sys.stdout.write(f"{len(lines):>7,}  {title}\n")
            sys.stdout.writelines(f"           {line}\n" for line in lines[:SHOWN])
            sys.stdout.write(f"           and {len(lines) - SHOWN:,} more\n" if len(lines) > SHOWN else "")
