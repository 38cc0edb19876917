"""PodTopologySpread's score: prefers nodes with few matching pods in their domains (podtopologyspread/scoring.go).

raw = the sum over the constraints of (matching pods in the domain * ln(number of domains + 2) + maxSkew - 1), rounded
half away from zero; normalised = 100 * (max + min - raw) / max. Arithmetic in float64 in Go's order, with Go's
logarithm.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.constraints import TopologySpreadConstraint
from scheduler_core.cluster.nodes import IntColumn, NodeTable
from scheduler_core.framework.interface import MAX_NODE_SCORE, Scores
from scheduler_core.plugins.helpers import go_math
from scheduler_core.plugins.helpers.domain_counts import topology_domains
from scheduler_core.plugins.pod_topology_spread.counting import CountedConstraint, Plan
from scheduler_core.trace.columns import highest, lowest


class SoftConstraint(msgspec.Struct):
    """A ScheduleAnyway constraint in one cycle, for the feasible rows.

    `counts` are the matching pods for each of these rows (in its domain, or for the hostname on the node itself);
    `labelled`: whether each row has the label, None if all have it.
    """

    constraint: TopologySpreadConstraint
    counts: IntColumn
    labelled: NDArray[np.bool_] | None
    size: int  # domains among the feasible nodes
    weight: float

    def parts(self) -> NDArray[np.float64]:
        """Return the constraint's contribution to each row's score (scoreForCount)."""
        parts: NDArray[np.float64] = np.multiply(self.counts, self.weight, dtype=np.float64)
        parts += self.constraint.max_skew - 1
        return parts if self.labelled is None else np.where(self.labelled, parts, 0.0)


class ScoreState(msgspec.Struct):
    """The state of a cycle.

    `ignored`: whether each feasible row lacks a topology key and scores 0; None if no row does.
    """

    soft: list[SoftConstraint]
    ignored: NDArray[np.bool_] | None


def prepare(plan: Plan, nodes: NodeTable, rows: NDArray[np.intp]) -> ScoreState:
    """Return the state for scoring: each constraint's counts and its number of domains among the feasible rows."""
    ignored = _ignored_rows(plan.required_keys, nodes, rows)
    scored = rows if ignored is None else rows[~ignored]
    return ScoreState([_soft(soft, nodes, rows, scored) for soft in plan.soft], ignored)


def _ignored_rows(keys: tuple[str, ...], nodes: NodeTable, rows: NDArray[np.intp]) -> NDArray[np.bool_] | None:
    missing: NDArray[np.bool_] | None = None
    for key in keys:
        domains = topology_domains(nodes, key)
        if not domains.complete:
            without = domains.codes[rows] < 0
            missing = without if missing is None else missing | without
    return missing if missing is not None and missing.any() else None


def _soft(
    soft: CountedConstraint, nodes: NodeTable, rows: NDArray[np.intp], scored: NDArray[np.intp]
) -> SoftConstraint:
    constraint, codes = soft.constraint, soft.topology.all.codes
    if soft.per_row is not None:
        size, counts = len(scored), np.zeros(len(rows), np.int64) if nodes.bare else soft.cells[rows]
    else:
        domains = codes[scored]
        size = int(np.count_nonzero(np.bincount(domains))) if len(scored) else 0
        counts = soft.cells[domains if scored is rows else codes[rows]]
    labels = topology_domains(nodes, constraint.topology_key)
    labelled = None if labels.complete else labels.codes[rows] >= 0
    return SoftConstraint(constraint, counts, labelled, size, go_math.log(size + 2))


def score(state: ScoreState, rows: NDArray[np.intp]) -> Scores:
    """Return the raw scores of the feasible rows."""
    if not state.soft:  # before 1.28
        return np.zeros(len(rows), np.int64)
    total = state.soft[0].parts()
    for soft in state.soft[1:]:
        total += soft.parts()
    if state.ignored is not None:
        total[state.ignored] = 0.0
    return go_math.round_half_away(total)


def normalize(state: ScoreState, scores: Scores) -> Scores:
    """Return the normalized scores: the lower the raw score, the higher. Ignored rows score 0.

    If the raw scores of all other rows are 0, these rows score 100.
    """
    counted = scores if state.ignored is None else scores[~state.ignored]
    high = highest(counted) if len(counted) else 0
    if high == 0:
        result = np.full(len(scores), MAX_NODE_SCORE, np.int64)
    else:
        result = MAX_NODE_SCORE * (high + lowest(counted) - scores)
        result //= high
    if state.ignored is not None:
        result[state.ignored] = 0
    return result
