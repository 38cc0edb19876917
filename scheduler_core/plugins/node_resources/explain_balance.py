"""NodeResourcesBalancedAllocation's score in words: the used shares, their standard deviation, and the result."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scheduler_core.apis.config import NodeResourcesBalancedAllocationArgs
from scheduler_core.apis.core import Pod
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.facts import Fact, ScoreExplanation, format_amount
from scheduler_core.framework.interface import MAX_NODE_SCORE
from scheduler_core.plugins.node_resources.allocation import Amount, amounts
from scheduler_core.plugins.node_resources.explain import REQUESTS_FIELD, in_units


def explain_improvement(
    args: NodeResourcesBalancedAllocationArgs, pod: Pod, nodes: NodeTable, row: int, score: int
) -> ScoreExplanation:
    """Return the balance without the pod and with it, and the score for the difference."""
    existing = _existing_resources(amounts(pod, nodes, np.array([row], np.intp), args.resources, non_zero=False))
    before, without = _balance_lines(
        [amount._replace(requested=amount.requested - amount.of_pod) for amount in existing]
    )
    after, with_pod = _balance_lines(existing)
    lines = ["without the pod:", *before, "with the pod:", *after]
    lines.append(f"50 + (50 + {with_pod} - {without}) / 2 = {score}")
    return ScoreExplanation(lines, [_balance_fact(nodes.names[row], amount) for amount in existing])


def explain_balance(
    args: NodeResourcesBalancedAllocationArgs, pod: Pod, nodes: NodeTable, row: int, score: int
) -> ScoreExplanation:
    """Return the used shares with the pod on the node, their standard deviation, and the score (before 1.36)."""
    existing = _existing_resources(amounts(pod, nodes, np.array([row], np.intp), args.resources, non_zero=False))
    return ScoreExplanation(
        _balance_lines(existing)[0], [_balance_fact(nodes.names[row], amount) for amount in existing]
    )


def _existing_resources(resources: Sequence[Amount]) -> list[Amount]:
    """Return the resources that the node has."""
    return [resource for resource in resources if resource.exists is None or resource.exists[0]]


def _balance_lines(resources: Sequence[Amount]) -> tuple[list[str], int]:
    """Return the arithmetic of one node's balance, and its result."""
    parts = [(resource.spec.name, int(resource.requested[0]), int(resource.allocatable[0])) for resource in resources]
    shares = [min(used / allocatable, 1.0) for _, used, allocatable in parts]
    lines = []
    for (name, used, allocatable), share in zip(parts, shares, strict=True):
        numerator, denominator = in_units(name, used, allocatable)
        lines.append(f"{name} {numerator} / {denominator} = {share:.4f}")
    mean = sum(shares) / max(len(shares), 1)
    deviation = (sum((share - mean) ** 2 for share in shares) / max(len(shares), 1)) ** 0.5
    if len(shares) == 2:
        deviation = abs((shares[0] - shares[1]) / 2)
        lines.append(f"standard deviation |{shares[0]:.4f} - {shares[1]:.4f}| / 2 = {deviation:.4f}")
    else:
        lines.append(f"standard deviation = {deviation:.4f}")
    score = int((1 - deviation) * MAX_NODE_SCORE)
    lines.append(f"(1 - {deviation:.4f}) * 100 = {score}")
    return lines, score


def _balance_fact(node: str, resource: Amount) -> Fact:
    name, used, allocatable = resource.spec.name, int(resource.requested[0]), int(resource.allocatable[0])
    return Fact(
        f"NodeResourcesBalancedAllocation.{name}",
        left=format_amount(name, used),
        op="of",
        right=format_amount(name, allocatable),
        holds=True,
        values={"request": int(resource.of_pod), "requested": used, "allocatable": allocatable},
        text=f"With this pod, {format_amount(name, used)} of {node}'s {format_amount(name, allocatable)} of {name} "
        "would be requested.",
        field=f"{REQUESTS_FIELD}.{name}",
    )
