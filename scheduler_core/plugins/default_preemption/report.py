"""The report of a preemption: PreemptionEvaluated with every candidate, and the message for the pod."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.core import Pod, PodDisruptionBudget
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.cluster.disruption import count_healthy
from scheduler_core.framework.interface import Handle, Rows
from scheduler_core.plugins.default_preemption.budgets import covers
from scheduler_core.plugins.default_preemption.candidates import Candidates
from scheduler_core.plugins.default_preemption.pick_one_node import CRITERIA, Criteria
from scheduler_core.plugins.default_preemption.victims import Ints
from scheduler_core.trace.columns import encode_column
from scheduler_core.trace.preemption_events import PreemptionEvaluated
from scheduler_core.trace.records import BudgetNow, DryRuns, MoreCandidates, Verdict

NOT_HELPFUL = "Preemption is not helpful for scheduling"
MOST, FEW = 128, 32  # of more than MOST candidates, or failed nodes, only FEW are recorded in full


def fit_error(nodes: int, candidates: Candidates) -> str:
    """Return FitError's message for the failed dry runs; all other nodes count as NOT_HELPFUL.

    Reasons are sorted as strings, including counts: "10 x" comes before "2 y".
    """
    counts: Counter[str] = Counter()
    for status, times in candidates.reasons.items():
        counts.update(dict.fromkeys(status.reasons, times))
    counts[NOT_HELPFUL] += nodes - len(candidates.failed)
    reasons = ", ".join(sorted(f"{count} {reason}" for reason, count in counts.items() if count))
    return f"0/{nodes} nodes are available:" + (f" {reasons}." if reasons else "")


def not_evaluated(reason: str, *, eligible: bool = True, message: str = "") -> PreemptionEvaluated:
    """Return the event of a preemption without a dry run, or of one that ended with an error."""
    return PreemptionEvaluated(eligible=eligible, reason=reason, message=message)


class Choice(msgspec.Struct, frozen=True):
    """The candidates, the compared values, the criterion that dropped each, and the chosen candidate."""

    rows: Ints
    compared: Criteria
    dropped_by: NDArray[np.uint8]
    chosen: int

    def recorded_in_full(self) -> Rows:
        """Return the indexes of the candidates to record in full: all of them, or those that were dropped last."""
        if len(self.dropped_by) <= MOST:
            return slice(None)
        last = np.where(self.dropped_by == 0, len(CRITERIA) + 1, self.dropped_by.astype(np.intp))
        return np.sort(np.argsort(-last, kind="stable")[:FEW])


class Records:
    """Creates the trace records of a preemption in the cluster of `handle`."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    def evaluation(
        self, candidates: Candidates, *, choice: Choice | None = None, message: str = "", extenders: Sequence[str] = ()
    ) -> PreemptionEvaluated:
        """Return the event; without a `choice`, no candidate was selected."""
        failed = len(candidates.failed) if len(candidates.failed) <= MOST else FEW
        return PreemptionEvaluated(
            eligible=True,
            reason="",
            dry_runs=self._dry_runs(candidates, choice) if choice else None,
            nominated_node=self._handle.cluster.nodes.names[choice.rows[choice.chosen]] if choice else "",
            victims=[pod.key for pod in self.victims(candidates, int(choice.rows[choice.chosen]))] if choice else [],
            unhelpful=len(self._handle.cluster.nodes) - candidates.potential,
            failed=self._failed_nodes(candidates, failed),
            message=message,
            candidates_wanted=candidates.wanted,
            extenders=list(extenders),
            more_failed=len(candidates.failed) - failed,
            more=_more(choice) if choice else None,
            budgets=self._budgets(candidates),
        )

    def _budgets(self, candidates: Candidates) -> list[BudgetNow]:
        """Return the current numbers of each budget that covers a pod removed in a dry run."""
        cluster = self._handle.cluster
        budgets = [item for item in cluster.objects("PodDisruptionBudget") if isinstance(item, PodDisruptionBudget)]
        if not budgets:
            return []
        kinds = np.unique(cluster.pods.spec[candidates.runs.removed_slots()])
        labelled = [cluster.pods.specs[number] for number in kinds.tolist()]
        return [_budget(budget, cluster) for budget in budgets if any(covers(budget, *spec) for spec in labelled)]

    def _failed_nodes(self, candidates: Candidates, count: int) -> dict[str, Verdict]:
        """Return the first `count` nodes that are not candidates, with the reasons."""
        names, rows = self._handle.cluster.nodes.names, candidates.failed[:count]
        verdicts = candidates.runs.verdicts
        records = [Verdict(status.plugin, status.code.label, list(status.reasons)) for status in verdicts.statuses]
        numbers = verdicts.numbers[rows].tolist()
        return {names[row]: records[number - 1] for row, number in zip(rows.tolist(), numbers, strict=True)}

    def victims(self, candidates: Candidates, row: int) -> list[Pod]:
        """Return the pods to evict on a candidate node, in the order of `DryRunBatch.victims`."""
        pods = self._handle.cluster.pods.pods
        return [pods[slot] for slot in candidates.runs.victims(row)]

    def _dry_runs(self, candidates: Candidates, choice: Choice) -> DryRuns:
        """Return the records of the candidates that are recorded in full."""
        shown, names = choice.recorded_in_full(), self._handle.cluster.nodes.names
        rows, compared = choice.rows[shown], choice.compared.take(shown)
        removed, *columns = zip(*candidates.runs.records(rows), strict=True)
        starts = compared.earliest_start
        tried, reprieved, violates_pdb, victims = (list(chain.from_iterable(column)) for column in columns)
        return DryRuns(
            nodes=[names[row] for row in rows.tolist()],
            removed=list(chain.from_iterable(removed)),
            removed_counts=list(map(len, removed)),
            tried=tried,
            reprieved=reprieved,
            violates_pdb=violates_pdb,
            victims=victims,
            victim_counts=compared.victims.tolist(),
            pdb_violations=compared.pdb_violations.tolist(),
            rung=choice.dropped_by[shown].tolist(),
            highest_priority=compared.highest_priority.tolist(),
            priority_sum=compared.priority_sum.tolist(),
            earliest_start=np.where(np.isinf(starts), self._handle.now, starts).tolist(),
        )


def _budget(budget: PodDisruptionBudget, cluster: Cluster) -> BudgetNow:
    now = count_healthy(budget, cluster)
    kind = "maxUnavailable" if budget.max_unavailable is not None else "minAvailable"
    number = budget.max_unavailable if budget.max_unavailable is not None else budget.min_available
    rule = f"{kind} {number}" if budget.disruptions_allowed is None and budget.has_rule else ""
    return BudgetNow(budget.name, budget.namespace, now.allowed, rule, now.expected, now.healthy, now.desired)


def _more(choice: Choice) -> MoreCandidates | None:
    """Return columns for the candidates that are not recorded in full, None if all are."""
    shown = choice.recorded_in_full()
    if isinstance(shown, slice):
        return None
    others = np.ones(len(choice.dropped_by), np.bool_)
    others[shown] = False
    return MoreCandidates(
        int(np.count_nonzero(others)),
        encode_column(choice.rows[others]),
        encode_column(choice.compared.victims[others]),
        encode_column(choice.compared.pdb_violations[others]),
        encode_column(choice.dropped_by[others]),
    )
