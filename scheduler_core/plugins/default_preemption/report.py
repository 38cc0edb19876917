"""What preemption tells: the trace's PreemptionEvaluated with every candidate, and the message for the pod."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.core import Node, Pod
from scheduler_core.framework.interface import Handle
from scheduler_core.plugins.default_preemption.candidates import Found, Places
from scheduler_core.plugins.default_preemption.pick_one_node import CRITERIA, Criteria
from scheduler_core.plugins.default_preemption.victims import DryRuns
from scheduler_core.trace.columns import encode_column
from scheduler_core.trace.events import PreemptionEvaluated
from scheduler_core.trace.records import Candidate, MoreCandidates, Reprieve, Verdict

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
    return PreemptionEvaluated(eligible=eligible, reason=reason, candidates=[], message=message)


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
        candidates = self._candidates(found, choice) if choice else []
        winner = next((candidate for candidate in candidates if not candidate.rung), None)
        failed = len(found.failed) if len(found.failed) <= MOST else FEW
        return PreemptionEvaluated(
            eligible=True,
            reason="",
            candidates=candidates,
            nominated_node=winner.node if winner else "",
            victims=winner.victims if winner else [],
            unhelpful=len(self._handle.cluster.nodes) - found.potential,
            failed=self._failed(found, failed),
            message=message,
            candidates_wanted=found.wanted,
            extenders=list(extenders),
            more_failed=len(found.failed) - failed,
            more=_more(found, choice) if choice else None,
        )

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

    def _candidates(self, found: Found, choice: Choice) -> list[Candidate]:
        """The candidates that are written out."""
        shown = choice.shown()
        places, compared = choice.places.take(shown), choice.compared.take(shown)
        numbers = zip(
            compared.pdb_violations.tolist(),
            choice.dropped_by[shown].tolist(),
            compared.highest_priority.tolist(),
            compared.priority_sum.tolist(),
            compared.earliest_start.tolist(),
            strict=True,
        )
        where = zip(places.batch.tolist(), places.position.tolist(), strict=True)
        return [
            self._candidate(found.batches[batch], position, *values)
            for (batch, position), values in zip(where, numbers, strict=True)
        ]

    def _candidate(
        self, runs: DryRuns, position: int, violations: int, dropped_by: int, highest: int, total: int, earliest: float
    ) -> Candidate:
        pods = self._handle.cluster.pods.pods
        tried = slice(*runs.tried.bounds[position : position + 2])
        tries = zip(
            runs.tried.slots[tried].tolist(), runs.reprieved[tried].tolist(), runs.violates[tried].tolist(), strict=True
        )
        return Candidate(
            self._handle.cluster.nodes.names[int(runs.rows[position])],
            [pods[slot].key for slot in runs.victims.of_node(position)],
            violations,
            [pods[slot].key for slot in runs.removed.of_node(position)],
            [Reprieve(pods[slot].key, reprieved, violates) for slot, reprieved, violates in tries],
            dropped_by,
            highest,
            total,
            earliest,
        )


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
