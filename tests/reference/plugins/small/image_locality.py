"""ImageLocality. Rule: kube-scheduler's imagelocality."""

from __future__ import annotations

from collections.abc import Sequence

from tests.reference.framework.interface import Cycle, NodeWithPods, Plugin, Scores
from tests.reference.plugins.helpers.go_math import divided

MIB = 1024 * 1024


class ImageLocality(Plugin):
    def score(self, cycle: Cycle, feasible: Sequence[NodeWithPods]) -> Scores:
        raw = {node.name: image_score(cycle, node.name) for node, _ in feasible}
        return Scores(raw, raw)


def image_score(cycle: Cycle, node: str) -> int:
    """Return the node's score from 0 to 100.

    It grows with the size of the pod's images on the node, each scaled by the share of nodes that have the image, from
    23 MiB up to 1000 MiB for each container.
    """
    there, nodes = cycle.images.get(node, {}), len(cycle.snapshot)
    total = 0
    for image in cycle.pod.images:
        name = image if image.rfind(":") > image.rfind("/") else image + ":latest"
        if name in there:
            size, holders = there[name]
            total += int(float(size) * (float(holders) / float(nodes)))
    lowest, highest = 23 * MIB, 1000 * MIB * cycle.pod.num_containers
    clamped = min(max(total, lowest), highest)
    return divided(100 * (clamped - lowest), highest - lowest)
