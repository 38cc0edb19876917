"""`kschedui pending FILE`: the pods that are pending at the end of the run, by cause."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from kschedui.cli import answers
from kschedui.cli.explain import of_waiting
from kschedui.scenarios.outside_plugins import registry
from kschedui.waiting import words
from kschedui.waiting.analysis import WaitingPod, waiting_pods

SHOWN = 10  # pods of a cause, in the table


def add_arguments(parser: ArgumentParser) -> None:
    answers.add_arguments(parser)


def run(options: Namespace) -> int:
    source, failed = answers.read_one(options)
    with answers.named_errors(source):
        waiting = waiting_pods(source.scenario, registry())
    answer = {
        "kubernetesVersion": source.scenario.release.version,
        "waiting": len(waiting),
        "causes": [{"cause": cause, "pods": [of_waiting(pod) for pod in pods]} for cause, pods in by_cause(waiting)],
    }
    answers.write_answer(options, answer, lambda: write(answer))
    return int(failed)


def by_cause(waiting: list[WaitingPod]) -> list[tuple[str, list[WaitingPod]]]:
    """Return the pods of each blocker, the largest group first."""
    groups: dict[str, list[WaitingPod]] = {}
    for pod in waiting:
        groups.setdefault(str(words.blocker_words(pod)), []).append(pod)
    return sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))


def write(answer: dict[str, Any]) -> None:
    """Print the pending pods as text."""
    sys.stdout.write(f"{answer['waiting']:,} pods wait, kube-scheduler {answer['kubernetesVersion']}\n")
    for group in answer["causes"]:
        sys.stdout.write(f"{len(group['pods']):>7,}  {group['cause']}\n")
        for pod in group["pods"][:SHOWN]:
            sys.stdout.write(f"           {pod['pod']}  {pod['message']}\n")
            sys.stdout.writelines(f"             missing: {line}\n" for line in pod["missing"])
            sys.stdout.writelines(f"             nearest: {line}\n" for line in pod["nearest"][:1])
        if len(group["pods"]) > SHOWN:
            sys.stdout.write(f"           and {len(group['pods']) - SHOWN:,} more\n")
