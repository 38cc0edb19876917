"""Preemption as DefaultPreemption runs it at PostFilter (preemption.go: Evaluator.Preempt).

    1. Is the pod eligible?   2. candidates.py finds candidate nodes with victims.py.   3. Extenders may remove some.
    4. pick_one_node.py selects one.  5. The scheduling cycle evicts the victims, clears lower nominations, nominates.

Nothing in the cluster is changed here; all results are recorded in the trace's PreemptionEvaluated (report.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_core.apis.config import DefaultPreemptionArgs
from scheduler_core.apis.core import Pod
from scheduler_core.framework.interface import (
    Code,
    CycleState,
    Diagnosis,
    ExtenderError,
    Handle,
    PostFilterResult,
    Status,
)
from scheduler_core.plugins.default_preemption.by_node import DryRunCache
from scheduler_core.plugins.default_preemption.candidates import Candidates, find_candidates
from scheduler_core.plugins.default_preemption.pick_one_node import pick_one_node_for_preemption
from scheduler_core.plugins.default_preemption.report import Choice, Records, fit_error, not_evaluated
from scheduler_core.plugins.default_preemption.victims import Ints

NEVER = "not eligible due to preemptionPolicy=Never."
TERMINATING = "not eligible due to a terminating pod on the nominated node."


class Evaluator:
    """The evaluator of a profile. `cache` contains earlier dry runs."""

    without_candidates: tuple[str, ...] = ("preemption: no candidate node for preemption",)  # if extenders keep none

    def __init__(self, handle: Handle, args: DefaultPreemptionArgs) -> None:
        self.handle = handle
        self.args = args
        self.cache = DryRunCache(handle)
        self.records = Records(handle)

    def preempt(self, cycle: CycleState, diagnosis: Diagnosis) -> PostFilterResult:
        """Return the node and victims for `cycle.pod`, or the reason that preemption does not help."""
        reason = self._reason_not_eligible(cycle.pod, diagnosis)
        if reason:
            evaluation = not_evaluated(reason, eligible=False, message=_add_prefix(reason))
            return PostFilterResult(Status(Code.UNSCHEDULABLE, (_add_prefix(reason),)), evaluation=evaluation)
        if not len(self.handle.cluster.nodes):
            return self._error("no nodes available")
        candidates = find_candidates(self.handle, self.cache, cycle, diagnosis, self.args)
        if not len(candidates.rows):
            return self._no_candidates(candidates)
        return self._choose(cycle.pod, candidates)

    def _reason_not_eligible(self, pod: Pod, diagnosis: Diagnosis) -> str:
        """Return the reason that the pod may not preempt, "" if it may (PodEligibleToPreemptOthers).

        A pod whose victims are still terminating on its nominated node waits for them, unless that node has become
        unresolvable for it (for example because it was deleted).
        """
        if pod.preemption_policy == "Never":
            return NEVER
        cluster = self.handle.cluster
        nominated = self.handle.nominator.node_of(pod.key)
        row = cluster.nodes.row_of.get(nominated)
        status = diagnosis.absent if row is None else diagnosis.status(row)
        if not nominated or status.code == Code.UNSCHEDULABLE_AND_UNRESOLVABLE or row is None:
            return ""
        pods_on_node = (cluster.pods.pods[slot] for slot in cluster.pods.on_row(row))
        any_pod = not self.handle.release.rules.only_victims_of_preemption_block_it
        if any(p.terminating and (any_pod or p.disruption_target) and p.priority < pod.priority for p in pods_on_node):
            return TERMINATING
        return ""

    def _no_candidates(self, candidates: Candidates) -> PostFilterResult:
        """Return the result without candidates: an error if a dry run ended with one, which leaves the nomination as it
        is, otherwise a rejection that clears the nomination.
        """
        errors = dict.fromkeys(status.message for status in candidates.reasons if status.is_error)
        if errors:
            return self._error(next(iter(errors)) if len(errors) == 1 else f"[{', '.join(errors)}]")
        message = _add_prefix(fit_error(len(self.handle.cluster.nodes), candidates))
        status = Status(Code.UNSCHEDULABLE, (message,))
        return PostFilterResult(
            status, nominated_node="", evaluation=self.records.evaluation(candidates, message=message)
        )

    def _choose(self, pod: Pod, candidates: Candidates) -> PostFilterResult:
        """Call the extenders, pick a node, and return the result.

        If an extender fails or removes all candidates, the result is an error or a rejection.
        """
        try:
            remaining, extenders = self._call_extenders(pod, candidates)
        except ExtenderError as error:
            return self._error(str(error))
        if not len(remaining):
            status = Status(Code.UNSCHEDULABLE, self.without_candidates)
            evaluation = self.records.evaluation(candidates, message=status.message, extenders=extenders)
            return PostFilterResult(status, evaluation=evaluation)
        compared = candidates.runs.compared.take(remaining)
        in_turn = not self.handle.release.rules.binding_sets_the_start_time
        winner, dropped_by = pick_one_node_for_preemption(compared, unstarted_start_in_turn=in_turn)
        evaluation = self.records.evaluation(
            candidates, choice=Choice(remaining, compared, dropped_by, winner), extenders=extenders
        )
        node = evaluation.nominated_node
        cleared = [other for other in self.handle.nominator.pods_on(node) if other.priority < pod.priority]
        victims = self.records.victims(candidates, int(remaining[winner]))
        sentence = f"found a potential placement for pod on node {node}, preempting {len(victims)} victims"
        has_message = self.handle.release.rules.preemption_says_where_it_found_room
        status = Status(reasons=(_add_prefix(sentence),)) if has_message else Status()
        return PostFilterResult(status, node, victims=victims, cleared=cleared, evaluation=evaluation)

    def _call_extenders(self, pod: Pod, candidates: Candidates) -> tuple[Ints, list[str]]:
        """Return the remaining candidates and the names of the extenders that were called (callExtenders).

        Raises ExtenderError if an extender that is not ignorable fails.
        """
        rows = candidates.rows
        called: list[str] = []
        if not self.handle.extenders:
            return rows, called
        table = self.handle.cluster.nodes
        nodes = {table.names[row]: table.nodes[row] for row in rows.tolist()}
        victims = self._victims_map(candidates, rows)
        for extender in self.handle.extenders:
            if not extender.supports_preemption or not extender.is_interested(pod):
                continue
            called.append(extender.name)
            try:
                victims = dict(extender.process_preemption(pod, victims, [nodes[name] for name in victims]))
            except ExtenderError:
                if extender.ignorable:
                    continue
                raise
            if not victims:
                break
        return rows[[name in victims for name in nodes]], called

    def _victims_map(self, candidates: Candidates, rows: Ints) -> dict[str, tuple[Sequence[Pod], int]]:
        """Return the victims and the number of PDB violations by node (CandidatesToVictimsMap)."""
        names, violations = self.handle.cluster.nodes.names, candidates.runs.compared.pdb_violations
        return {names[row]: (self.records.victims(candidates, row), int(violations[row])) for row in rows.tolist()}

    def _error(self, message: str) -> PostFilterResult:
        message = _add_prefix(message)
        return PostFilterResult(Status(Code.ERROR, (message,)), evaluation=not_evaluated("", message=message))


def _add_prefix(message: str) -> str:
    """Return the message with DefaultPreemption's prefix."""
    return "preemption: " + message
