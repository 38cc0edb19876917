"""DefaultPreemption with plain loops: eligibility, dry runs one node at a time, and the choice among them.

Rules: kube-scheduler's framework/preemption/preemption.go and plugins/defaultpreemption/default_preemption.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scheduler_core.apis.config import DefaultPreemptionArgs
from scheduler_core.apis.core import Node, Pod
from tests.reference.framework.interface import UNRESOLVABLE, UNSCHEDULABLE, ExtenderFailed, Rejection

if TYPE_CHECKING:
    from tests.reference.scheduler.extenders import Extenders
    from tests.reference.scheduler.filters import Filters

NO_VICTIMS = "No preemption victims found for incoming pod"
NOT_HELPFUL = "Preemption is not helpful for scheduling"


@dataclass
class Candidate:
    node: str
    victims: list[Pod]
    pdb_violations: int


@dataclass
class Preemption:
    """The result of PostFilter.

    `nominate`: the pod's nomination; None leaves it as it is, "" clears it.
    """

    eligible: bool = True
    reason: str = ""
    candidates: list[Candidate] = field(default_factory=list)
    chosen: Candidate | None = None
    nominate: str | None = None
    message: str = ""
    failed: bool = False  # an error: the messages of other plugins are left out

    def record(self) -> dict[str, object]:
        """Return the `preemption` field of a decision record."""
        return {
            "eligible": self.eligible,
            "reason": self.reason,
            "candidates": {
                c.node: {"victims": [v.key for v in c.victims], "pdbViolations": c.pdb_violations}
                for c in self.candidates
            },
            "nominatedNode": self.chosen.node if self.chosen else "",
            "victims": [v.key for v in self.chosen.victims] if self.chosen else [],
        }


def preempt(
    filters: Filters, statuses: dict[str, Rejection], absent: str, extenders: Extenders | None = None
) -> Preemption:
    """Run PostFilter. Clear the nominations to the chosen node of pods with a lower priority than this one.

    `absent`: the code of the nodes without a status of their own.
    """
    pod, cluster = filters.pod, filters.cluster
    reason = _why_not_eligible(filters, statuses, absent)
    if reason:
        return Preemption(eligible=False, reason=reason, message="preemption: " + reason)
    codes = {node.name: statuses[node.name].code if node.name in statuses else absent for node, _ in filters.snapshot}
    by_name = {node.name: node for node, _ in filters.snapshot}
    potential = [node for node, _ in filters.snapshot if codes[node.name] == UNSCHEDULABLE]
    candidates, failed = _dry_runs(filters, potential)
    if not candidates:
        errors = [r.reasons[0] for r in failed.values() if r.code == "Error"]
        if errors:
            text = errors[0] if len(errors) == 1 else f"[{', '.join(dict.fromkeys(errors))}]"
            return Preemption(message="preemption: " + text, failed=True)
        counts = {NOT_HELPFUL: len(filters.snapshot) - len(failed)}
        for rejection in failed.values():
            for text in rejection.reasons:
                counts[text] = counts.get(text, 0) + 1
        return Preemption(nominate="", message="preemption: " + fit_error(len(filters.snapshot), counts))
    try:
        kept = extenders.filter_candidates(pod, [by_name[c.node] for c in candidates]) if extenders else set(by_name)
    except ExtenderFailed as error:
        return Preemption(message=f"preemption: {error}", failed=True)
    left = [candidate for candidate in candidates if candidate.node in kept]
    if not left:
        return Preemption(message="preemption: no candidate node for preemption")
    chosen = pick_one(left)
    for key in [key for key, node in cluster.nominated.items() if node == chosen.node]:
        if cluster.pending[key].priority < pod.priority:
            del cluster.nominated[key]
    return Preemption(candidates=left, chosen=chosen, nominate=chosen.node)


def fit_error(nodes: int, counts: dict[str, int]) -> str:
    """Return FitError's message: every reason with its count, sorted as strings."""
    reasons = sorted(f"{count} {reason}" for reason, count in counts.items() if count)
    return f"0/{nodes} nodes are available:" + (f" {', '.join(reasons)}." if reasons else "")


def _why_not_eligible(filters: Filters, statuses: dict[str, Rejection], absent: str) -> str:
    pod, node = filters.pod, filters.cluster.nominated.get(filters.pod.key, "")
    if pod.preemption_policy == "Never":
        return "not eligible due to preemptionPolicy=Never."
    if not node or (statuses[node].code if node in statuses else absent) == UNRESOLVABLE:
        return ""
    evicted = [p for p in filters.cluster.pods_on.get(node, []) if p.terminating and p.disruption_target]
    if any(p.priority < pod.priority for p in evicted):
        return "not eligible due to a terminating pod on the nominated node."
    return ""


def _dry_runs(filters: Filters, potential: Sequence[Node]) -> tuple[list[Candidate], dict[str, Rejection]]:
    """Run dry runs node by node until there are enough candidates, at least one of them without a violation.

    Return the candidates, those without violations first, and the rejections of the nodes where a dry run failed.
    """
    args = filters.profile.plugin_args["DefaultPreemption"]
    assert isinstance(args, DefaultPreemptionArgs)
    wanted = max(len(potential) * args.min_candidate_nodes_percentage // 100, args.min_candidate_nodes_absolute)
    wanted = min(wanted, len(potential))
    clean: list[Candidate] = []
    violating: list[Candidate] = []
    failed = {}
    for node in potential:
        result = select_victims(filters, node)
        if isinstance(result, Rejection):
            failed[node.name] = result
            continue
        (violating if result.pdb_violations else clean).append(result)
        if clean and len(clean) + min(len(violating), wanted) >= wanted:
            break
    return clean + violating[:wanted], failed


def select_victims(filters: Filters, node: Node) -> Candidate | Rejection:
    """Remove all lower-priority pods, then reprieve those that still fit, the most important first.

    Those whose eviction violates a budget are tried before the others. Return a Rejection if preemption does not help.
    """
    pod = filters.pod
    removed = [p for p in filters.cluster.pods_on.get(node.name, ()) if p.priority < pod.priority]
    if not removed:
        return Rejection("", UNRESOLVABLE, (NO_VICTIMS,))
    rejection = filters.rejection(node, removed)
    if rejection is not None:
        return rejection
    ranked = sorted(removed, key=importance)
    violating, others = split_by_budget(filters, ranked)
    victims: list[Pod] = []
    violations = 0
    gone = list(removed)
    for candidate in violating + others:
        gone.remove(candidate)
        put_back = [p for p in removed if p not in gone]
        if filters.rejection(node, gone, put_back) is not None:
            gone.append(candidate)
            victims.append(candidate)
            violations += candidate in violating
    if not victims:
        return Rejection("", "Error", (f'expected at least one victim pod on node "{node.name}"',))
    if violating and others:
        victims.sort(key=importance)
    return Candidate(node.name, victims, violations)


def importance(pod: Pod) -> tuple[int, float]:
    """Return a sort key (`MoreImportantPod`): higher priority first, then earlier start."""
    assert pod.start_time is not None
    return -pod.priority, pod.start_time


def split_by_budget(filters: Filters, ranked: Sequence[Pod]) -> tuple[list[Pod], list[Pod]]:
    """Return the pods whose eviction violates a budget, and the other pods; evicted in the order of `ranked`."""
    left = [filters.cluster.disruptions_allowed(budget) for budget in filters.cluster.budgets]
    violating, others = [], []
    for pod in ranked:
        violated = False
        for index, budget in enumerate(filters.cluster.budgets):
            applies = pod.labels and budget.namespace == pod.namespace and not budget.selector.empty
            if applies and budget.selector.matches(pod.labels) and pod.name not in budget.disrupted_pods:
                left[index] -= 1
                violated = violated or left[index] < 0
        (violating if violated else others).append(pod)
    return violating, others


def pick_one(candidates: Sequence[Candidate]) -> Candidate:
    """Return the best candidate by the criteria of pickOneNodeForPreemption, the first of equals."""

    def criteria(candidate: Candidate) -> tuple[float, ...]:
        victims = candidate.victims
        highest = victims[0].priority
        starts = [v.start_time or 0.0 for v in victims if v.priority == max(v.priority for v in victims)]
        total = sum(victim.priority + 2**31 for victim in victims)
        return candidate.pdb_violations, highest, total, len(victims), -min(starts)

    return min(candidates, key=criteria)
