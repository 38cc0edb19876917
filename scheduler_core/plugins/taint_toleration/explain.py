"""TaintToleration's verdict and score in words: the node's taints with their tolerations, and the count."""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_core.apis.constraints import Taint, Toleration
from scheduler_core.apis.core import Node, Pod
from scheduler_core.framework.facts import Fact, ScoreExplanation
from scheduler_core.framework.interface import Scores
from scheduler_core.plugins.taint_toleration.rule import HARD_EFFECTS, SOFT_EFFECT, tolerates
from scheduler_core.trace.summaries import taint_text


def explain_taints(pod: Pod, node: Node) -> list[Fact]:
    """Return one fact for each NoSchedule or NoExecute taint of the node; a fact that holds if there is none."""
    taints = [taint for taint in node.taints if taint.effect in HARD_EFFECTS]
    if not taints:
        return [
            Fact(
                "TaintToleration.none",
                left=f"{node.name}'s NoSchedule and NoExecute taints",
                op="=",
                right="none",
                holds=True,
                text=f"{node.name} has no taint that keeps pods away.",
                field="spec.taints",
            )
        ]
    return [_fact(pod.tolerations, taint, node.name) for taint in taints]


def explain_preferences(
    tolerations: Sequence[Toleration], node: Node, raw: Scores, index: int, scale: int
) -> ScoreExplanation:
    """Explain the score by the node's PreferNoSchedule taints; the node with the most untolerated ones scores 0.

    `scale`: the highest score.
    """
    soft = [taint for taint in node.taints if taint.effect == SOFT_EFFECT]
    facts = [_fact(tolerations, taint, node.name, "TaintToleration.preferred") for taint in soft]
    count, most = int(raw[index]), int(raw.max())
    lines = [f"PreferNoSchedule taints that the pod does not tolerate: {count}"]
    if most == 0:
        lines.append(f"no feasible node has any: {scale}")
    else:
        lines.append(f"{scale} - {scale} * {count} / {most} = {scale - scale * count // most}")
    return ScoreExplanation(lines, facts)


def _fact(tolerations: Sequence[Toleration], taint: Taint, node: str, key: str = "TaintToleration.taint") -> Fact:
    tolerated = tolerates(tolerations, taint)
    name = taint_text(taint)
    return Fact(
        key,
        left=name,
        op="∈" if tolerated else "∉",
        right="the pod's tolerations",
        holds=tolerated,
        values={"key": taint.key, "value": taint.value, "effect": taint.effect},
        text=f"{node} has the taint {name}, which the pod {'tolerates' if tolerated else 'does not tolerate'}.",
        field="spec.tolerations",
    )
