"""Reads: the fields that determine a plugin's results for a node, so that the runtime can cache them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, fields
from operator import attrgetter

from scheduler_core.apis.core import Node, Pod

UNCOMPARABLE = frozenset({"manifest", "volumes"})  # as written, nested and large: nobody tells pods or nodes by these
POD_FIELDS = frozenset(field.name for field in fields(Pod)) - UNCOMPARABLE
OBJECT_FIELDS = frozenset(field.name for field in fields(Node)) - UNCOMPARABLE
LOAD_FIELDS = frozenset({"requested", "non_zero", "pod_count"})  # of `NodeTable`: what the pods on the node add up to
STATE_FIELDS = LOAD_FIELDS | {"allocatable"}  # what `NodeTable.states` tells nodes by

ShapeKey = tuple[Hashable, ...]


class ReadsError(Exception):
    """A plugin's `reads` is wrong."""


@dataclass(frozen=True, slots=True)
class Reads:
    """The fields of the pod and of the node that completely determine a plugin's results:

        reads = Reads(pod=("labels",), node=("labels", "taints"))

    `pod` names fields of `Pod`; `node` names fields of `Node` and, for what the pods on the node request, `requested`,
    `non_zero` and `pod_count` of `NodeTable`. An unknown name is a ValueError.

    It is a promise about `filter`, `score` and the state that `pre_filter` prepares for them: two pods that are equal
    in these fields get equal answers on a node that is unchanged in these fields; and in `pre_score`, which is asked
    once for pods that are equal, whatever the nodes. Whoever looks at anything else (other pods, other objects, the
    time, what happened before) or leaves a state in `pre_score` promises nothing, has no `reads` and is asked anew
    every time, which is always right. `reads_guard.guarded` finds promises that are not kept.
    """

    pod: tuple[str, ...] = ()
    node: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_names("pod", self.pod, POD_FIELDS)
        _check_names("node", self.node, OBJECT_FIELDS | LOAD_FIELDS)

    @property
    def object_only(self) -> bool:
        """Whether a result is valid until the node's object changes."""
        return OBJECT_FIELDS.issuperset(self.node)

    @property
    def state_only(self) -> bool:
        """Whether a result is valid for all nodes in the same state (`NodeTable.states`)."""
        return not self.object_only and STATE_FIELDS.issuperset(self.node)

    @property
    def can_be_kept(self) -> bool:
        """Whether results are cached; False if they depend on both the node's load and its object."""
        return self.object_only or self.state_only


def reads_of(plugin: object) -> Reads | None:
    """Return the plugin's `reads`, None if it has none."""
    found: Reads | None = getattr(plugin, "reads", None)
    return found


def shape_key(all_reads: Iterable[Reads]) -> Callable[[Pod], ShapeKey]:
    """Return a key function over all pod fields that these plugins read."""
    names = sorted({name for reads in all_reads for name in reads.pod})
    if not names:
        return lambda pod: ()
    read = attrgetter(*names, "name")  # one more, so that there are always several

    def key(pod: Pod) -> ShapeKey:
        return tuple([tuple(value.items()) if type(value) is dict else value for value in read(pod)[:-1]])

    return key


def _check_names(what: str, names: tuple[str, ...], known: frozenset[str]) -> None:
    if isinstance(names, str):
        raise ValueError(f"Reads({what}={names!r}): expected a tuple of names")
    for name in names:
        if name in UNCOMPARABLE:
            raise ValueError(f"Reads({what}=...): {name!r} cannot be compared; a plugin that reads it has no `reads`")
        if name not in known:
            raise ValueError(f"Reads({what}=...): no field {name!r}; known are {', '.join(sorted(known))}")
