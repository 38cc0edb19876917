"""OpportunisticBatching: a pod like the one before takes the next best node of that one's scores (runtime/batch.go).

Only while each pod fills its node: then the next node in line is still the best, and no other needs to be looked at.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import tee

import numpy as np

from scheduler_core.apis.core import Pod
from scheduler_core.framework.interface import (
    CycleState,
    FilterPlugin,
    Plugin,
    PreFilterPlugin,
    PreScorePlugin,
    ScorePlugin,
    SignPlugin,
)
from scheduler_core.framework.runtime.runtime import Framework

MAX_AGE_SECONDS = 0.5

Signature = Hashable


@dataclass(slots=True)
class _Kept:
    """The other nodes of one pod's scores, best first, and since when they are known."""

    signature: Signature
    nodes: Iterator[str]
    left: int
    since: float


@dataclass(slots=True)
class _Turn:
    """The scheduling cycle under way."""

    number: int
    signature: Signature | None
    hint: str


class OpportunisticBatch:
    """One profile's. In each scheduling cycle `hint`, then, if a node was found, `store`."""

    def __init__(self, framework: Framework, signers: Sequence[SignPlugin]) -> None:
        self._framework = framework
        self._signers = signers
        self._kept: _Kept | None = None
        self._now = _Turn(-1, None, "")
        self._last_cycle = -1  # the last one in which a node was found, and which
        self._last_node = ""

    def go_on_from(self, other: OpportunisticBatch) -> None:
        """Know what another one knows, which goes on knowing it."""
        kept = other._kept
        if kept is not None:
            kept.nodes, nodes = tee(kept.nodes)
            self._kept = _Kept(kept.signature, nodes, kept.left, kept.since)
        self._last_cycle, self._last_node = other._last_cycle, other._last_node

    def hint(self, cycle: CycleState, number: int) -> str:
        """GetNodeHint: the node to try first, "" if what is kept is of no use. `number` counts all profiles' cycles."""
        self._now = turn = _Turn(number, self._sign(cycle.pod), "")
        kept = self._kept
        if kept is not None and kept.left and self._usable(kept, cycle, turn):
            kept.left -= 1
            turn.hint = next(kept.nodes)
        return turn.hint

    def store(self, chosen: str, others: Iterator[str] | None = None, count: int = 0) -> None:
        """StoreScheduleResults: `others` are the `count` nodes that were not chosen, best first."""
        self._last_cycle, self._last_node = self._now.number, chosen
        if self._now.hint == chosen:
            return
        self._kept, signature = None, self._now.signature
        if signature is not None and others is not None and count:
            self._kept = _Kept(signature, others, count, self._framework.now)

    def _sign(self, pod: Pod) -> Signature | None:
        """SignPod: equal for pods that every plugin judges alike; None if a plugin cannot tell."""
        signature: dict[str, Hashable] = {}
        for plugin in self._signers:
            fragments = plugin.sign_pod(pod)
            if fragments is None:
                return None
            signature |= fragments
        return tuple(sorted(signature.items()))

    def _usable(self, kept: _Kept, cycle: CycleState, turn: _Turn) -> bool:
        """batchStateCompatible: the same kind of pod, right after the last one, which has filled its node."""
        if turn.number != self._last_cycle + 1 or turn.signature != kept.signature:
            return False
        row = self._framework.cluster.nodes.row_of.get(self._last_node)
        if self._framework.now > kept.since + MAX_AGE_SECONDS or row is None:
            return False
        result = self._framework.filters.run(cycle, np.array([row], np.intp), None)
        number = int(result.which[0])
        return bool(number) and result.statuses[number - 1].is_rejected


def batch_of(framework: Framework) -> OpportunisticBatch | None:
    """computeBatchablePlugins: None if some plugin, or an extender, rules it out."""
    points: tuple[type[Plugin], ...] = (PreFilterPlugin, FilterPlugin, PreScorePlugin, ScorePlugin)
    plugins = {plugin.name: plugin for point in points for plugin in framework.at(point)}
    signers = [plugin for plugin in plugins.values() if isinstance(plugin, SignPlugin)]
    if framework.extenders or len(signers) < len(plugins):
        return None
    return OpportunisticBatch(framework, signers)
