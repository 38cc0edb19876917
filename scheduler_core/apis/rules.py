"""SchedulerPlugin (kschedui.io/v1alpha1): a plugin whose answers are CEL expressions of the scenario."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Normalization = Literal["None", "Maximum", "Reversed"]
Point = Literal["preEnqueue", "filter", "score", "permit"]
POINTS: dict[Point, str] = {"preEnqueue": "pre_enqueue", "filter": "filter", "score": "score", "permit": "permit"}
"""The fields with expressions, and the extension points as the configuration's tables name them."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A plugin that a scenario declares.

    `expressions` by point. `message`: an expression for the reason of a rejection, "": a sentence with the name.
    `resolvable`: evicting pods may help. `requeue`: the events that queue a rejected pod again ("Node/Add"). `sums`: an
    expression reads what the cluster adds up to, so there is a PreFilter. `minor` is that of the Kubernetes release
    whose CEL libraries there are.
    """

    name: str
    expressions: Mapping[Point, str] = field(hash=False)
    message: str = ""
    resolvable: bool = True
    normalize: Normalization = "None"
    weight: int = 1
    requeue: tuple[str, ...] = ()
    sums: bool = False
    minor: int = 0

    @property
    def points(self) -> tuple[str, ...]:
        """The extension points, named as in `config.EXTENSION_POINTS`."""
        return (*(POINTS[point] for point in self.expressions), *(("pre_filter",) if self.sums else ()))
