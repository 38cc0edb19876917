"""The trace events for the results of a batch or round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from scheduler_core.apis.core import Pod
from scheduler_core.autoscaling.karpenter.instance_types import Catalogue
from scheduler_core.autoscaling.karpenter.solver import NewClaim, Results
from scheduler_core.trace.autoscaling_events import (
    MOST_NODES,
    MOST_OPTIONS,
    MOST_PODS,
    MOST_TYPES,
    EvaluatedNode,
    EvaluatedOption,
    EvaluatedRefusal,
    ScaleDownEvaluated,
    ScaleUpEvaluated,
)

NAME = "karpenter"


def evaluated_scale_up(results: Results, waiting: int, catalogue: Catalogue) -> ScaleUpEvaluated:
    """Return the event of a batch: its claims, and why pods get no node; long lists are cut."""
    refused: dict[str, list[str]] = {}
    for pod, reason in results.errors.values():
        refused.setdefault(reason, []).append(pod.key)
    refusals = [EvaluatedRefusal("", reason, keys[:MOST_PODS], len(keys)) for reason, keys in refused.items()]
    return ScaleUpEvaluated(NAME, waiting, evaluated_claims(results.claims, catalogue), refusals[:MOST_OPTIONS])


def evaluated_claims(claims: Sequence[NewClaim], catalogue: Catalogue) -> list[EvaluatedOption]:
    """Return the first MOST_OPTIONS claims, each with the cheapest of its instance types."""
    return [_option(claim, catalogue) for claim in claims[:MOST_OPTIONS]]


def _option(claim: NewClaim, catalogue: Catalogue) -> EvaluatedOption:
    order = catalogue.by_price(claim.types, claim.requirements)
    launched = catalogue.cheapest(claim.types, claim.requirements)
    return EvaluatedOption(
        claim.pool.name,
        1,
        [pod.key for pod in claim.pods[:MOST_PODS]],
        len(claim.pods),
        chosen=True,
        types=[catalogue.types[number].name for number in order[:MOST_TYPES]],
        type_count=len(order),
        price=launched[1].price if launched is not None else None,
    )


def evaluated_scale_down(
    going: Mapping[str, Sequence[Pod]],
    outcome: Literal["delete", "replace"],
    reason: str,
    results: Results | None,
    stays: Mapping[str, str],
    replacements: list[EvaluatedOption],
) -> ScaleDownEvaluated | None:
    """Return the event of a round: the removed nodes, and why others stay, up to MOST_NODES; None if there are none."""
    place_of = {pod.key: node.state.name for node in (results.nodes if results else ()) for pod in node.pods}
    nodes = [
        EvaluatedNode(
            name, outcome, reason, [(pod.key, place_of[pod.key]) for pod in pods if pod.key in place_of][:MOST_PODS]
        )
        for name, pods in going.items()
    ]
    nodes += [EvaluatedNode(name, "stays", words) for name, words in stays.items() if name not in going]
    if not nodes:
        return None
    return ScaleDownEvaluated(NAME, nodes[:MOST_NODES], max(0, len(nodes) - MOST_NODES), replacements)
