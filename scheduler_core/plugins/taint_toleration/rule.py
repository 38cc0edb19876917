"""Taints and tolerations (kube-scheduler: component-helpers/scheduling/corev1 and api/core/v1/toleration.go)."""

from __future__ import annotations

from collections.abc import Iterable

from scheduler_core.apis.constraints import Taint, Toleration

HARD_EFFECTS = ("NoSchedule", "NoExecute")
SOFT_EFFECT = "PreferNoSchedule"


def tolerates(tolerations: Iterable[Toleration], taint: Taint) -> bool:
    """Return whether any toleration tolerates the taint."""
    return any(_covers(toleration, taint) for toleration in tolerations)


def _covers(toleration: Toleration, taint: Taint) -> bool:
    """Return whether the toleration tolerates the taint (Toleration.ToleratesTaint).

    An empty effect matches every effect, an empty key every key, and the operator Exists every value.
    """
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    return toleration.operator == "Exists" or toleration.value == taint.value


def find_untolerated_taint(
    taints: Iterable[Taint], tolerations: Iterable[Toleration], effects: tuple[str, ...]
) -> Taint | None:
    """Return the first taint with one of the effects that is not tolerated, None if there is none."""
    tolerations = tuple(tolerations)
    return next((taint for taint in taints if taint.effect in effects and not tolerates(tolerations, taint)), None)
