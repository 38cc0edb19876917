"""Constraints between pods and nodes: taints and tolerations, ports, affinity terms, topology spread constraints."""

from __future__ import annotations

from typing import Literal

import msgspec

from scheduler_core.apis.selectors import LabelSelector, NodeSelectorTerm


class Taint(msgspec.Struct, frozen=True):
    """A taint of a node (`node.spec.taints[]`)."""

    key: str
    value: str
    effect: str


class Toleration(msgspec.Struct, frozen=True):
    """A toleration of a pod (`pod.spec.tolerations[]`).

    An empty key with operator Exists matches all keys and values, an empty effect all effects.
    """

    key: str = ""
    operator: Literal["Exists", "Equal"] = "Equal"
    value: str = ""
    effect: str = ""


class HostPort(msgspec.Struct, frozen=True):
    """A host port that a pod requests; `ip` is "0.0.0.0" if the manifest specifies none."""

    ip: str
    protocol: str
    port: int


class PreferredNodeTerm(msgspec.Struct, frozen=True):
    """A preferred term of node affinity (`preferredDuringSchedulingIgnoredDuringExecution[]`)."""

    weight: int
    term: NodeSelectorTerm


class PodAffinityTerm(msgspec.Struct, frozen=True):
    """A term of pod (anti-)affinity after admission: matchLabelKeys and mismatchLabelKeys are merged into `selector`.

    `namespaces` are those of the term, or the pod's own if the term has neither namespaces nor a namespaceSelector.
    `namespace_selector` None: there is none, so it adds no namespace.
    """

    topology_key: str
    selector: LabelSelector
    namespaces: frozenset[str]
    namespace_selector: LabelSelector | None = None


class WeightedPodAffinityTerm(msgspec.Struct, frozen=True):
    """A preferred term of pod (anti-)affinity."""

    weight: int
    term: PodAffinityTerm


class TopologySpreadConstraint(msgspec.Struct, frozen=True):
    """A topology spread constraint of a pod (`pod.spec.topologySpreadConstraints[]`).

    The plugin, not admission, merges `match_label_keys` into the selector.
    """

    max_skew: int
    topology_key: str
    when_unsatisfiable: Literal["DoNotSchedule", "ScheduleAnyway"]
    selector: LabelSelector
    min_domains: int | None = None
    node_affinity_policy: Literal["Honor", "Ignore"] = "Honor"
    node_taints_policy: Literal["Honor", "Ignore"] = "Ignore"
    match_label_keys: tuple[str, ...] = ()
