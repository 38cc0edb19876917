"""The Score plugins of a profile for the feasible nodes."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from scheduler_core.apis.config import Profile
from tests.reference.framework.interface import Cycle
from tests.reference.plugins import PLUGINS


def top_of_heap(nodes: Sequence[str], totals: Mapping[str, int]) -> str:
    """Return the node with the highest total; of several, the one on top of Go's container/heap after Init."""
    heap = list(nodes)
    for start in range(len(heap) // 2 - 1, -1, -1):
        i = start
        while 2 * i + 1 < len(heap):
            children = heap[2 * i + 1 : 2 * i + 3]
            best = 2 * i + 1
            if len(children) == 2 and totals[children[1]] > totals[children[0]]:
                best += 1
            if totals[heap[best]] <= totals[heap[i]]:
                break
            heap[i], heap[best] = heap[best], heap[i]
            i = best
    return heap[0]


def prioritize(
    cycle: Cycle, feasible: Sequence[str], profile: Profile, *, bare: bool
) -> dict[str, dict[str, list[int]]]:
    """Return [raw, normalized, weighted] scores by plugin and node, without plugins that PreScore skips.

    `bare`: an extender returned the feasible nodes without their pods and images.
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
