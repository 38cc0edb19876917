"""`kschedui explain POD FILE`: explains why a pod is on its node, or why it is pending."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from kschedui.ask.words import missing_words, near_words, no_profile_words
from kschedui.cli import answers
from kschedui.cli.inputs import Input
from kschedui.cli.unusable import Unusable
from kschedui.scenarios.outside_plugins import registry
from kschedui.waiting import words
from kschedui.waiting.analysis import Follower, Nearby, WaitingPod, dumped_messages
from scheduler_core import attempt_records, decisions, explain
from scheduler_core.apis.core import Pod
from scheduler_core.ask.moments.moment import run_to_end
from scheduler_core.trace.events import AnyEvent
from scheduler_core.trace.preemption_events import VictimEvicted

MOST_NEAR = 10


def add_arguments(parser: ArgumentParser) -> None:
    answers.add_arguments(parser, pod=True)


def run(options: Namespace) -> int:
    source, failed = answers.read_one(options)
    key = known_pod(source, options.pod)
    events: list[AnyEvent] = []
    follower = Follower()

    def take(step: int, event: AnyEvent) -> None:
        events.append(event)
        follower.take(step, event)

    with answers.named_errors(source):
        moment = run_to_end(source.scenario, take, registry())
    if key in follower.pending:
        pod = follower.waiting_pod(key, Nearby(moment), dumped_messages(source.scenario).get(key, ""))
        answer = of_waiting(pod)
        add_examples(answer["causes"], source, pod.attempt, events)
    else:
        answer = of_placed(key, events)
    answer["kubernetesVersion"] = source.scenario.release.version
    answers.write_answer(options, answer, lambda: write(answer))
    return int(failed)


def known_pod(source: Input, name: str) -> str:
    """Return the pod's key. Raises Unusable with similar names."""
    objects = [*source.scenario.objects, *(event.object for event in source.scenario.events)]
    pods = [item.key for item in objects if isinstance(item, Pod)]
    for key in (name, f"default/{name}"):
        if key in pods:
            return key
    alike = [key for key in pods if key.endswith(f"/{name}")]
    if len(alike) == 1:
        return alike[0]
    hint = f"; is it one of {', '.join(alike[:5])}?" if alike else ""
    raise Unusable(f"{source.name}: there is no pod {name}{hint}")


def of_waiting(pod: WaitingPod) -> dict[str, Any]:
    """Return the explanation of a pending pod."""
    return {
        "pod": pod.pod,
        "state": "waiting",
        "attempt": pod.attempt,
        "step": pod.step,
        "blocker": str(words.blocker_words(pod)),
        "message": pod.message or (str(no_profile_words(pod.scheduler)) if pod.scheduler else ""),
        "causes": msgspec.to_builtins(pod.causes),
        "nearest": [str(near_words(near)) for near in pod.nearest or ()],
        "missing": [str(missing_words(absent)) for absent in pod.missing],
        "condition": pod.dumped,
        "differences": [str(difference) for difference in words.differences(pod)],
    }


def add_examples(causes: Sequence[dict[str, Any]], source: Input, attempt: int, events: Sequence[AnyEvent]) -> None:
    """Add to each cause a node that it rejects with the compared values: `example` is {node, facts}."""
    record = next((candidate for candidate in attempt_records(events) if candidate["attempt"] == attempt), None)
    rejected = record["filter"] if record else {}
    of_cause = {(status["plugin"], *status["reasons"]): node for node, status in reversed(rejected.items())}
    nodes = {number: of_cause.get((cause["plugin"], *cause["reasons"]), "") for number, cause in enumerate(causes)}
    if not any(nodes.values()):
        return
    explained = explain(source.scenario, attempt, [node for node in nodes.values() if node], registry())
    filters = {(node.node, evaluated.plugin): evaluated for node in explained.nodes for evaluated in node.filters}
    for number, node in nodes.items():
        if (evaluated := filters.get((node, causes[number]["plugin"]))) is not None:
            facts = [fact.text for fact in evaluated.facts if not fact.holds and fact.text]
            causes[number]["example"] = {"node": node, "facts": facts}


def of_placed(key: str, events: list[AnyEvent]) -> dict[str, Any]:
    """Return the explanation of a pod that has a node or was deleted."""
    records = list(decisions(events))
    final = records[-1]["final"]
    record = next((candidate for candidate in reversed(records[:-1]) if candidate.get("pod") == key), None)
    node = final["bound"].get(key, "")
    deleted = {"state": "deleted", "why": why_deleted(key, events)} if key in final["deleted"] else {}
    if record is None:
        return {"pod": key, "state": "running", "node": node, "why": "It ran there as the run began.", **deleted}
    totals = sorted(record["totals"].items(), key=lambda pair: -pair[1])[:MOST_NEAR]
    return {
        "pod": key,
        "state": "bound",
        "node": record["node"],
        **deleted,
        "attempt": record["attempt"],
        "feasible": len(record["feasible"]),
        "rejected": len(record["filter"]),
        "totals": dict(totals),
    }


def why_deleted(key: str, events: Iterable[AnyEvent]) -> str:
    evicted = next((event for event in events if isinstance(event, VictimEvicted) and event.pod == key), None)
    return f"{evicted.preemptor} preempted it on {evicted.node}." if evicted else "The timeline deletes it."


def write(answer: dict[str, Any]) -> None:
    """Print the explanation as text."""
    node = f" on {answer['node']}" if answer.get("node") else ""
    sys.stdout.write(f"{answer['pod']}: {answer['state']}{node}, kube-scheduler {answer['kubernetesVersion']}\n")
    if answer["state"] != "waiting":
        for name in ("why", "attempt", "feasible", "rejected"):
            if name in answer:
                sys.stdout.write(f"  {name}: {answer[name]}\n")
        for node, total in answer.get("totals", {}).items():
            sys.stdout.write(f"  {total:>6}  {node}\n")
        return
    sys.stdout.write(f"  {answer['blocker']}\n  {answer['message']}\n")
    for cause in answer["causes"]:
        nodes = f"{cause['nodes']:>6,} nodes" if cause["nodes"] else "    the pod "
        sys.stdout.write(f"  {nodes}  {cause['plugin']}: {', '.join(cause['reasons'])}\n")
        sys.stdout.writelines(f"               {fact}\n" for fact in cause.get("example", {}).get("facts", ()))
    sys.stdout.writelines(f"  missing: {line}\n" for line in answer["missing"])
    sys.stdout.writelines(f"  nearest: {line}\n" for line in answer["nearest"])
    if answer["condition"]:
        sys.stdout.write(f"  the cluster said: {answer['condition']}\n")
        sys.stdout.writelines(f"    {line}\n" for line in answer["differences"])
