"""Evaluation of nodes with some pods added or removed, without changing the tables.

kube-scheduler does this by cloning a NodeInfo and running AddPod and RemovePod PreFilter extensions on a cloned state:
for nominated pods (RunFilterPluginsWithNominatedPods) and for preemption's dry runs (SelectVictimsOnNode). Here every
row is independent: only pods on the node of that row are removed or added.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import msgspec
import numpy as np
from numpy.typing import NDArray

AddPodDelta = Callable[[NDArray[np.intp], NDArray[np.intp]], NDArray[np.int64]]  # (slots[m], rows[m]) -> int64[k, m]


class WhatIf(msgspec.Struct):
    """Pairs of a pod and a row: pair j is the pod in `slots[j]` on the node in row `rows[index[j]]`.

    `sign[j]` is -1 (the pod is removed), +1 (it is added) or 0 (unchanged). The plugins' results for the pairs are kept
    when `set_sign` changes signs, so preemption can give pods back to all its candidates at little cost.
    """

    rows: NDArray[np.intp]
    index: NDArray[np.intp]
    slots: NDArray[np.intp]
    sign: NDArray[np.int64]
    _deltas: dict[str, tuple[NDArray[np.int64], NDArray[np.int64]]] = {}

    def delta(self, plugin: str, add_pod_delta: AddPodDelta) -> NDArray[np.int64]:
        """Return the changes of the plugin's k counters on every row: int64[k, len(rows)]. `set_sign` updates them."""
        cached = self._deltas.get(plugin)
        if cached is None:
            added = add_pod_delta(self.slots, self.rows[self.index])
            delta = np.zeros((len(added), len(self.rows)), np.int64)
            for counter, values in zip(delta, added * self.sign, strict=True):
                np.add.at(counter, self.index, values)
            cached = self._deltas[plugin] = added, delta
        return cached[1]

    def added(self, plugin: str) -> NDArray[np.int64]:
        """Return the results of the plugin's `add_pod_delta` for the pairs: int64[k, pairs]. Call `delta` before."""
        return self._deltas[plugin][0]

    def set_sign(self, pairs: NDArray[np.intp], sign: int) -> None:
        """Set the sign of some pairs, at most one per row."""
        change, rows = sign - self.sign[pairs], self.index[pairs]
        for added, delta in self._deltas.values():
            delta[:, rows] += added[:, pairs] * change
        self.sign[pairs] = sign

    def with_added(self, index: NDArray[np.intp], slots: NDArray[np.intp]) -> WhatIf:
        """Return a copy with more pods added on `rows[index]`."""
        sign = np.concatenate((self.sign, np.ones(len(slots), np.int64)))
        return WhatIf(self.rows, np.concatenate((self.index, index)), np.concatenate((self.slots, slots)), sign)

    @staticmethod
    def nothing(rows: NDArray[np.intp]) -> WhatIf:
        """Return a what-if that changes no pod."""
        return WhatIf(rows, np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0, np.int64))


class CounterLimits(msgspec.Struct, frozen=True):
    """The limits of counters: pair j of a what-if adds `added[:, j]`, and row i has `left[:, i]`."""

    added: NDArray[np.int64]
    left: NDArray[np.int64]

    def give_back(self, pairs: NDArray[np.intp], rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Put the pods of pairs, at most one per row, back on the rows with room. Return whether each pod fits.

        `left` is reduced by the pods that fit.
        """
        fits: NDArray[np.bool_] = np.logical_and.reduce(self.added[:, pairs] <= self.left[:, rows], axis=0)
        self.left[:, rows[fits]] -= self.added[:, pairs[fits]]
        return fits


class Change(msgspec.Struct, dict=True):
    """The assumed changes of the pods on some rows, for a Filter plugin.

    `delta` int64[k, len(rows)] is the sum of the plugin's `add_pod_delta` over the changes of each row. A plugin whose
    rule is not linear in the pods uses the pods themselves: `removed[i]` and `added[i]` are the slots for the i-th row.
    """

    delta: NDArray[np.int64]
    what_if: WhatIf
    positions: NDArray[np.intp]  # positions of the evaluated rows in `what_if.rows`

    @cached_property
    def removed(self) -> list[list[int]]:
        return self._slots(-1)

    @cached_property
    def added(self) -> list[list[int]]:
        return self._slots(+1)

    @cached_property
    def mentioned(self) -> list[list[tuple[int, int]]]:
        """Return (slot, sign) of the pairs of each row, including unchanged ones (sign 0)."""
        by_position: dict[int, list[tuple[int, int]]] = {}
        columns = (self.what_if.index.tolist(), self.what_if.slots.tolist(), self.what_if.sign.tolist())
        for position, slot, sign in zip(*columns, strict=True):
            by_position.setdefault(position, []).append((slot, sign))
        return [by_position.get(position, []) for position in self.positions.tolist()]

    def _slots(self, sign: int) -> list[list[int]]:
        by_position: dict[int, list[int]] = {}
        selected = np.flatnonzero(self.what_if.sign == sign)
        for j in selected:
            by_position.setdefault(int(self.what_if.index[j]), []).append(int(self.what_if.slots[j]))
        return [by_position.get(int(position), []) for position in self.positions]
