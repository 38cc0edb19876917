"""PodTopologySpread's verdict and score as facts and arithmetic, from the numbers that `filter` and `score` read."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.core import Pod
from scheduler_core.cluster.nodes import NodeTable
from scheduler_core.framework.facts import Fact, ScoreExplanation
from scheduler_core.framework.interface import MAX_NODE_SCORE, Scores
from scheduler_core.plugins.pod_topology_spread.constraints import HOSTNAME, Action
from scheduler_core.plugins.pod_topology_spread.counting import CountedConstraint, Plan
from scheduler_core.plugins.pod_topology_spread.scoring import ScoreState, SoftConstraint, normalize


def explain_hard(pod: Pod, plan: Plan, number: int, nodes: NodeTable, row: int, delta: int, least: int) -> list[Fact]:
    """Return a fact about the label and one about the skew for the DoNotSchedule constraint with this number.

    `delta`: the number of matching pods that are added to the node's domain; `least`: the global minimum then.
    """
    field = _fields(pod, "DoNotSchedule", len(plan.hard))[number]
    hard = plan.hard[number]
    key = hard.constraint.topology_key
    domain = nodes.nodes[row].labels.get(key)
    label = _label_fact(key, domain, nodes.names[row], field)
    return [label] if domain is None else [label, _skew_fact(hard, row, delta, least, field)]


def _fields(pod: Pod, action: Action, count: int) -> list[str]:
    """Return the field of each constraint of the kind in the pod; default constraints have none."""
    own = [
        f"spec.topologySpreadConstraints[{index}]"
        for index, constraint in enumerate(pod.topology_spread_constraints)
        if constraint.when_unsatisfiable == action
    ]
    return own or [""] * count


def _label_fact(key: str, domain: str | None, node: str, field: str) -> Fact:
    text = f"{node} has no label {key}." if domain is None else f"{node} belongs to the domain {key}={domain}."
    return Fact(
        key="PodTopologySpread.label",
        left=key,
        op="∈",
        right=f"labels of {node}",
        holds=domain is not None,
        values={"topologyKey": key, "node": node, "domain": domain or ""},
        text=text,
        field=f"{field}.topologyKey" if field else "",
    )


def _skew_fact(hard: CountedConstraint, row: int, delta: int, least: int, field: str) -> Fact:
    """Return the fact that compares the skew with maxSkew."""
    constraint, code = hard.constraint, int(hard.topology.all.codes[row])
    domain = hard.topology.all.names[code]
    matching = int(hard.cells[code]) + delta
    skew = matching + hard.self_match - least
    holds = skew <= constraint.max_skew
    why_zero = (
        f" (0 because the domains are {len(hard.topology.eligible)}, fewer than minDomains {constraint.min_domains})"
        if hard.too_few_domains and constraint.min_domains
        else ""
    )
    return Fact(
        key="PodTopologySpread.skew",
        left=f"{matching} + {hard.self_match} - {least} = {skew}",
        op="≤",
        right=f"{constraint.max_skew}",
        holds=holds,
        values={
            "topologyKey": constraint.topology_key,
            "domain": domain,
            "matching": matching,
            "self": hard.self_match,
            "least": least,
            "skew": skew,
            "maxSkew": constraint.max_skew,
            "domains": len(hard.topology.eligible),
        },
        text=(
            f"Pods that match {constraint.selector} in {constraint.topology_key}={domain}: {matching}, with this pod "
            f"{matching + hard.self_match}; in the emptiest domain: {least}{why_zero}. The difference {skew} is "
            f"{'within' if holds else 'more than'} maxSkew {constraint.max_skew}."
        ),
        field=f"{field}.maxSkew" if field else "",
    )


def explain_soft(
    pod: Pod, state: ScoreState, nodes: NodeTable, rows: NDArray[np.intp], raw: Scores, index: int
) -> ScoreExplanation:
    """Return the contribution of each constraint, the rounded sum, and the normalization over the feasible nodes."""
    fields = _fields(pod, "ScheduleAnyway", len(state.soft))
    facts = [
        _count_fact(soft, nodes, int(rows[index]), index, field)
        for soft, field in zip(state.soft, fields, strict=True)
        if soft.labelled is None or soft.labelled[index]
    ]
    if state.ignored is not None and state.ignored[index]:
        missing = [s.constraint.topology_key for s in state.soft if s.labelled is not None and not s.labelled[index]]
        return ScoreExplanation([f"ignored: no label {', '.join(missing)}", "normalized = 0"], facts)
    lines = [_part_line(soft, index) for soft in state.soft]
    total = sum(float(soft.parts()[index]) for soft in state.soft)
    lines.append(f"raw = round({total:.6f}) = {raw[index]}")
    normalized = int(normalize(state, raw)[index])
    counted = raw if state.ignored is None else raw[~state.ignored]
    highest, lowest = int(counted.max()), int(counted.min())
    if highest == 0:
        lines.append(f"normalized = {normalized} (no feasible node has a score above 0)")
    else:
        sum_less = f"{highest} + {lowest} - {raw[index]}"
        lines.append(f"normalized = {MAX_NODE_SCORE} × ({sum_less}) / {highest} = {normalized}")
    return ScoreExplanation(lines, facts)


def _part_line(soft: SoftConstraint, index: int) -> str:
    constraint = soft.constraint
    if soft.labelled is not None and not soft.labelled[index]:
        return f"{constraint.topology_key}: 0 (the node has no such label)"
    part = float(soft.parts()[index])
    return (
        f"{constraint.topology_key}: {soft.counts[index]} pods × ln({soft.size} domains + 2) "
        f"+ (maxSkew {constraint.max_skew} - 1) = {soft.counts[index]} × {soft.weight:.6f} "
        f"+ {constraint.max_skew - 1} = {part:.6f}"
    )


def _count_fact(soft: SoftConstraint, nodes: NodeTable, row: int, index: int, field: str) -> Fact:
    """Return a fact with the number of matching pods in the node's domain. It is not a condition: it always holds."""
    constraint, node = soft.constraint, nodes.nodes[row]
    domain = node.labels[constraint.topology_key]
    where = f"the node {node.name}" if constraint.topology_key == HOSTNAME else f"{constraint.topology_key}={domain}"
    count = int(soft.counts[index])
    return Fact(
        key="PodTopologySpread.count",
        left=str(count),
        op="=",
        right=f"matching pods on {where}",
        holds=True,
        values={"count": count, "domain": domain, "domains": soft.size, "maxSkew": constraint.max_skew},
        text=f"Pods that match {constraint.selector} on {where}: {count}.",
        field=f"{field}.labelSelector" if field else "",
    )
