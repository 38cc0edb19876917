"""OpportunisticBatching: equal pods reuse the sorted scores of the previous pod (runtime/batch.go).

Up to 1.36 this works only while each pod fills its node: then the next node in line is still the best, and no other
node has to be evaluated. From 1.37 on, a node with room for another such pod is scored again and joins the others.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence

import msgspec
import numpy as np

from scheduler_core.apis.core import Pod
from scheduler_core.framework.interface import (
    CycleState,
    FilterPlugin,
    Plugin,
    PreFilterPlugin,
    PreScorePlugin,
    ScorePlugin,
    Scores,
    SignPlugin,
)
from scheduler_core.framework.runtime.runtime import Framework
from scheduler_core.scheduler.search.scored_nodes import ScoredNodes

MAX_AGE_SECONDS = 0.5

Signature = Hashable


class _StoredNodes(msgspec.Struct):
    """The nodes that were not chosen in the cycle that scored them, and the time of that cycle."""

    signature: Signature
    nodes: ScoredNodes
    since: float


class _CurrentCycle(msgspec.Struct):
    """The current scheduling cycle."""

    number: int
    signature: Signature | None
    hint: str


class OpportunisticBatch:
    """The batch of a profile. Call `hint` in each scheduling cycle, and `store` if a node was found."""

    def __init__(self, framework: Framework, signers: Sequence[SignPlugin]) -> None:
        self._framework = framework
        self._signers = signers
        self._scores_again = framework.release.rules.batches_score_the_last_node_again
        self._stored: _StoredNodes | None = None
        self._current = _CurrentCycle(-1, None, "")
        self._last_cycle = -1  # the last cycle that found a node, and that node
        self._last_node = ""

    def copy_state_from(self, other: OpportunisticBatch) -> None:
        """Copy the state of another batch."""
        stored = other._stored
        if stored is not None:
            self._stored = _StoredNodes(stored.signature, stored.nodes.copy(), stored.since)
        self._last_cycle, self._last_node = other._last_cycle, other._last_node

    def hint(self, cycle: CycleState, number: int) -> str:
        """Return the node to evaluate first, "" if there is none (GetNodeHint). `number` counts all cycles."""
        self._current = current = _CurrentCycle(number, self._sign(cycle.pod), "")
        stored = self._stored
        if stored is not None and len(stored.nodes) and self._usable(stored, cycle, current):
            current.hint = stored.nodes.pop()
        return current.hint

    def store(self, node_name: str, others: Callable[[], ScoredNodes] | None = None) -> None:
        """Store the nodes that were not chosen (StoreScheduleResults). `others` is called if they may be used."""
        self._last_cycle, self._last_node = self._current.number, node_name
        if self._current.hint == node_name:
            return
        self._stored, signature = None, self._current.signature
        if signature is not None and others is not None:
            self._stored = _StoredNodes(signature, others(), self._framework.now)

    def _sign(self, pod: Pod) -> Signature | None:
        """Return a key that equal pods share (SignPod); None if a plugin does not provide one."""
        signature: dict[str, Hashable] = {}
        for plugin in self._signers:
            fragments = plugin.sign_pod(pod)
            if fragments is None:
                return None
            signature |= fragments
        return tuple(sorted(signature.items()))

    def _usable(self, stored: _StoredNodes, cycle: CycleState, current: _CurrentCycle) -> bool:
        """Return whether the stored nodes can be used for this pod (batchStateCompatible).

        It must be equal to the previous pod, in the next cycle, and the last node must reject it; since 1.37, that node
        may instead be scored again.
        """
        if current.number != self._last_cycle + 1 or current.signature != stored.signature:
            return False
        row = self._framework.cluster.nodes.row_of.get(self._last_node)
        if self._framework.now > stored.since + MAX_AGE_SECONDS or row is None:
            return False
        if self._scores_again and cycle.pod.nominated_node_name:
            return False
        status = self._framework.filters.run(cycle, np.array([row], np.intp), None).status(0)
        if status is not None and status.is_rejected:
            return True
        return self._scores_again and self._score_again(stored, cycle, row)

    def _score_again(self, stored: _StoredNodes, cycle: CycleState, row: int) -> bool:
        """Score the last node again and add it to the others (rescoreHintedNode). Return whether this succeeded."""
        framework = self._framework
        scores, _, status = framework.run_scores(cycle, np.array([row], np.intp))
        if not status.is_success:
            return False

        def total_scores(names: Sequence[str], raw: Mapping[str, Scores]) -> Scores:
            # No plugin whose normalization looks at the nodes can sign a pod, so any row does for a deleted node.
            rows = np.array([framework.cluster.nodes.row_of.get(name, row) for name in names], np.intp)
            return framework.total_scores(cycle, rows, raw)

        nodes = stored.nodes.with_node(self._last_node, scores, total_scores)
        if nodes is None:
            return False
        stored.nodes = nodes
        return True


def batch_of(framework: Framework) -> OpportunisticBatch | None:
    """Return a batch; None if a plugin or extender does not allow it (computeBatchablePlugins)."""
    points: tuple[type[Plugin], ...] = (PreFilterPlugin, FilterPlugin, PreScorePlugin, ScorePlugin)
    plugins = {plugin.name: plugin for point in points for plugin in framework.at(point)}
    signers = [plugin for plugin in plugins.values() if isinstance(plugin, SignPlugin)]
    if framework.extenders or len(signers) < len(plugins):
        return None
    return OpportunisticBatch(framework, signers)
