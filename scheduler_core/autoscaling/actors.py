"""The actors of a scenario."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from scheduler_core.apis import autoscaling as settings
from scheduler_core.controllers.live import Actor, Live
from scheduler_core.scenario.types import Scenario


def build_actors(scenario: Scenario, live: Live) -> Iterator[Actor]:
    """Yield the actors of the scenario. Random choices depend on its seed; without a seed, the first option wins."""
    if not scenario.actors:
        return
    # Loaded when a scenario has an actor.
    from scheduler_core.autoscaling.cluster_autoscaler.loop import ClusterAutoscaler
    from scheduler_core.autoscaling.descheduler.descheduler import Descheduler
    from scheduler_core.autoscaling.karpenter.karpenter import Karpenter

    rng = None if scenario.seed is None else np.random.Generator(np.random.PCG64(scenario.seed))
    for actor in scenario.actors:
        match actor:
            case settings.ClusterAutoscalerSettings():
                yield ClusterAutoscaler(actor, scenario.node_groups, live.api, live.act_later, rng)
            case settings.KarpenterSettings():
                yield Karpenter(actor, live.api, live.act_later)
            case settings.DeschedulerSettings():
                yield Descheduler(actor, live.api, live.act_later)
