"""The Score plugins of a profile over the feasible nodes."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from scheduler_core.apis.config import Profile
from tests.reference.framework.interface import Cycle
from tests.reference.plugins import PLUGINS


def prioritize(
    cycle: Cycle, feasible: Sequence[str], profile: Profile, *, bare: bool
) -> dict[str, dict[str, list[int]]]:
    """plugin -> node -> [raw, normalized, weighted]; plugins that PreScore skipped are absent.

    `bare`: an extender handed the feasible nodes over without their pods and images.
    """
    if bare:
        cycle = dataclasses.replace(cycle, images={})
    standing = {node.name: (node, () if bare else pods) for node, pods in cycle.snapshot}
    result = {}
    for ref in profile.plugins["score"]:
        scores = PLUGINS[ref.name].score(cycle, [standing[name] for name in feasible])
        if scores is not None:
            raw, normalized = scores
            result[ref.name] = {n: [raw[n], normalized[n], normalized[n] * ref.weight] for n in feasible}
    return result
