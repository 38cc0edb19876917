"""The expectations of a scenario (`spec.expect`), checked against its run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from scheduler_core.apis.messages import Message
from scheduler_core.scenario.types import ExpectedPod, Scenario
from scheduler_core.trace.controller_events import WorkloadStatusWritten
from scheduler_core.trace.events import AnyEvent, ObjectApplied, RunFinished, RunStarted, SchedulingFailed
from scheduler_core.trace.preemption_events import VictimEvicted
from scheduler_core.trace.summaries import bound_at_the_end, initial_nodes, pods_of


class _Outcome:
    """The parts of a run's outcome that expectations are about.

    `messages` are the last ones by pod, and `available` the available replicas of each Deployment in order of time.
    `called` are the names of the pods of workloads by owner and number: namespace/web@1/0.
    """

    def __init__(self, events: Iterable[AnyEvent]) -> None:
        self.messages: dict[str, str] = {}
        self.victims: list[str] = []
        self.existed: set[str] = set()
        self.bound: dict[str, str] = {}
        self.deleted: set[str] = set()
        self.available: dict[str, list[int]] = {}
        self.called: dict[str, str] = {}
        self._initial_node_of: dict[str, str] = {}
        for event in events:
            self._take(event)
        self._key_of = {name: key for key, name in self.called.items()}

    def key_of(self, name: str) -> str:
        """Return the key of the pod with this name, which may be by owner and number."""
        return self._key_of.get(name, name)

    def _take(self, event: AnyEvent) -> None:
        if isinstance(event, RunStarted):
            self._initial_node_of = initial_nodes(pods_of(event))
            self.existed = {pod.pod for pod in pods_of(event)}
        elif isinstance(event, ObjectApplied) and event.pod:
            self.existed.add(event.pod.pod)
            if event.called:
                self.called[event.pod.pod] = f"{event.namespace}/{event.called}"
        elif isinstance(event, SchedulingFailed):
            self.messages[event.pod] = event.message
        elif isinstance(event, VictimEvicted):
            self.victims.append(event.pod)
        elif isinstance(event, RunFinished):
            self.bound = bound_at_the_end(self._initial_node_of, event)
            self.deleted = set(event.deleted)
        elif isinstance(event, WorkloadStatusWritten) and event.kind == "Deployment":
            replicas = int(event.status.get("availableReplicas", 0))
            self.available.setdefault(f"{event.namespace}/{event.name}", []).append(replicas)


def unmet_expectations(scenario: Scenario, events: Iterable[AnyEvent]) -> list[Message]:
    """Return a sentence for each expectation that the run does not meet; a pod can have two, for its node and reason.

    `events` are those of the whole run. An expectation can name a pod of a workload by its owner and number:
    default/web@1/0.
    """
    expect = scenario.expect
    if expect is None:
        return []
    outcome = _Outcome(events)
    unmet: list[Message] = []
    for name, promised in expect.pods.items():
        unmet += _unmet_of_pod(name, promised, outcome)
    for name, promised_replicas in expect.least_available.items():
        least = _least(outcome.available.get(name, ()), promised_replicas)
        if least < promised_replicas:
            numbers = {"expected": promised_replicas, "found": least}
            unmet.append(
                Message(
                    "{workload}: expected at least {expected} available pods, got {found}", workload=name, **numbers
                )
            )
    if expect.victims is not None and sorted(map(outcome.key_of, expect.victims)) != sorted(outcome.victims):
        found = [outcome.called.get(key, key) for key in outcome.victims]
        names = {"expected": _names(expect.victims), "found": _names(found)}
        unmet.append(Message("victims: expected {expected}, got {found}", **names))
    return unmet


def _unmet_of_pod(name: str, promised: ExpectedPod, outcome: _Outcome) -> Iterator[Message]:
    key = outcome.key_of(name)
    if key not in outcome.existed:
        yield Message("{pod}: there is no such pod", pod=name)
        return
    node_name, gone = outcome.bound.get(key, ""), key in outcome.deleted
    if (node_name, gone) != (promised.node, promised.gone):
        places = {"expected": _place(promised.node, promised.gone), "found": _place(node_name, gone)}
        yield Message("{pod}: expected {expected}, but it is {found}", pod=name, **places)
    message = outcome.messages.get(key, "")
    if promised.reason not in message:
        texts = {"expected": repr(promised.reason), "found": repr(message)}
        yield Message("{pod}: expected a message with {expected}, got {found}", pod=name, **texts)


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
