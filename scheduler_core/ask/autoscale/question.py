"""Asks the autoscaler of a scenario what it would do, and proves it by a run."""

from __future__ import annotations

from msgspec.structs import replace

from scheduler_core.apis.autoscaling import ClusterAutoscaler as ClusterAutoscalerSettings
from scheduler_core.apis.autoscaling import Descheduler
from scheduler_core.apis.messages import Message
from scheduler_core.ask.autoscale import of_cluster_autoscaler, of_karpenter
from scheduler_core.ask.autoscale.answers import Autoscaling, Proof
from scheduler_core.ask.editing.edits import NotPossible
from scheduler_core.autoscaling.cluster_autoscaler.loop import ClusterAutoscaler
from scheduler_core.autoscaling.karpenter.karpenter import Karpenter
from scheduler_core.framework.runtime.runtime import Registry
from scheduler_core.plugins import REGISTRY
from scheduler_core.scenario.reading.problems import Problems
from scheduler_core.scenario.settings.autoscaling import read_flags
from scheduler_core.scenario.settings.controllers import CONTROLLERS
from scheduler_core.scenario.types import Scenario
from scheduler_core.simulation.simulation import Simulation
from scheduler_core.trace.autoscaling_events import NodeGroupResized
from scheduler_core.trace.events import AnyEvent, ClockAdvanced, ObjectApplied, ObjectDeleted, PodBound, RunFinished

NEVER = 1e12
SETTLED = 1.0  # seconds after the last event at which the question is asked
HORIZON = 300.0  # seconds that the proof lasts


def autoscale(
    scenario: Scenario, registry: Registry = REGISTRY, at: float | None = None, *, proves: bool = True
) -> list[Autoscaling]:
    """Return what each autoscaler of the scenario would do at a time of the run. Raises NotPossible.

    `at` None: after the last event of the timeline, if it had done nothing so far. `proves`: a run from there on shows
    what comes of it.
    """
    actors = [actor for actor in scenario.actors if not isinstance(actor, Descheduler)]
    if not actors and scenario.node_groups:
        actors = [ClusterAutoscalerSettings(read_flags((), Problems()))]
    scenario = replace(scenario, controllers=scenario.controllers or CONTROLLERS)
    if not actors:
        raise NotPossible(
            Message("the scenario has no autoscaler; expected a ClusterAutoscaler, a Karpenter or a NodeGroup")
        )
    if scenario.observed:
        raise NotPossible(Message("this is a recording, in which the cluster's own autoscaler has acted"))
    moment = at if at is not None else max((event.at for event in scenario.events), default=0.0) + SETTLED
    answers = []
    for actor in actors:
        paused = replace(actor, start_seconds=NEVER) if at is None else actor
        simulation = Simulation(replace(scenario, actors=(paused,), until_seconds=moment), registry)
        for _ in simulation.run():
            pass
        answer = _ask(simulation)
        if proves:
            begins = replace(actor, start_seconds=moment) if at is None else actor
            answer.proof = _prove(
                replace(scenario, actors=(begins,), until_seconds=moment + HORIZON),
                registry,
                {pod.pod for pod in answer.pods},
                moment,
            )
        answers.append(answer)
    return answers


def _ask(simulation: Simulation) -> Autoscaling:
    for actor in simulation.actors:
        if isinstance(actor, ClusterAutoscaler):
            return of_cluster_autoscaler.ask(actor, simulation.cluster)
        if isinstance(actor, Karpenter):
            return of_karpenter.ask(actor, simulation.cluster)
    raise AssertionError("the scenario has an autoscaler")


def _prove(scenario: Scenario, registry: Registry, waiting: set[str], start: float) -> Proof:
    """Run the scenario, and return what happened."""
    proof, now, left = Proof(), 0.0, dict.fromkeys(sorted(waiting))
    for event in Simulation(scenario, registry).run():
        now = event.time if isinstance(event, ClockAdvanced | RunFinished) else now
        if now < start:
            continue
        if proof.ordered is None and _is_order(event):
            proof.ordered = now - start
        if isinstance(event, PodBound) and event.pod in left:
            del left[event.pod]
            proof.placed = now - start
        if isinstance(event, ObjectApplied) and event.kind == "Node" and event.action == "create":
            proof.added += 1
        if isinstance(event, ObjectDeleted) and event.kind == "Node":
            proof.removed += 1
    proof.waiting = list(left)
    if left:
        proof.placed = None
    return proof


def _is_order(event: AnyEvent) -> bool:
    claimed = isinstance(event, ObjectApplied) and event.kind == "NodeClaim" and event.action == "create"
    return claimed or (isinstance(event, NodeGroupResized) and event.delta > 0)
