"""`kschedui time POD FILE`: the parts of the time of a pod, from its creation until it was ready."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

import msgspec

from kschedui.cli import answers
from kschedui.cli.explain import known_pods
from kschedui.cli.numbers import counted
from kschedui.cli.unusable import Unusable
from kschedui.scenarios.outside_plugins import registry
from scheduler_core.ask.durations import Cause, Duration, Durations, Part
from scheduler_core.ask.histories import Histories
from scheduler_core.ask.moments.moment import run_to_end
from scheduler_core.trace.events import AnyEvent

WIDTH = 40  # letters of a bar
MAX_NAMES = 5  # of pods that were ahead
ENDS = {
    "ready": "until it was ready",
    "bound": "until it was bound",
    "deleted": "until it was deleted",
    "Succeeded": "until it succeeded",
    "Failed": "until it failed",
    "waiting": "until the run ended; it still waits",
}
WORDS: dict[Cause, str] = {
    "quota": "not created: {message}",
    "activeQ": "in activeQ",
    "backoffQ": "in backoffQ after attempt {attempt}",
    "unschedulable": "unschedulable after attempt {attempt}: {message}",
    "node": "node {node} starts: an autoscaler asked for it",
    "victims": "victims on {node} stop",
    "gated": "gated: {message}",
    "ignored": "no scheduler is called {message}",
    "permit": "at Permit, with {node} reserved",
    "binding": "is being bound to {node}",
    "starting": "its containers start on {node}",
    "not ready": "its containers run on {node}, but are not ready",
}


def add_arguments(parser: ArgumentParser) -> None:
    answers.add_arguments(parser, pod=True)


def run(options: Namespace) -> int:
    source, failed = answers.read_one(options)
    durations, histories = Durations(), Histories()

    def take(step: int, event: AnyEvent) -> None:
        durations.take(step, event)
        histories.take(event)

    with answers.named_errors(source):
        run_to_end(source.scenario, take, registry())
    keys = durations.refused(options.pod)
    try:
        keys = [*known_pods(source, options.pod, histories), *keys]
    except Unusable:
        if not keys:  # a workload none of whose pods was created is known all the same
            raise
    durations_of_pods = [durations.of[key] for key in dict.fromkeys(keys) if key in durations.of]
    if not durations_of_pods:
        raise Unusable(f"{source.name}: {options.pod} had a node as the run began, or was not created during it")
    answer = [{**msgspec.to_builtins(duration), "seconds": duration.seconds} for duration in durations_of_pods]
    answers.write_answer(options, answer, lambda: write_all(durations_of_pods))
    return int(failed)


def write_all(durations: list[Duration]) -> None:
    """Print the time of each pod, once for pods with the same parts; for several pods, also the one that ended last."""
    alike: dict[str, list[Duration]] = {}
    for duration in durations:
        parts = [(part.cause, part.start, part.end) for part in duration.parts]
        alike.setdefault(repr((duration.begin, duration.end, duration.ended, parts)), []).append(duration)
    for first, *others in alike.values():
        write(first)
        if others:
            sys.stdout.write(f"  also {counted(len(others), 'pod')}: {', '.join(other.pod for other in others)}\n")
    if len(durations) > 1:
        last = max(durations, key=lambda duration: duration.end)
        sys.stdout.write(f"the last of {counted(len(durations), 'pod')}: {last.pod}, at {last.end:g} s\n")


def write(duration: Duration) -> None:
    """Print a pod's time, with a bar to scale and a line for each part."""
    sys.stdout.write(f"{duration.pod}: {duration.seconds:g} s, {ENDS[duration.ended]}\n")
    for part in duration.parts:
        sys.stdout.write(f"  {_bar(part, duration)}  {part.end - part.start:>8.6g} s  {_words(part)}\n")


def _bar(part: Part, duration: Duration) -> str:
    first, last = ((at - duration.begin) / duration.seconds * WIDTH for at in (part.start, part.end))
    begin = min(int(first), WIDTH - 1)
    return (" " * begin + "#" * max(round(last) - begin, 1)).ljust(WIDTH)


def _words(part: Part) -> str:
    message = part.message.partition(". ")[0]  # without the message of preemption
    words = WORDS[part.cause].format(attempt=part.attempt, message=message, node=part.node)
    if part.ahead:
        more = part.ahead_count - MAX_NAMES
        names = ", ".join(part.ahead[:MAX_NAMES]) + (f" and {counted(more, 'more pod')}" if more > 0 else "")
        words += f", behind {names}"
    return f"{words} (until {part.until})" if part.until else words
