"""A change applied to a whole workload: how many of its waiting pods then get a node, one after the other."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from scheduler_core.apis.core import PodKey
from scheduler_core.ask.editing.edits import Edit, NotPossible, SetField
from scheduler_core.ask.moments.moment import Moment
from scheduler_core.ask.smallest.owners import siblings, workload_of

MAX_PODS = 40  # waiting pods of a workload that are tried


class Coverage(msgspec.Struct, frozen=True):
    """The effect of a change on a workload: `placed` of the `pods` pods of `kind`/`name` have or get a node with it."""

    kind: str
    name: str
    placed: int
    pods: int


def cover(moment: Moment, key: PodKey, edits: Sequence[Edit]) -> Coverage | None:
    """Return the effect on the workload if the edits are made to its template.

    None: no other pod of the workload is pending, more than MAX_PODS are, or the edits are not possible.
    """
    world = moment.world()
    pod = world.cluster.pods.get(key)
    workload = workload_of(pod) if pod is not None else None
    if pod is None or workload is None:
        return None
    others = list(siblings(pod, world.cluster))
    waiting = sorted(other.name for other in others if not other.node_name)
    if not waiting or len(waiting) > MAX_PODS:
        return None
    names = [pod.name, *waiting]
    all_edits = [edit for edit in edits if not _is_of(edit, pod.name)]
    all_edits += [replace(edit, name=name) for name in names for edit in edits if _is_of(edit, pod.name)]
    placed = sum(bool(other.node_name) for other in others)
    try:
        world.apply_edits(all_edits, {})
        for name in names:
            node = world.decide(f"{pod.namespace}/{name}", all_nodes=True).node
            if node and not world.place(f"{pod.namespace}/{name}", node):
                placed += 1
    except NotPossible:
        return None
    return Coverage(workload.kind, workload.name, placed, len(others) + 1)


def _is_of(edit: Edit, name: str) -> bool:
    return isinstance(edit, SetField) and edit.kind == "Pod" and edit.name == name
