"""`kschedui explain POD FILE`: why a pod is where it is, or why it waits."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from typing import Any

import msgspec

from kschedui.cli import inputs
from kschedui.cli.inputs import Input, Unusable
from kschedui.scenarios.engine import simulate
from kschedui.waiting import words
from kschedui.waiting.analysis import WaitingPod, waiting_pods
from scheduler_core import RunEnded, decisions
from scheduler_core.apis.core import Pod
from scheduler_core.trace.events import AnyEvent

NAME = "explain"
HELP = "Tell why a pod runs where it runs, or why it waits: what blocks it, and which nodes come nearest."
MOST_NEAR = 10


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("pod", metavar="POD", help="namespace/name, or a name of the namespace default")
    inputs.add_arguments(parser, several=False)
    parser.add_argument("--format", choices=("table", "json"), default="table")


def run(options: Namespace) -> int:
    found = inputs.read(options.files[0], options.kubernetes_version)
    warned = inputs.say_warnings(found, quiet=options.quiet)
    key = known_pod(found, options.pod)
    try:
        events = list(simulate(found.scenario))
    except RunEnded as error:
        raise Unusable(f"{found.name}: {error}") from None
    waiting = next((one for one in waiting_pods(found.scenario, events) if one.pod == key), None)
    answer = of_waiting(waiting) if waiting else of_placed(key, events)
    if options.format == "json":
        sys.stdout.write(json.dumps(answer, indent=1) + "\n")
    else:
        write(answer)
    return int(bool(warned and options.strict))


def known_pod(found: Input, name: str) -> str:
    """The pod's key; raises Unusable with those that are called alike."""
    objects = [*found.scenario.objects, *(event.object for event in found.scenario.events)]
    pods = [one.key for one in objects if isinstance(one, Pod)]
    for key in (name, f"default/{name}"):
        if key in pods:
            return key
    alike = [key for key in pods if key.endswith(f"/{name}")]
    if len(alike) == 1:
        return alike[0]
    hint = f"; is it one of {', '.join(alike[:5])}?" if alike else ""
    raise Unusable(f"{found.name}: there is no pod {name}{hint}")


def of_waiting(pod: WaitingPod) -> dict[str, Any]:
    """What is told of a pod that waits."""
    return {
        "pod": pod.pod,
        "state": "waiting",
        "attempt": pod.attempt,
        "step": pod.step,
        "blocker": str(words.blocker_words(pod)),
        "message": pod.message,
        "causes": msgspec.to_builtins(pod.causes),
        "nearest": [str(words.near_words(one)) for one in pod.nearest],
        "condition": pod.dumped,
        "differences": [str(one) for one in words.differences(pod)],
    }


def of_placed(key: str, events: list[AnyEvent]) -> dict[str, Any]:
    """What is told of a pod that has a node, or that is gone."""
    made = list(decisions(events))
    final = made[-1]["final"]
    record = next((one for one in reversed(made[:-1]) if one["pod"] == key), None)
    node = final["bound"].get(key, "")
    if record is None:
        return {"pod": key, "state": "running", "node": node, "why": "It ran there as the run began."}
    state = "deleted" if key in final["deleted"] else "bound"
    totals = sorted(record["totals"].items(), key=lambda pair: -pair[1])[:MOST_NEAR]
    return {
        "pod": key,
        "state": state,
        "node": record["node"],
        "attempt": record["attempt"],
        "feasible": len(record["feasible"]),
        "rejected": len(record["filter"]),
        "totals": dict(totals),
    }


def write(answer: dict[str, Any]) -> None:
    """For people."""
    sys.stdout.write(f"{answer['pod']}: {answer['state']}{' on ' + answer['node'] if answer.get('node') else ''}\n")
    if answer["state"] != "waiting":
        for name in ("why", "attempt", "feasible", "rejected"):
            if name in answer:
                sys.stdout.write(f"  {name}: {answer[name]}\n")
        for node, total in answer.get("totals", {}).items():
            sys.stdout.write(f"  {total:>6}  {node}\n")
        return
    sys.stdout.write(f"  {answer['blocker']}\n  {answer['message']}\n")
    for cause in answer["causes"]:
        sys.stdout.write(f"  {cause['nodes']:>6,} nodes  {cause['plugin']}: {', '.join(cause['reasons'])}\n")
    sys.stdout.writelines(f"  {line}\n" for line in answer["nearest"])
    if answer["condition"]:
        sys.stdout.write(f"  the cluster said: {answer['condition']}\n")
        sys.stdout.writelines(f"    {line}\n" for line in answer["differences"])
