"""The expectations of a scenario (`spec.expect`), checked against its run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from scheduler_core.apis.messages import Message
from scheduler_core.scenario.types import Scenario
from scheduler_core.trace.controller_events import WorkloadStatusWritten
from scheduler_core.trace.events import AnyEvent, ObjectApplied, RunFinished, RunStarted, SchedulingFailed
from scheduler_core.trace.preemption_events import VictimEvicted
from scheduler_core.trace.summaries import bound_at_the_end, initial_nodes, pods_of


def unmet_expectations(scenario: Scenario, events: Iterable[AnyEvent]) -> list[Message]:
    """Return a sentence for each expectation that the run does not meet; a pod can have two, for its node and reason.

    `events` are those of the whole run. An expectation can name a pod of a workload by its owner and number:
    default/web@1/0.
    """
    expect = scenario.expect
    if expect is None:
        return []
    messages: dict[str, str] = {}
    victims: list[str] = []
    initial_node_of: dict[str, str] = {}
    bound: dict[str, str] = {}
    existed: set[str] = set()
    deleted: set[str] = set()
    available: dict[str, list[int]] = {}  # by Deployment: its available replicas, in order of time
    called: dict[str, str] = {}  # by pod of a workload: namespace/name, with the name by owner and number
    for event in events:
        if isinstance(event, RunStarted):
            initial_node_of = initial_nodes(pods_of(event))
            existed = {pod.pod for pod in pods_of(event)}
        elif isinstance(event, ObjectApplied) and event.pod:
            existed.add(event.pod.pod)
            if event.called:
                called[event.pod.pod] = f"{event.namespace}/{event.called}"
        elif isinstance(event, SchedulingFailed):
            messages[event.pod] = event.message
        elif isinstance(event, VictimEvicted):
            victims.append(event.pod)
        elif isinstance(event, RunFinished):
            bound = bound_at_the_end(initial_node_of, event)
            deleted = set(event.deleted)
        elif isinstance(event, WorkloadStatusWritten) and event.kind == "Deployment":
            replicas = int(event.status.get("availableReplicas", 0))
            available.setdefault(f"{event.namespace}/{event.name}", []).append(replicas)
    unmet: list[Message] = []
    keys = {name: key for key, name in called.items()}
    for name, promised in expect.pods.items():
        key = keys.get(name, name)
        if key not in existed:
            unmet.append(Message("{pod}: there is no such pod", pod=name))
            continue
        node_name, gone = bound.get(key, ""), key in deleted
        if (node_name, gone) != (promised.node, promised.gone):
            places = {"expected": _place(promised.node, promised.gone), "found": _place(node_name, gone)}
            unmet.append(Message("{pod}: expected {expected}, but it is {found}", pod=name, **places))
        if promised.reason not in messages.get(key, ""):
            texts = {"expected": repr(promised.reason), "found": repr(messages.get(key, ""))}
            unmet.append(Message("{pod}: expected a message with {expected}, got {found}", pod=name, **texts))
    for name, promised_replicas in expect.least_available.items():
        least = _least(available.get(name, ()), promised_replicas)
        if least < promised_replicas:
            numbers = {"expected": promised_replicas, "found": least}
            unmet.append(
                Message(
                    "{workload}: expected at least {expected} available pods, got {found}", workload=name, **numbers
                )
            )
    if expect.victims is not None and sorted(keys.get(name, name) for name in expect.victims) != sorted(victims):
        names = {"expected": _names(expect.victims), "found": _names([called.get(key, key) for key in victims])}
        unmet.append(Message("victims: expected {expected}, got {found}", **names))
    return unmet


def _place(node_name: str, gone: bool) -> Message:
    if gone:
        return Message("gone")
    return Message("on {node}", node=node_name) if node_name else Message("pending")


def _least(replicas: Sequence[int], promised: int) -> int:
    """Return the smallest number since the promised one was first reached; if it never was, the largest, or 0."""
    since = next((index for index, number in enumerate(replicas) if number >= promised), None)
    return max(replicas, default=0) if since is None else min(replicas[since:])


def _names(victims: Sequence[str]) -> object:
    return ", ".join(victims) or Message("none")
