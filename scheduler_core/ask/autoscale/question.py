"""Asks the autoscaler of a scenario what it would do, and proves it by a run."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from scheduler_core.apis.autoscaling import ClusterAutoscalerSettings, DeschedulerSettings, KarpenterSettings
from scheduler_core.apis.core import PodKey
from scheduler_core.apis.messages import Message
from scheduler_core.ask.autoscale import of_cluster_autoscaler, of_karpenter
from scheduler_core.ask.autoscale.answers import Autoscaling, Proof
from scheduler_core.ask.autoscale.course import follow
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

NEVER = 1e12
SETTLED = 1.0  # seconds after the last event at which the question is asked
HORIZON = 300.0  # seconds that the proof lasts


def autoscale(
    scenario: Scenario,
    registry: Registry = REGISTRY,
    at: float | None = None,
    *,
    proves: bool = True,
    report_progress: Callable[[float], None] = lambda part: None,
) -> list[Autoscaling]:
    """Return the actions of each autoscaler of the scenario at a time of the run. Raises NotPossible or RunEnded.

    `at` None: after the last event of the timeline, as if the autoscaler had done nothing until then. `proves`: a run
    from there on adds the proof. `report_progress` is called with the progress, from 0 to 1.
    """
    scenario = with_actor(scenario)
    moment = at if at is not None else last_event(scenario) + SETTLED
    actors = autoscalers_of(scenario)
    answers = []
    for number, actor in enumerate(actors):
        paused = replace(actor, start_seconds=NEVER) if at is None else actor
        simulation = Simulation(replace(scenario, actors=(paused,), until_seconds=moment), registry)
        for _ in simulation.run():
            pass
        report_progress((number + 0.2) / len(actors))
        answer = _ask(simulation)
        report_progress((number + 0.5) / len(actors))
        if proves:
            begins = replace(actor, start_seconds=moment) if at is None else actor
            further = replace(scenario, actors=(begins,), until_seconds=moment + HORIZON)
            answer.proof = _prove(further, registry, {pod.pod for pod in answer.pods}, moment)
        report_progress((number + 1) / len(actors))
        answers.append(answer)
    return answers


def autoscalers_of(scenario: Scenario) -> list[ClusterAutoscalerSettings | KarpenterSettings]:
    """Return the node autoscalers of a scenario."""
    return [actor for actor in scenario.actors if not isinstance(actor, DeschedulerSettings)]


def with_actor(scenario: Scenario) -> Scenario:
    """Return the scenario with controllers, and with Cluster Autoscaler if it has node groups but no autoscaler.

    Raises NotPossible for a recording, and for a scenario with neither an autoscaler nor node groups.
    """
    if not autoscalers_of(scenario) and scenario.node_groups:
        actor = ClusterAutoscalerSettings(read_flags((), Problems()))
        scenario = replace(scenario, actors=(*scenario.actors, actor))
    if not autoscalers_of(scenario):
        raise NotPossible(
            Message("the scenario has no autoscaler; expected a ClusterAutoscaler, a Karpenter or a NodeGroup")
        )
    if scenario.observed:
        raise NotPossible(Message("this is a recording, in which the cluster's own autoscaler has acted"))
    return replace(scenario, controllers=scenario.controllers or CONTROLLERS)


def last_event(scenario: Scenario) -> float:
    """Return the time of the timeline's last event, 0 without events."""
    return max((event.at for event in scenario.events), default=0.0)


def _ask(simulation: Simulation) -> Autoscaling:
    for actor in simulation.actors:
        if isinstance(actor, ClusterAutoscaler):
            return of_cluster_autoscaler.ask(actor, simulation.cluster)
        if isinstance(actor, Karpenter):
            return of_karpenter.ask(actor, simulation.cluster)
    raise AssertionError("the scenario has an autoscaler")


def _prove(scenario: Scenario, registry: Registry, waiting: set[PodKey], start: float) -> Proof:
    """Run the scenario and return the result for the waiting pods, from `start` on."""
    course = follow(scenario, registry, start)
    left = [pod for pod in course.waiting if pod in waiting]
    for made in course.nodes:
        made.pods = [pod for pod in made.pods if pod in waiting]
    placed = None if left else max((at for pod, at in course.bound.items() if pod in waiting), default=None)
    return Proof(course.ordered, placed, len(course.nodes), course.removed, left, course.nodes)
