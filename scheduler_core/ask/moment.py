"""A moment: a run stopped just before one of its attempts, or at its end, from which worlds are taken."""

from __future__ import annotations

from collections import Counter, deque
from functools import cached_property

from scheduler_core.apis.core import Pod, PodKey
from scheduler_core.ask.world import Decision, World
from scheduler_core.framework.runtime.runtime import Registry
from scheduler_core.plugins import REGISTRY
from scheduler_core.queue.queued_pod import QueuedPod
from scheduler_core.scenario.types import Scenario
from scheduler_core.simulation.simulation import Simulation
from scheduler_core.trace.events import AnyEvent, AttemptFinished, CycleStarted


class Moment:
    """`pod` is the one whose attempt comes next, None at the end of the run; `number` says which of its own attempts
    that is. `time` is virtual."""

    def __init__(
        self, scenario: Scenario, registry: Registry, simulation: Simulation, pod: Pod | None, number: int = 0
    ) -> None:
        self.scenario, self.registry = scenario, registry
        self.pod, self.number = pod, number
        self.time = simulation.cluster.now
        self._scheduler = simulation.scheduler

    @cached_property
    def decision(self) -> Decision:
        """What the scheduler decides about the pod without an edit; asked once."""
        assert self.pod is not None
        return self.world().decide(self.pod.key)

    def world(self) -> World:
        """The cluster as it is, to try things in."""
        return World(self.scenario, self.registry, self._scheduler)


def before_attempt(scenario: Scenario, attempt: int, registry: Registry = REGISTRY) -> Moment:
    """The moment at which the pod of that attempt (from 1) has been popped; raises LookupError if there is none."""
    simulation = _Stopping(scenario, registry, attempt)
    try:
        deque(simulation.run(), maxlen=0)
    except _Reached as reached:
        return Moment(scenario, registry, simulation, reached.pod, simulation.tries[reached.pod.key] + 1)
    raise LookupError(f"the run has no attempt {attempt}")


def at_end(scenario: Scenario, registry: Registry = REGISTRY) -> Moment:
    """When nothing can happen any more."""
    simulation = Simulation(scenario, registry)
    deque(simulation.run(), maxlen=0)
    return Moment(scenario, registry, simulation, None)


class _Reached(Exception):
    """The rest of the run does not matter."""

    def __init__(self, pod: Pod) -> None:
        super().__init__()
        self.pod = pod


class _Stopping(Simulation):
    """Stops before an attempt: a pod that is skipped is none."""

    def __init__(self, scenario: Scenario, registry: Registry, attempt: int) -> None:
        super().__init__(scenario, registry)
        self._stop_at = attempt
        self.tries: Counter[PodKey] = Counter()
        self._told = self.scheduler.emit
        self.scheduler.emit = self._watch

    def _watch(self, event: AnyEvent) -> None:
        """A member of a group is tried beside those before it: its moment is within the group's cycle."""
        if isinstance(event, CycleStarted) and event.pod_group and event.attempt == self._stop_at:
            pod = self.cluster.pods.get(event.pod)
            assert pod is not None
            raise _Reached(pod)
        if isinstance(event, AttemptFinished):
            self.tries[event.pod] += 1
        self._told(event)

    def _attempt(self, queued: QueuedPod, from_active: bool) -> None:
        if queued.pod.pod_group:
            super()._attempt(queued, from_active)
            return
        skipped = queued.pod.terminating or queued.key in self.cluster.assumed
        if not skipped and self.scheduler.attempts + 1 == self._stop_at:
            raise _Reached(queued.pod)
        self.tries[queued.key] += not skipped
        super()._attempt(queued, from_active)
