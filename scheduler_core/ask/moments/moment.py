"""A moment: a run stopped right before an attempt, or at its end. Worlds are copies of its cluster."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from functools import cached_property

from scheduler_core.apis.core import Pod, PodKey
from scheduler_core.ask.moments.world import Domain, World
from scheduler_core.framework.runtime.runtime import Registry
from scheduler_core.plugins import REGISTRY
from scheduler_core.queue.queued_pod import QueuedPod
from scheduler_core.scenario.types import Scenario
from scheduler_core.scheduler.decide import Decision
from scheduler_core.simulation.simulation import Simulation
from scheduler_core.trace.events import AnyEvent, AttemptFinished, CycleStarted
from scheduler_core.trace.pod_group_events import (
    PlacementStarted,
    PodGroupCycleStarted,
    PodGroupDecided,
    PodGroupMemberDecided,
)
from scheduler_core.trace.untried import Untried, no_such_attempt


class Moment:
    """A stopped run.

    `pod` is the pod whose attempt comes next, None at the end of the run; `number` is the number of that attempt among
    the pod's attempts. `time` is virtual. `domain`: the nodes on which a group member is tried; None: all nodes.
    """

    def __init__(
        self,
        scenario: Scenario,
        registry: Registry,
        simulation: Simulation,
        pod: Pod | None,
        number: int = 0,
        domain: Domain | None = None,
    ) -> None:
        self.scenario, self.registry = scenario, registry
        self.pod, self.number, self.domain = pod, number, domain
        self.time = simulation.cluster.now
        self._scheduler = simulation.scheduler

    @cached_property
    def decision(self) -> Decision:
        """Return the scheduler's decision about the pod without edits; computed once."""
        assert self.pod is not None
        return self.world().decide(self.pod.key)

    def world(self) -> World:
        """Return a copy of the cluster in which to try edits."""
        return World(self.scenario, self.registry, self._scheduler, self.domain)


def before_attempt(scenario: Scenario, attempt: int, registry: Registry = REGISTRY) -> Moment:
    """Return the moment before an attempt (from 1), after its pod was popped. Raises NotAnswerable.

    A member of a group may be tried in several placements: the moment is in the placement whose result counts.
    """
    try:
        return _run_until_reached(scenario, registry, _Stopping(scenario, registry, attempt))
    except _SeveralPlacements as several:
        return _run_until_reached(scenario, registry, _Stopping(scenario, registry, attempt, several.placement))


def _run_until_reached(scenario: Scenario, registry: Registry, simulation: _Stopping) -> Moment:
    try:
        deque(simulation.run(), maxlen=0)
    except _Reached as reached:
        pod = reached.pod
        return Moment(scenario, registry, simulation, pod, simulation.tries[pod.key] + 1, simulation.domain)
    raise no_such_attempt(simulation.stop_at)


def at_end(scenario: Scenario, registry: Registry = REGISTRY) -> Moment:
    """Return the moment after the last event. Raises RunEnded."""
    return run_to_end(scenario, lambda step, event: None, registry)


def run_to_end(scenario: Scenario, take: Callable[[int, AnyEvent], None], registry: Registry = REGISTRY) -> Moment:
    """Run to the end; call `take` with each event and its number. Raises RunEnded."""
    simulation = Simulation(scenario, registry)
    for step, event in enumerate(simulation.run()):
        take(step, event)
    return Moment(scenario, registry, simulation, None)


class _Reached(Exception):
    """Raised when the run has reached the moment; the rest of the run is not needed."""

    def __init__(self, pod: Pod) -> None:
        super().__init__()
        self.pod = pod


class _SeveralPlacements(Exception):
    """Raised when an attempt was evaluated in several placements. `placement`: the one whose result counts."""

    def __init__(self, placement: str) -> None:
        super().__init__(placement)
        self.placement = placement


class _Stopping(Simulation):
    """A simulation that stops before an attempt; skipped pods do not count.

    `placement`: the placement of a group in which to stop; None: it is not known yet.
    """

    def __init__(self, scenario: Scenario, registry: Registry, attempt: int, placement: str | None = None) -> None:
        super().__init__(scenario, registry)
        self.stop_at, self._placement = attempt, placement
        self.domain: Domain | None = None
        self.tries: Counter[PodKey] = Counter()
        self._topology_key, self._has_several_placements, self._attempt_passed = "", False, False
        self._decided = ""
        self._untried = Untried(attempt)
        self._emit_before = self.scheduler.emit
        self.scheduler.emit = self._watch

    def _emit_started(self, pending: Sequence[Pod]) -> None:
        """Skip the first event: it takes a quarter of the time, and is not used here."""

    def _watch(self, event: AnyEvent) -> None:
        match event:
            case PodGroupCycleStarted():
                self._topology_key, self._has_several_placements, self.domain = event.topology_key, False, None
            case PlacementStarted():
                self._has_several_placements = event.count > 1
                self.domain = Domain(self._topology_key, event.placement) if event.placement else None
            case CycleStarted() if event.pod_group and event.attempt == self.stop_at:
                self._try(event)
            case PodGroupDecided():
                self._decided = event.placement or ""
                self._untried.see(event)
            case PodGroupMemberDecided() if self._is_unplaced_attempt(event):
                raise _SeveralPlacements(self._decided)
            case AttemptFinished():
                self.tries[event.pod] += 1
            case _:
                self._untried.see(event)
        self._emit_before(event)

    def _is_unplaced_attempt(self, event: PodGroupMemberDecided) -> bool:
        """Return whether the attempt was in several placements, of which it is now known which one counts."""
        return event.attempt == self.stop_at and self._attempt_passed and self._placement is None

    def _try(self, event: CycleStarted) -> None:
        """Stop before the attempt of a group member, unless this placement is not the one whose result counts."""
        here = self.domain.value if self.domain else ""
        if here == self._placement or (self._placement is None and not self._has_several_placements):
            pod = self.cluster.pods.get(event.pod)
            assert pod is not None
            raise _Reached(pod)
        self._attempt_passed = True

    def _attempt(self, queued: QueuedPod, from_active: bool) -> None:
        observed = self.scheduler.observed is not None  # every pod of a recording is tried, and alone
        if queued.pod.pod_group and not observed:
            super()._attempt(queued, from_active)
            return
        skipped = not observed and (queued.pod.terminating or queued.key in self.cluster.assumed)
        if not skipped and self.scheduler.attempts + 1 == self.stop_at:
            raise _Reached(queued.pod)
        self.tries[queued.key] += not skipped
        super()._attempt(queued, from_active)
