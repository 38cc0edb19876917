"""The base class of the reference's plugins, and the types of its arguments and results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from scheduler_core.apis.constraints import HostPort
from scheduler_core.apis.core import Node, Pod, Workload
from tests.reference.framework.cluster_event import Event
from tests.reference.framework.storage import Storage

Verdict = tuple[str, tuple[str, ...]]  # code and reasons
NodeWithPods = tuple[Node, Sequence[Pod]]
Namespaces = Mapping[str, Mapping[str, str]]  # namespace -> its labels
ImageCopies = dict[str, tuple[int, int]]  # image -> (bytes, nodes that have it)

FITS: Verdict = ("Success", ())
SKIP: Verdict = ("Skip", ())
UNSCHEDULABLE = "Unschedulable"
UNRESOLVABLE = "UnschedulableAndUnresolvable"


class ExtenderFailed(Exception):
    """An extender that is not ignorable has failed."""


@dataclass(frozen=True)
class Cycle:
    """One pod's scheduling cycle.

    `snapshot`: the nodes that PreFilter reads, with their pods. `args`: plugin arguments by plugin name. `images`: the
    images of each node, by its name.
    """

    pod: Pod
    snapshot: Sequence[NodeWithPods] = ()
    args: Mapping[str, Any] = field(default_factory=dict)
    namespaces: Namespaces = field(default_factory=dict)
    workloads: Sequence[Workload] = ()
    storage: Storage = field(default_factory=Storage)
    images: Mapping[str, ImageCopies] = field(default_factory=dict)


@dataclass(frozen=True)
class NodeInfo:
    """A node as Filter sees it: its pods and used host ports after AddPod of `added` and RemovePod of `removed`."""

    node: Node
    pods: Sequence[Pod] = ()
    ports: AbstractSet[HostPort] = frozenset()
    added: Sequence[Pod] = ()
    removed: Sequence[Pod] = ()


@dataclass(frozen=True)
class Rejection:
    """The status of a rejected node or pod; `plugin` is the plugin that gave it, or "" if none did."""

    plugin: str
    code: str
    reasons: tuple[str, ...]


class Scores(NamedTuple):
    """Raw and normalized scores by node name."""

    raw: dict[str, int]
    normalized: dict[str, int]


class Plugin:
    """A plugin that accepts every node and scores none; subclasses override the methods for which they have rules.

    `events`: the actions that the plugin registers, by kind ("Pod" for both assigned and pending pods).
    """

    events: Mapping[str, Sequence[str]] = {}

    @property
    def name(self) -> str:
        return type(self).__name__

    def pre_filter(self, cycle: Cycle) -> Verdict:
        """Return the verdict of PreFilter. After SKIP, Filter is skipped."""
        return FITS

    def pre_filter_nodes(self, cycle: Cycle) -> set[str] | None:
        """Return the names of the only nodes that can fit (PreFilterResult), or None for all."""
        return None

    def filter(self, cycle: Cycle, on: NodeInfo) -> Verdict:
        return FITS

    def score(self, cycle: Cycle, feasible: Sequence[NodeWithPods]) -> Scores | None:
        """Return the scores of the feasible nodes, or None if PreScore skips the plugin."""
        return None

    def hint(self, event: Event, pod: Pod, args: Any, workloads: Sequence[Workload]) -> bool:
        """Return whether the hint is Queue: the event, which the plugin registered, may help the pod it rejected."""
        return True


def normalize(raw: dict[str, int], *, reverse: bool) -> Scores:
    """Scale the scores so that the highest is 100 (`helper.DefaultNormalizeScore`), unless all are 0.

    With `reverse`, each scaled score is subtracted from 100.
    """
    highest = max(raw.values())
    if highest == 0:
        return Scores(raw, dict.fromkeys(raw, 100 if reverse else 0))
    scaled = {name: 100 * value // highest for name, value in raw.items()}
    return Scores(raw, {name: 100 - value for name, value in scaled.items()} if reverse else scaled)
