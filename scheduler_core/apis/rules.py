"""SchedulerPlugin (kschedui.io/v1alpha1): a plugin that the scenario defines by CEL expressions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

Normalization = Literal["None", "Maximum", "Reversed"]
Point = Literal["preEnqueue", "filter", "score", "permit"]
POINTS: dict[Point, str] = {"preEnqueue": "pre_enqueue", "filter": "filter", "score": "score", "permit": "permit"}
"""By field of the document: the extension point, named as in `config.EXTENSION_POINTS`."""


class Rule(msgspec.Struct, frozen=True):
    """A plugin that a scenario declares.

    `expressions` are by extension point. `message`: an expression for the reason of a rejection; "": a default reason.
    `resolvable`: evicting pods may help. `requeue`: the events that move a rejected pod back to the queue ("Node/Add").
    `sums`: an expression reads totals of the cluster, so there is a PreFilter. `minor`: the expressions have the CEL
    libraries of Kubernetes 1.`minor`.
    """

    name: str
    expressions: Mapping[Point, str]
    message: str = ""
    resolvable: bool = True
    normalize: Normalization = "None"
    weight: int = 1
    requeue: tuple[str, ...] = ()
    sums: bool = False
    minor: int = 0

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def points(self) -> tuple[str, ...]:
        """Return the extension points, named as in `config.EXTENSION_POINTS`."""
        return (*(POINTS[point] for point in self.expressions), *(("pre_filter",) if self.sums else ()))
