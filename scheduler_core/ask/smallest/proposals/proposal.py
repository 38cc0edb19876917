"""A way to resolve a plugin's objection: edits that belong together, and their subject."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from scheduler_core.apis.core import Node, Pod
from scheduler_core.ask.editing.edits import Edit, Path, SetField
from scheduler_core.ask.moments.world import World
from scheduler_core.ask.smallest.proposals.truth import False_, falsified

Kind = Literal[
    "request",
    "toleration",
    "selector",
    "affinity",
    "spread",
    "pod-label",
    "port",
    "claim",
    "priority",
    "gate",
    "scheduler",
    "taint",
    "label",
    "uncordon",
    "room",
    "nodes",
]
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
MOST_VALUES = 5  # of a label, to choose from


class Proposal(msgspec.Struct, frozen=True):
    """Edits, and what they are about: `name` is the resource, the taint, the label, the term; values as in a manifest.

    `size` tells how much it changes: of a request the share that goes, of others about as much as an operator minds.
    `false`: what the edit would say that is not so, "" where it says nothing untrue.
    """

    kind: Kind
    edits: list[Edit]
    name: str
    before: str | int | None
    after: str | int | None
    size: float
    false: False_ = ""


class Asked(NamedTuple):
    """A pod and a node in a world. `answers(edits)`: does the plugin let the pod pass there with these edits, too?"""

    world: World
    pod: Pod
    node: Node
    answers: Callable[[Sequence[Edit]], bool]

    def of_pod(self, path: Path, value: Any = None, *, add: bool = False) -> SetField:
        """Return an edit of the pod."""
        return SetField("Pod", self.pod.name, path, value, self.pod.namespace, add)

    def of_node(self, path: Path, value: Any = None) -> SetField:
        """Return an edit of the node."""
        return SetField("Node", self.node.name, path, value)

    @property
    def spec(self) -> Any:
        """The spec in the pod's manifest."""
        return self.pod.manifest.get("spec") or {}

    def label(self, key: str, text: str | None) -> Proposal:
        """Propose another value of a node label, or its removal."""
        before = self.node.labels.get(key)
        size = 0.5 if before is None else 1.0
        edit = self.of_node(("metadata", "labels", key), text)
        return Proposal("label", [edit], key, before, text, size, falsified(edit, "label"))

    def labels(self, key: str) -> Iterator[Proposal]:
        """Propose each other value of a node label that nodes have or the pod asks for, and a new one."""
        there = {node.labels[key] for node in self.world.cluster.all_nodes() if key in node.labels}
        others = sorted(there | set(self._asked_for(key)))
        for value in [one for one in others if one != self.node.labels.get(key)][:MOST_VALUES]:
            yield self.label(key, value)
        if self.node.name not in others:
            yield self.label(key, self.node.name)

    def _asked_for(self, key: str) -> Iterator[str]:
        """Yield the values that the pod's nodeSelector and required node affinity name for a label."""
        if key in self.pod.node_selector:
            yield self.pod.node_selector[key]
        required = ((self.spec.get("affinity") or {}).get("nodeAffinity") or {}).get(REQUIRED) or {}
        for term in required.get("nodeSelectorTerms") or ():
            for one in term.get("matchExpressions") or ():
                if one.get("key") == key and one.get("operator") == "In":
                    yield from map(str, one.get("values") or ())
