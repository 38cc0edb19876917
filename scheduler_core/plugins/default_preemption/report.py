"""What preemption tells: the trace's PreemptionEvaluated with every candidate, and the message for the pod."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.core import Node, Pod, PodDisruptionBudget
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.disruption import counted
from scheduler_core.framework.interface import Handle
from scheduler_core.plugins.default_preemption.budgets import covers
from scheduler_core.plugins.default_preemption.candidates import Found, Places
from scheduler_core.plugins.default_preemption.pick_one_node import CRITERIA, Criteria
from scheduler_core.plugins.default_preemption.victims import DryRuns as Batch
from scheduler_core.trace.columns import encode_column
from scheduler_core.trace.preemption_events import PreemptionEvaluated
from scheduler_core.trace.records import BudgetNow, DryRuns, MoreCandidates, Verdict

NOT_HELPFUL = "Preemption is not helpful for scheduling"
MOST, FEW = 128, 32  # of more candidates (or failed nodes) than the first number only the second is written out


def fit_error(nodes: int, found: Found) -> str:
    """FitError's text over the dry runs that failed; every other node is one where evicting does not help.

    Reasons are sorted as strings, counts included: "10 x" comes before "2 y".
    """
    counts: Counter[str] = Counter()
    for number, runs in enumerate(found.batches):
        times = np.bincount(runs.which[found.failed.position[found.failed.batch == number]])
        for which in np.flatnonzero(times).tolist():
            counts.update(dict.fromkeys(runs.statuses[which - 1].reasons, int(times[which])))
    counts[NOT_HELPFUL] += nodes - len(found.failed)
    reasons = ", ".join(sorted(f"{count} {reason}" for reason, count in counts.items() if count))
    return f"0/{nodes} nodes are available:" + (f" {reasons}." if reasons else "")


def not_evaluated(reason: str, *, eligible: bool = True, message: str = "") -> PreemptionEvaluated:
    """No candidate was looked for."""
    return PreemptionEvaluated(eligible=eligible, reason=reason, message=message)


@dataclass(frozen=True, slots=True)
class Choice:
    """What was picked: the candidates, what was compared, which criterion dropped each, and who won."""

    places: Places
    compared: Criteria
    dropped_by: NDArray[np.uint8]
    chosen: int

    def shown(self) -> NDArray[np.intp]:
        """Indexes of the candidates that are written out: all, or of very many those that were dropped last."""
        count = len(self.dropped_by)
        if count <= MOST:
            return np.arange(count)
        last = np.where(self.dropped_by == 0, len(CRITERIA) + 1, self.dropped_by.astype(np.intp))
        return np.sort(np.argsort(-last, kind="stable")[:FEW])


class Records:
    """Makes trace records of what preemption found in the cluster of `handle`."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    def evaluation(
        self, found: Found, *, choice: Choice | None = None, message: str = "", extenders: Sequence[str] = ()
    ) -> PreemptionEvaluated:
        """The event; without a choice no candidate was left."""
        failed = len(found.failed) if len(found.failed) <= MOST else FEW
        return PreemptionEvaluated(
            eligible=True,
            reason="",
            dry_runs=self._dry_runs(found, choice) if choice else None,
            nominated_node=self.node(found, choice.places, choice.chosen).name if choice else "",
            victims=[pod.key for pod in self.victims(found, choice.places, choice.chosen)] if choice else [],
            unhelpful=len(self._handle.cluster.nodes) - found.potential,
            failed=self._failed(found, failed),
            message=message,
            candidates_wanted=found.wanted,
            extenders=list(extenders),
            more_failed=len(found.failed) - failed,
            more=_more(found, choice) if choice else None,
            budgets=self._budgets(found),
        )

    def _budgets(self, found: Found) -> list[BudgetNow]:
        """What each budget allowed that covers one of the pods that were taken off."""
        cluster = self._handle.cluster
        budgets = [item for item in cluster.objects("PodDisruptionBudget") if isinstance(item, PodDisruptionBudget)]
        if not budgets:
            return []
        slots = np.unique(np.concatenate([runs.removed.slots for runs in found.batches] or [np.empty(0, np.intp)]))
        labelled = [cluster.pods.specs[number] for number in np.unique(cluster.pods.spec[slots]).tolist()]
        return [_budget(one, cluster) for one in budgets if any(covers(one, *spec) for spec in labelled)]

    def _failed(self, found: Found, count: int) -> dict[str, Verdict]:
        """The first `count` nodes that are no candidates, and why."""
        names, verdicts = self._handle.cluster.nodes.names, {}
        result: dict[str, Verdict] = {}
        for index in range(count):
            status = found.status(index)
            if id(status) not in verdicts:
                verdicts[id(status)] = Verdict(status.plugin, status.code.label, list(status.reasons))
            result[names[found.row(found.failed, index)]] = verdicts[id(status)]
        return result

    def victims(self, found: Found, places: Places, index: int) -> list[Pod]:
        """The pods to evict on a candidate node, by importance."""
        pods, runs = self._handle.cluster.pods.pods, found.batches[places.batch[index]]
        return [pods[slot] for slot in runs.victims.of_node(int(places.position[index]))]

    def node(self, found: Found, places: Places, index: int) -> Node:
        return self._handle.cluster.nodes.nodes[found.row(places, index)]

    def _dry_runs(self, found: Found, choice: Choice) -> DryRuns:
        """The candidates that are written out."""
        shown, cluster = choice.shown(), self._handle.cluster
        places, compared = choice.places.take(shown), choice.compared.take(shown)
        starts = np.flatnonzero(np.diff(places.batch, prepend=-1))  # almost always they are all in one batch
        parts = [
            self._columns(found.batches[places.batch[start]], positions)
            for start, positions in zip(starts, np.split(places.position, starts[1:]), strict=True)
        ]
        rows, slots, counts, tried, reprieved, violates, victims = map(np.concatenate, zip(*parts, strict=True))
        return DryRuns(
            nodes=[cluster.nodes.names[row] for row in rows.tolist()],
            removed=[cluster.pods.pods[slot].key for slot in slots.tolist()],
            removed_counts=counts.tolist(),
            tried=tried.tolist(),
            reprieved=reprieved.tolist(),
            violates_pdb=violates.tolist(),
            victims=victims.tolist(),
            victim_counts=compared.victims.tolist(),
            pdb_violations=compared.pdb_violations.tolist(),
            rung=choice.dropped_by[shown].tolist(),
            highest_priority=compared.highest_priority.tolist(),
            priority_sum=compared.priority_sum.tolist(),
            earliest_start=compared.earliest_start.tolist(),
        )

    def _columns(self, runs: Batch, positions: NDArray[np.intp]) -> tuple[NDArray[Any], ...]:
        """Of some candidates of one batch, in the order of DryRuns' fields: rows, slots and places."""
        removed, tried = runs.removed.of_nodes(positions), runs.tried.of_nodes(positions)
        slots, counts = runs.removed.slots[removed], runs.removed.counts[positions]
        place = np.empty(len(self._handle.cluster.pods.row), np.intp)
        place[slots] = runs.removed.rank()[removed]
        victims = place[runs.victims.slots[runs.victims.of_nodes(positions)]]
        again = place[runs.tried.slots[tried]], runs.reprieved[tried], runs.violates[tried]
        return runs.rows[positions], slots, counts, *again, victims


def _budget(budget: PodDisruptionBudget, cluster: Cluster) -> BudgetNow:
    now = counted(budget, cluster)
    kind = "maxUnavailable" if budget.max_unavailable is not None else "minAvailable"
    number = budget.max_unavailable if budget.max_unavailable is not None else budget.min_available
    rule = f"{kind} {1 if number is None else number}" if budget.disruptions_allowed is None else ""
    return BudgetNow(budget.name, budget.namespace, now.allowed, rule, now.expected, now.healthy, now.desired)


def _more(found: Found, choice: Choice) -> MoreCandidates | None:
    """Columns over the candidates that are not written out."""
    rest = np.ones(len(choice.dropped_by), np.bool_)
    rest[choice.shown()] = False
    if not rest.any():
        return None
    places = choice.places.take(np.flatnonzero(rest))
    rows = np.zeros(len(places), np.intp)
    for number, runs in enumerate(found.batches):
        mine = places.batch == number
        rows[mine] = runs.rows[places.position[mine]]
    return MoreCandidates(
        len(places),
        encode_column(rows),
        encode_column(choice.compared.victims[rest]),
        encode_column(choice.compared.pdb_violations[rest]),
        encode_column(choice.dropped_by[rest]),
    )
