"""Constraints between pods and nodes: taints and tolerations, ports, affinity terms, topology spread constraints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from scheduler_core.apis.selectors import LabelSelector, NodeSelectorTerm


@dataclass(frozen=True, slots=True)
class Taint:
    """`node.spec.taints[]`."""

    key: str
    value: str
    effect: str


@dataclass(frozen=True, slots=True)
class Toleration:
    """`pod.spec.tolerations[]`; an empty key with operator Exists tolerates everything, an empty effect any effect."""

    key: str = ""
    operator: Literal["Exists", "Equal"] = "Equal"
    value: str = ""
    effect: str = ""


@dataclass(frozen=True, slots=True)
class HostPort:
    """A host port that a pod requests; `ip` is "0.0.0.0" if the manifest specifies none."""

    ip: str
    protocol: str
    port: int


@dataclass(frozen=True, slots=True)
class PreferredNodeTerm:
    """`preferredDuringSchedulingIgnoredDuringExecution[]` of node affinity."""

    weight: int
    term: NodeSelectorTerm


@dataclass(frozen=True, slots=True)
class PodAffinityTerm:
    """A term of pod (anti-)affinity after admission: matchLabelKeys and mismatchLabelKeys are merged into `selector`.

    `namespaces` is the pod's own namespace when neither namespaces nor namespaceSelector is specified;
    `namespace_selector` None means that none is specified (no namespace matches).
    """

    topology_key: str
    selector: LabelSelector
    namespaces: frozenset[str]
    namespace_selector: LabelSelector | None = None


@dataclass(frozen=True, slots=True)
class WeightedPodAffinityTerm:
    """A preferred term of pod (anti-)affinity."""

    weight: int
    term: PodAffinityTerm


@dataclass(frozen=True, slots=True)
class TopologySpreadConstraint:
    """`pod.spec.topologySpreadConstraints[]`; the plugin, not admission, merges `match_label_keys`."""

    max_skew: int
    topology_key: str
    when_unsatisfiable: Literal["DoNotSchedule", "ScheduleAnyway"]
    selector: LabelSelector
    min_domains: int | None = None
    node_affinity_policy: Literal["Honor", "Ignore"] = "Honor"
    node_taints_policy: Literal["Honor", "Ignore"] = "Ignore"
    match_label_keys: tuple[str, ...] = ()
