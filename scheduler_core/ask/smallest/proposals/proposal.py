"""A way to resolve a plugin's objection: edits that belong together, and their subject."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from scheduler_core.apis.constraints import Taint
from scheduler_core.apis.core import Node, Pod
from scheduler_core.apis.devices import DeviceTaint
from scheduler_core.ask.editing.edits import Edit, Path, SetField
from scheduler_core.ask.moments.world import World
from scheduler_core.ask.smallest.proposals.truth import False_, find_contradicted_fact

Kind = Literal[
    "request",
    "toleration",
    "selector",
    "affinity",
    "spread",
    "pod-label",
    "port",
    "claim",
    "device-class",
    "device-constraint",
    "device-count",
    "device-holder",
    "device-selector",
    "device-toleration",
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
MAX_VALUES = 5  # the number of values of a label that are proposed


class Proposal(msgspec.Struct, frozen=True):
    """Edits that belong together, and their subject: `name` is the resource, taint, label or term; values are as in a
    manifest.

    `size` is how much the edits change: for requests, the share that is removed; for others, an estimate of the effort.
    `false`: the kind of fact that the edits contradict, "" if none. `where`: the container, if the pod has several.
    """

    kind: Kind
    edits: list[Edit]
    name: str
    before: str | int | None
    after: str | int | None
    size: float
    false: False_ = ""
    where: str = ""


class Case(NamedTuple):
    """A pod and a node in a world. `accepts(edits)` returns whether the plugin accepts the pod with these edits."""

    world: World
    pod: Pod
    node: Node
    accepts: Callable[[Sequence[Edit]], bool]

    def of_pod(self, path: Path, value: Any = None, *, add: bool = False) -> SetField:
        """Return an edit of the pod."""
        return SetField("Pod", self.pod.name, path, value, self.pod.namespace, add)

    def of_node(self, path: Path, value: Any = None) -> SetField:
        """Return an edit of the node."""
        return SetField("Node", self.node.name, path, value)

    def has_on(self, gate: str) -> bool:
        """Return whether the release of the cluster has a feature gate on."""
        return self.world.release.has_on(gate)

    @property
    def spec(self) -> Any:
        """Return the spec of the pod's manifest."""
        return self.pod.manifest.get("spec") or {}

    def label(self, key: str, text: str | None) -> Proposal:
        """Propose another value of a node label, or its removal."""
        before = self.node.labels.get(key)
        size = 0.5 if before is None else 1.0
        edit = self.of_node(("metadata", "labels", key), text)
        return Proposal("label", [edit], key, before, text, size, find_contradicted_fact(edit, "label"))

    def labels(self, key: str) -> Iterator[Proposal]:
        """Propose up to MAX_VALUES other values of a node label that nodes have or the pod requests, and a new one."""
        there = {node.labels[key] for node in self.world.cluster.all_nodes() if key in node.labels}
        others = sorted(there | set(self._required_values(key)))
        for value in [known for known in others if known != self.node.labels.get(key)][:MAX_VALUES]:
            yield self.label(key, value)
        if self.node.name not in others:
            yield self.label(key, self.node.name)

    def _required_values(self, key: str) -> Iterator[str]:
        """Yield the values that the pod's nodeSelector and required node affinity specify for a label."""
        if key in self.pod.node_selector:
            yield self.pod.node_selector[key]
        required = ((self.spec.get("affinity") or {}).get("nodeAffinity") or {}).get(REQUIRED) or {}
        for term in required.get("nodeSelectorTerms") or ():
            for match_expression in term.get("matchExpressions") or ():
                if match_expression.get("key") == key and match_expression.get("operator") == "In":
                    yield from map(str, match_expression.get("values") or ())


def narrowest_toleration(taint: Taint | DeviceTaint) -> dict[str, str]:
    """Return the narrowest toleration for the taint."""
    toleration = {"key": taint.key, "operator": "Equal" if taint.value else "Exists", "effect": taint.effect}
    return {**toleration, "value": taint.value} if taint.value else toleration
