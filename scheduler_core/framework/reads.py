"""Reads: the fields that determine a plugin's results for a node, so that the runtime can cache them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from operator import attrgetter

import msgspec

from scheduler_core.apis.core import Node, Pod

UNCOMPARABLE = frozenset({"manifest", "volumes"})  # nested and large: pods and nodes are not compared by them
POD_FIELDS = frozenset(Pod.__struct_fields__) - UNCOMPARABLE
OBJECT_FIELDS = frozenset(Node.__struct_fields__) - UNCOMPARABLE
LOAD_FIELDS = frozenset({"requested", "non_zero", "pod_count"})  # of `NodeTable`: sums over the pods on the node
STATE_FIELDS = LOAD_FIELDS | {"allocatable"}  # nodes that differ in them differ in `NodeTable.states`

ShapeKey = tuple[Hashable, ...]


class ReadsError(Exception):
    """The `reads` of a plugin are wrong."""


class Reads(msgspec.Struct, frozen=True):
    """The fields of the pod and of the node that completely determine a plugin's results:

        reads = Reads(pod=("labels",), node=("labels", "taints"))

    `pod` names fields of `Pod`; `node` names fields of `Node` and, for the requests of the node's pods, `requested`,
    `non_zero` and `pod_count` of `NodeTable`. Raises ValueError for any other name, and for `manifest` and `volumes`,
    which cannot be compared.

    A plugin with `reads` guarantees for `filter`, `score` and the state of `pre_filter` that two pods with equal fields
    get equal results on a node whose fields are unchanged, and that the result of `pre_score` depends on the pod's
    fields alone, not on the nodes. A plugin that reads anything else (other pods, other objects, the time, earlier
    events), or whose `pre_score` returns a state, must not have `reads`; it then runs every time. `reads_guard.guarded`
    finds violations.
    """

    pod: tuple[str, ...] = ()
    node: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_names("pod", self.pod, POD_FIELDS)
        _check_names("node", self.node, OBJECT_FIELDS | LOAD_FIELDS)

    @property
    def object_only(self) -> bool:
        """Return whether a result is valid until the node's object changes: no load of the node is read."""
        return OBJECT_FIELDS.issuperset(self.node)

    @property
    def state_only(self) -> bool:
        """Return whether a result is valid for all nodes in the same state (`NodeTable.states`).

        Load is read and, of the object, at most `allocatable`.
        """
        return not self.object_only and STATE_FIELDS.issuperset(self.node)

    @property
    def can_be_kept(self) -> bool:
        """Return whether results are cached; False if they depend on both the node's load and its object."""
        return self.object_only or self.state_only


def reads_of(plugin: object) -> Reads | None:
    """Return the plugin's `reads`, None if it has none."""
    reads: Reads | None = getattr(plugin, "reads", None)
    return reads


def shape_key(all_reads: Iterable[Reads]) -> Callable[[Pod], ShapeKey]:
    """Return a key function over all pod fields that these plugins read."""
    names = sorted({name for reads in all_reads for name in reads.pod})
    if not names:
        return lambda pod: ()
    read = attrgetter(*names, "name")  # with a second name, attrgetter always returns a tuple

    def key(pod: Pod) -> ShapeKey:
        return tuple([tuple(value.items()) if type(value) is dict else value for value in read(pod)[:-1]])

    return key


def _check_names(kind: str, names: tuple[str, ...], allowed: frozenset[str]) -> None:
    if isinstance(names, str):
        raise ValueError(f"Reads({kind}={names!r}): expected a tuple of names")
    for name in names:
        if name in UNCOMPARABLE:
            raise ValueError(f"Reads({kind}=...): {name!r} cannot be compared; a plugin that reads it has no `reads`")
        if name not in allowed:
            raise ValueError(f"Reads({kind}=...): no field {name!r}; known are {', '.join(sorted(allowed))}")
