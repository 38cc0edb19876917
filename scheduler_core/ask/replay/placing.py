"""The times in a recording at which the observed decisions were made.

A decision is observed some time after it was made, and the scheduler itself learns of changes with a delay. So the
search goes backwards from the time of the observation, over the last changes of the cluster, to the first state in
which the simulated decision equals the observed one. The scheduler has one informer per kind, and one may lag behind
the others, so states without the latest changes of one kind are tried too. If no such state exists, the decision keeps
the observed time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from copy import deepcopy

import msgspec
from msgspec.structs import replace

from scheduler_core.apis.core import KubernetesObject
from scheduler_core.ask.moments.world import World
from scheduler_core.framework.interface import CycleState
from scheduler_core.framework.runtime.runtime import Registry
from scheduler_core.plugins import REGISTRY
from scheduler_core.queue.queued_pod import QueuedPod
from scheduler_core.scenario.types import ObservedDecision, Scenario, TimelineEvent
from scheduler_core.scheduler.decide import Decision, decide
from scheduler_core.scheduler.observed import same_decision
from scheduler_core.scheduler.search.find_nodes import Search
from scheduler_core.simulation.simulation import Simulation

MAX_CHANGES = 64  # the number of changes that are tried, from the latest
LONGEST_DELAY_SECONDS = 10.0
JUST_BEFORE = 0.0005  # seconds; a recording's events are at least a millisecond apart
JUST_AFTER = 0.0001


class ObjectChange(msgspec.Struct, frozen=True):
    """A change of an object, and the object before it, None if it did not exist. `event` None: an observed binding."""

    at: float
    kind: str
    key: str
    before: KubernetesObject | None
    event: TimelineEvent | None = None


def place_decisions(scenario: Scenario, registry: Registry = REGISTRY) -> Scenario:
    """Return the recording with each observed decision moved to the time at which it was made, if that can be found.

    A scenario without observed decisions, or with placed ones only, is returned unchanged.
    """
    if all(decision.seen is not None for decision in scenario.observed):
        return scenario
    placing = _Placing(scenario, registry)
    deque(placing.run(), maxlen=0)
    placed = [
        replace(decision, at=placing.moments.get(decision, decision.at), seen=decision.at)
        for decision in scenario.observed
    ]
    events = [replace(event, at=placing.heard.get(id(event), event.at)) for event in scenario.events]
    return replace(
        scenario,
        events=tuple(sorted(events, key=lambda event: event.at)),
        observed=tuple(sorted(placed, key=lambda decision: decision.at)),
    )


class _Placing(Simulation):
    """Follows the recording and remembers the last changes of the cluster."""

    def __init__(self, scenario: Scenario, registry: Registry) -> None:
        super().__init__(scenario, registry)
        self.moments: dict[ObservedDecision, float] = {}
        self.heard: dict[int, float] = {}  # by id of the event: the time at which the scheduler learned of it, if late
        self._registry = registry
        self._changes: deque[ObjectChange] = deque(maxlen=MAX_CHANGES)

    def _apply_event(self, event: TimelineEvent) -> None:
        key = f"{event.namespace}/{event.name}" if event.namespace else event.name
        before = self._find(event.kind, key)
        super()._apply_event(event)
        self._changes.append(ObjectChange(event.at, event.kind, key, before, event))

    def _attempt(self, queued: QueuedPod, from_active: bool) -> None:
        observed = self.scheduler.observed
        if observed is not None:
            self.moments[observed] = self._moment_of(observed, queued)
            if observed.node:
                self._changes.append(ObjectChange(observed.at, "Pod", observed.pod, queued.pod))
        super()._attempt(queued, from_active)

    def _moment_of(self, observed: ObservedDecision, queued: QueuedPod) -> float:
        """Return the latest time at which the simulation decides as observed, or the observed time if it never does.

        Changes that the scheduler then knew too late are noted in `heard`.
        """
        if same_decision(observed, self._decide_now(queued), self.cluster.pods):
            return observed.at
        recent = self._recent_changes(observed)
        reverted = next(self._reverted_in_turn(observed, recent), None)
        if reverted is not None:
            return reverted.at - JUST_BEFORE
        for kind in dict.fromkeys(change.kind for change in recent):
            behind = [change for change in recent if change.kind == kind and change.event is not None]
            last = next(self._reverted_in_turn(observed, behind), None)
            if last is not None:
                late = behind[: behind.index(last) + 1]
                self.heard |= {id(change.event): observed.at + JUST_AFTER for change in late}
                return observed.at
        return observed.at

    def _decide_now(self, queued: QueuedPod) -> Decision:
        """Return the decision in the current state; the run's search position and random numbers do not change."""
        pod, here = queued.pod, self.scheduler
        search = Search(100, here.search.next_start_node_index)
        scheduler = replace(here, search=search, rng=deepcopy(here.rng), batches={})
        return decide(
            scheduler, here.frameworks[pod.scheduler_name], CycleState(pod, self.cluster.pods.slot_of[pod.key])
        )

    def _reverted_in_turn(self, observed: ObservedDecision, recent: Sequence[ObjectChange]) -> Iterator[ObjectChange]:
        """Revert the changes one after the other; yield each after which the decision equals the observed one."""
        if not recent:
            return
        world = World(self.scenario, self._registry, self.scheduler)
        for change in recent:
            world.revert(change.kind, change.key, change.before)
            if same_decision(observed, world.decide(observed.pod, all_nodes=True), world.cluster.pods):
                yield change

    def _recent_changes(self, observed: ObservedDecision) -> list[ObjectChange]:
        """Return the last changes, the latest first: those within the longest delay, while the pod waited."""
        recent: list[ObjectChange] = []
        for change in reversed(self._changes):
            created = change.kind == "Pod" and change.key == observed.pod and change.before is None
            if created or change.at < observed.at - LONGEST_DELAY_SECONDS:
                break
            recent.append(change)
        return recent
