"""NodeResourcesFit's verdicts and scores in words: comparisons for the filter, arithmetic for the strategies."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.config import NodeResourcesFitArgs, ResourceSpec
from scheduler_core.apis.core import Pod
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.facts import BYTES, Fact, ScoreExplanation, format_amount, format_count
from scheduler_core.framework.interface import Change
from scheduler_core.plugins.node_resources.allocation import Amount, amounts, pod_request

Part = tuple[ResourceSpec, int, int, int]  # resource, requested with the pod, allocatable, score
OneScore = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.int64]]

REQUESTS_FIELD = "spec.containers[*].resources.requests"


def explain_fit(
    state: Sequence[tuple[str, int]],
    nodes: NodeTable,
    row: int,
    change: Change | None,
    by_devices: Collection[str] = (),
) -> list[Fact]:
    """Return facts: room for one more pod, then room for every checked resource.

    A resource in `by_devices`, which devices may provide, is not checked on a node that does not have it itself.
    """
    delta = [0] * (len(state) + 1) if change is None else [int(column[0]) for column in change.delta]
    also = ", counting the pods nominated to it" if change is not None else ""
    facts = [_pods_fact(nodes, row, int(nodes.pod_count[row]) + delta[0], also)]
    for number, (name, request) in enumerate(state, 1):
        index = nodes.resources.get(name, len(nodes.allocatable))
        exists = index < len(nodes.allocatable)
        allocatable = int(nodes.allocatable[index][row]) if exists else 0
        if not allocatable and name in by_devices:
            continue
        requested = (int(nodes.requested[index][row]) if exists else 0) + delta[number]
        facts.append(_resource_fact(name, request, requested, allocatable, nodes.names[row], also))
    return facts


def explain_strategy(
    args: NodeResourcesFitArgs, score: OneScore, pod: Pod, nodes: NodeTable, rows: NDArray[np.intp], index: int
) -> ScoreExplanation:
    """Explain each resource's score by the strategy and, if several resources count, their mean."""
    row = rows[index : index + 1]
    parts = _parts(amounts(pod, nodes, row, args.resources, non_zero=True), score)
    lines = [_line(args.strategy, part) for part in parts] or ["no resource counts: 0"]
    rounded = args.strategy == "RequestedToCapacityRatio"
    in_mean = [part for part in parts if part[3] > 0 or not rounded]
    if len(parts) > 1:
        lines.append(mean_line([(spec.weight, points) for spec, _, _, points in in_mean], rounded=rounded))
    return ScoreExplanation(lines, [_share_fact(pod, part, nodes.names[int(row[0])]) for part in parts])


def mean_line(parts: Sequence[tuple[int, int]], *, rounded: bool) -> str:
    """Return "(62 + 54) / 2 = 58" from (weight, score) pairs; with weights "(62 * 2 + 54 * 1) / 3"."""
    if not parts:
        return "no resource counts in the mean: 0"
    total, weights = sum(weight * score for weight, score in parts), sum(weight for weight, _ in parts)
    plain = all(weight == 1 for weight, _ in parts)
    terms = " + ".join(str(score) if plain else f"{score} * {weight}" for weight, score in parts)
    result = int(np.floor(total / weights + 0.5)) if rounded else total // weights
    mean = f"({terms}) / {weights}"
    return f"round({mean}) = {result}" if rounded else f"{mean} = {result}"


def in_units(name: str, *values: int) -> list[str]:
    """Return amounts as text: memory and ephemeral storage in the largest of Gi, Mi and Ki that divides all amounts.

    All other amounts are plain numbers (cpu in millicores).
    """
    if name not in BYTES:
        return [str(value) for value in values]
    for suffix, bits in (("Gi", 30), ("Mi", 20), ("Ki", 10)):
        if all(value % (1 << bits) == 0 for value in values):
            return [f"{value >> bits}{suffix}" for value in values]
    return [str(value) for value in values]


def _parts(resources: Sequence[Amount], score: OneScore) -> list[Part]:
    return [
        (
            amount.spec,
            int(amount.requested[0]),
            int(amount.allocatable[0]),
            int(score(amount.requested, amount.allocatable)[0]),
        )
        for amount in resources
        if amount.exists is None or amount.exists[0]
    ]


def _line(strategy: str, part: Part) -> str:
    spec, requested, allocatable, score = part
    used, whole = in_units(spec.name, requested, allocatable)
    if strategy == "LeastAllocated":
        if requested > allocatable:
            return f"{spec.name} {used} is more than {whole} = 0"
        return f"{spec.name} ({whole} - {used}) * 100 / {whole} = {score}"
    capped = f"min({used}, {whole})" if requested > allocatable else used
    if strategy == "MostAllocated":
        return f"{spec.name} {capped} * 100 / {whole} = {score}"
    percent = min(requested, allocatable) * 100 // allocatable
    return f"{spec.name} {capped} * 100 / {whole} = {percent} %, by the shape {score}"


def _pods_fact(nodes: NodeTable, row: int, pods: int, also: str) -> Fact:
    allowed, node = int(nodes.allowed_pods[row]), nodes.names[row]
    holds = pods + 1 <= allowed
    return Fact(
        "NodeResourcesFit.pods",
        left=f"{pods} + 1",
        op="≤" if holds else ">",
        right=str(allowed),
        holds=holds,
        values={"pods": pods, "allowed": allowed},
        text=f"{node} runs {format_count(pods, 'pod')}{also} and allows {allowed}.",
        field="status.allocatable.pods",
    )


def _resource_fact(name: str, requested_by_pod: int, requested: int, allocatable: int, node: str, also: str) -> Fact:
    free = allocatable - requested
    holds = requested_by_pod <= free
    request, left, whole, used = (
        format_amount(name, value) for value in (requested_by_pod, max(free, 0), allocatable, requested)
    )
    text = f"The pod requests {request} of {name}; {node} has {left} free: {whole} allocatable, {used} requested{also}."
    if requested_by_pod > allocatable:
        text += f" Even an empty {node} would be too small, so evicting pods cannot help."
    return Fact(
        f"NodeResourcesFit.{name}",
        left=request,
        op="≤" if holds else ">",
        right=format_amount(name, free) if free >= 0 else f"-{format_amount(name, -free)}",
        holds=holds,
        values={"request": requested_by_pod, "requested": requested, "allocatable": allocatable, "free": free},
        text=text,
        field=f"{REQUESTS_FIELD}.{name}",
    )


def _share_fact(pod: Pod, part: Part, node: str) -> Fact:
    spec, requested, allocatable, _ = part
    name = spec.name
    own = pod_request(pod, name, non_zero=True)
    default = own != pod.requests.get(name, 0)
    defaults = f" (containers without a request count {'100m' if name == 'cpu' else '200Mi'} each)" if default else ""
    return Fact(
        f"NodeResourcesFit.score.{name}",
        left=format_amount(name, requested),
        op="of",
        right=format_amount(name, allocatable),
        holds=True,
        values={"request": own, "requested": requested, "allocatable": allocatable, "weight": spec.weight},
        text=f"With this pod, {format_amount(name, requested)} of {node}'s {format_amount(name, allocatable)} of "
        f"{name} would be requested; the pod counts {format_amount(name, own)}{defaults}.",
        field=f"{REQUESTS_FIELD}.{name}",
    )
