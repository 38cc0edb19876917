"""The explanation of an attempt: the facts of every filter and the arithmetic of every score, for any node.

    explanation = explain(scenario, attempt=7, nodes=["n1", "n2"])

The scenario is simulated again up to the point where the attempt has selected a node or failed: the cluster is then in
the state that the plugins saw. Each Filter plugin also evaluates nodes that an earlier one rejected (`evaluated` False
marks evaluations that the scheduler skipped), and each Score plugin returns its arithmetic. The plugins themselves
provide the text (`facts.py`), so a rule and its explanation have one source.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from scheduler_core.explain.nodes import Course, Explainer
from scheduler_core.explain.records import AttemptExplanation, FilterExplanation, NodeExplanation, ScoreOnNode
from scheduler_core.framework.runtime.runtime import Registry
from scheduler_core.plugins import REGISTRY
from scheduler_core.scenario.types import Scenario
from scheduler_core.simulation.simulation import Simulation
from scheduler_core.trace.events import (
    AnyEvent,
    CycleStarted,
    HostSelected,
    NodesFiltered,
    PreFilterFinished,
    SchedulingFailed,
    ScoresComputed,
)
from scheduler_core.trace.pod_group_events import PlacementStarted, PodGroupEvaluated
from scheduler_core.trace.records import NodeName
from scheduler_core.trace.untried import Untried, no_such_attempt

__all__ = ["AttemptExplanation", "FilterExplanation", "NodeExplanation", "ScoreOnNode", "explain"]


def explain(
    scenario: Scenario, attempt: int, nodes: Sequence[NodeName] | None = None, registry: Registry = REGISTRY
) -> AttemptExplanation:
    """Return an explanation of an attempt (from 1) on the named nodes (None: all). `registry` must be the run's.

    If a pod group's member is tried in several placements, the first placement that contains one of the nodes is
    explained.

    Raises NotAnswerable if there is no such attempt, or if one of the nodes does not exist at that moment.
    """
    simulation = Simulation(scenario, registry)
    watcher = Watcher(attempt, nodes)
    emit = simulation.scheduler.emit

    def watch(event: AnyEvent) -> None:
        emit(event)
        if watcher.see(event):
            raise Reached

    simulation.scheduler.emit = watch
    try:
        deque(simulation.run(), maxlen=0)
    except Reached:
        assert watcher.course is not None
        framework = simulation.scheduler.frameworks[watcher.course.started.profile]
        return Explainer(framework, watcher.course).explain(nodes)
    raise no_such_attempt(attempt)


class Reached(Exception):
    """Raised when the attempt can be explained; the rest of the run is not needed."""


class Watcher:
    """Follows the events of an attempt until `Explainer` can be used."""

    def __init__(self, attempt: int, nodes: Sequence[NodeName] | None = None) -> None:
        self._attempt = attempt
        self._nodes = set(nodes or ())
        self._elsewhere = False  # the current placement contains none of the nodes
        self._untried = Untried(attempt, some_nodes=bool(nodes))
        self.course: Course | None = None

    def see(self, event: AnyEvent) -> bool:
        """Process an event. Return True once the attempt has selected a node or failed.

        Raises NotAnswerable if the run gets past the attempt without an evaluation that counts.
        """
        if isinstance(event, PlacementStarted):
            self._elsewhere = bool(self._nodes) and self._nodes.isdisjoint(event.nodes)
        elif isinstance(event, CycleStarted | PodGroupEvaluated) and self.course is not None:
            return True  # the evaluation of a member ends when that of the next one begins
        elif isinstance(event, CycleStarted):
            self.course = Course(event) if event.attempt == self._attempt and not self._elsewhere else None
        if self.course is None:
            self._untried.see(event)
            return False
        match event:
            case PreFilterFinished():
                self.course.pre_filter = event
                return event.rejected_by is not None
            case NodesFiltered():
                self.course.filtered = event
                return event.feasible == 0
            case ScoresComputed():
                self.course.scores = event
            case HostSelected() | SchedulingFailed():
                return True
        return False
