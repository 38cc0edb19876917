"""A plugin of the reference, one method for each extension point, and what it may look at."""

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
Namespaces = Mapping[str, Mapping[str, str]]  # a namespace's labels
ImageCopies = dict[str, tuple[int, int]]  # image -> (bytes, nodes that have it)

FITS: Verdict = ("Success", ())
SKIP: Verdict = ("Skip", ())
UNSCHEDULABLE = "Unschedulable"
UNRESOLVABLE = "UnschedulableAndUnresolvable"


class ExtenderFailed(Exception):
    """An extender that is not ignorable failed."""


@dataclass(frozen=True)
class Cycle:
    """One pod's scheduling cycle: `snapshot` is what PreFilter looked at, `args` is by plugin, `images` by node."""

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
    """The first plugin that rejects a node; `plugin` "" stands for a status that no filter gave."""

    plugin: str
    code: str
    reasons: tuple[str, ...]


class Scores(NamedTuple):
    """By node name."""

    raw: dict[str, int]
    normalized: dict[str, int]


class Plugin:
    """What a plugin answers where it has no rule of its own. `events` are those it registers: kind -> actions.

    Pods are of kind "Pod" there, whether they are assigned or pending.
    """

    events: Mapping[str, Sequence[str]] = {}

    @property
    def name(self) -> str:
        return type(self).__name__

    def pre_filter(self, cycle: Cycle) -> Verdict:
        """SKIP: Filter is not asked."""
        return FITS

    def pre_filter_nodes(self, cycle: Cycle) -> set[str] | None:
        """PreFilterResult: the only nodes that are worth looking at."""
        return None

    def filter(self, cycle: Cycle, on: NodeInfo) -> Verdict:
        return FITS

    def score(self, cycle: Cycle, feasible: Sequence[NodeWithPods]) -> Scores | None:
        """None: PreScore skips the plugin."""
        return None

    def hint(self, event: Event, pod: Pod, args: Any, workloads: Sequence[Workload]) -> bool:
        """Whether a registered event says Queue to a pod that the plugin rejected."""
        return True


def normalize(raw: dict[str, int], *, reverse: bool) -> Scores:
    """`helper.DefaultNormalizeScore`: to 0..100 of the highest, or that subtracted from 100."""
    highest = max(raw.values())
    if highest == 0:
        return Scores(raw, dict.fromkeys(raw, 100 if reverse else 0))
    scaled = {name: 100 * value // highest for name, value in raw.items()}
    return Scores(raw, {name: 100 - value for name, value in scaled.items()} if reverse else scaled)
