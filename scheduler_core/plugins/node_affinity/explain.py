"""NodeAffinity's verdict and score in words: the requirements of the pod, and the labels of the node."""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_core.apis.constraints import PreferredNodeTerm
from scheduler_core.apis.core import Node, Pod
from scheduler_core.apis.selectors import NODE_NAME_FIELD, NodeSelector, NodeSelectorTerm, SelectorRequirement
from scheduler_core.framework.facts import Fact, ScoreExplanation
from scheduler_core.framework.interface import Scores

AFFINITY_FIELD = "spec.affinity.nodeAffinity"
REQUIRED_FIELD = f"{AFFINITY_FIELD}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"
PREFERRED_FIELD = f"{AFFINITY_FIELD}.preferredDuringSchedulingIgnoredDuringExecution"


def explain_required(pod: Pod, added: NodeSelector | None, node: Node) -> list[Fact]:
    """Return facts about the profile's addedAffinity, the labels of the pod's nodeSelector, and its required affinity.

    If there is none of these, return a single fact that holds.
    """
    facts = []
    if added is not None:
        facts.append(_terms_fact("NodeAffinity.added", "the profile's addedAffinity", added, node, ""))
    facts += [_label_fact(key, value, node) for key, value in pod.node_selector.items()]
    if pod.required_node_affinity is not None:
        required = pod.required_node_affinity
        facts.append(_terms_fact("NodeAffinity.required", "the pod's node affinity", required, node, REQUIRED_FIELD))
    return facts or [_no_affinity_fact(node)]


def explain_preferred(
    added: Sequence[PreferredNodeTerm],
    own: Sequence[PreferredNodeTerm],
    node: Node,
    raw: Scores,
    index: int,
    scale: int,
) -> ScoreExplanation:
    """Return the weights of the matching preferred terms of the profile and the pod, and the best node's sum.

    `scale`: the highest score.
    """
    facts = [_preference_fact(term, node, "") for term in added]
    facts += [_preference_fact(term, node, f"{PREFERRED_FIELD}[{number}]") for number, term in enumerate(own)]
    matching = [str(term.weight) for term in (*added, *own) if term.term.matches(node.labels, node.name)]
    score, best = int(raw[index]), int(raw.max())
    lines = [f"weights of the preferred terms that match: {' + '.join(matching) or 'none'} = {score}"]
    if best == 0:
        lines.append("no feasible node matches any: 0")
    else:
        lines.append(f"{scale} * {score} / {best} = {scale * score // best}")
    return ScoreExplanation(lines, facts)


def why_not(term: NodeSelectorTerm, node: Node) -> str:
    """Return the first condition of the term that the node does not match, and the node's value; "" if it matches."""
    if term.empty:
        return "an empty term matches no node"
    for requirement in term.match_expressions:
        if not requirement.matches(node.labels):
            return f"{requirement} does not hold, {_has(requirement, node)}"
    for requirement in term.match_fields:
        if not requirement.matches({NODE_NAME_FIELD: node.name}):
            return f"{requirement} does not hold"
    return ""


def _has(requirement: SelectorRequirement, node: Node) -> str:
    value = node.labels.get(requirement.key)
    return f"{node.name} has {requirement.key}={value}" if value is not None else "the node has no such label"


def _decisive_condition(selector: NodeSelector, node: Node) -> dict[str, int | str]:
    """Return the first condition of a single term that the node does not match, or its only condition.

    Empty if there is not exactly one term, or if the node matches its several conditions.
    """
    if len(selector.terms) != 1:
        return {}
    term = selector.terms[0]
    conditions = [(expression, node.labels) for expression in term.match_expressions]
    conditions += [(field, {NODE_NAME_FIELD: node.name}) for field in term.match_fields]
    unmet = [(condition, labels) for condition, labels in conditions if not condition.matches(labels)]
    if not unmet and len(conditions) != 1:
        return {}
    condition, labels = (unmet or conditions)[0]
    values = ", ".join(condition.values)
    return {
        "key": condition.key,
        "operator": condition.operator,
        "wanted": values,
        "node": labels.get(condition.key, ""),
    }


def _label_fact(key: str, value: str, node: Node) -> Fact:
    actual = node.labels.get(key)
    has = f"has {key}={actual}" if actual is not None else f"has no label {key}"
    return Fact(
        "NodeAffinity.nodeSelector",
        left=f"{key}={actual}" if actual is not None else f"{key} (no label)",
        op="=" if actual == value else "≠",
        right=f"{key}={value}",
        holds=actual == value,
        values={"key": key, "wanted": value, "node": actual or ""},
        text=f"The pod's nodeSelector wants {key}={value}, and {node.name} {has}.",
        field=f"spec.nodeSelector[{key}]",
    )


def _terms_fact(key: str, whose: str, selector: NodeSelector, node: Node, field: str) -> Fact:
    """Return a fact about terms, which are alternatives: one match is enough."""
    reasons = [why_not(term, node) for term in selector.terms]
    holds = any(term.matches(node.labels, node.name) for term in selector.terms)
    if holds:
        matching = next(term for term in selector.terms if term.matches(node.labels, node.name))
        text = f"{node.name} matches a term of {whose}: {matching}."
    else:
        text = f"{node.name} matches no term of {whose}: {'; '.join(reasons) or 'there is none'}."
    return Fact(
        key,
        left=node.name,
        op="∈" if holds else "∉",
        right=str(selector),
        holds=holds,
        values={"terms": len(selector.terms), **_decisive_condition(selector, node)},
        text=text,
        field=field,
    )


def _preference_fact(preferred: PreferredNodeTerm, node: Node, field: str) -> Fact:
    matches = preferred.term.matches(node.labels, node.name)
    because = "" if matches else f": {why_not(preferred.term, node)}"
    verb = "matches" if matches else "does not match"
    return Fact(
        "NodeAffinity.preferred",
        left=node.name,
        op="∈" if matches else "∉",
        right=str(preferred.term),
        holds=matches,
        values={"weight": preferred.weight},
        text=f"{node.name} {verb} the preferred term of weight {preferred.weight} ({preferred.term}){because}.",
        field=field,
    )


def _no_affinity_fact(node: Node) -> Fact:
    return Fact(
        "NodeAffinity.none",
        left="required node labels",
        op="=",
        right="none",
        holds=True,
        text=f"The pod asks nothing of {node.name}'s labels.",
        field=REQUIRED_FIELD,
    )
