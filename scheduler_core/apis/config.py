"""KubeSchedulerConfiguration as the engine reads it: defaulted, validated, every profile's plugins resolved.

The shapes follow kube-scheduler's `apis/config/types.go` and `types_pluginargs.go` (v1.34.1). They are built from a
document by `scenario/settings/configuration.py`; `SchedulerConfiguration` here holds no default that a document can
change without passing through it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from scheduler_core.apis.constraints import PreferredNodeTerm, TopologySpreadConstraint
from scheduler_core.apis.selectors import NodeSelector

EXTENSION_POINTS: tuple[str, ...] = (
    "pre_enqueue",
    "queue_sort",
    "pre_filter",
    "filter",
    "post_filter",
    "pre_score",
    "score",
    "reserve",
    "permit",
    "pre_bind",
    "bind",
    "post_bind",
    "placement_generate",
    "placement_score",
)

ScoringStrategyType = Literal["LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"]


@dataclass(frozen=True, slots=True)
class PluginRef:
    """A plugin enabled at an extension point; `weight` counts at `score` only (0 elsewhere)."""

    name: str
    weight: int = 0


@dataclass(frozen=True, slots=True)
class ResourceSpec:
    """A resource that a scoring strategy evaluates, with its weight (1 to 100)."""

    name: str
    weight: int = 1


@dataclass(frozen=True, slots=True)
class UtilizationShapePoint:
    """A point of a scoring function: utilization 0 to 100 gets score 0 to 10."""

    utilization: int
    score: int


DEFAULT_RESOURCES = (ResourceSpec("cpu"), ResourceSpec("memory"))


@dataclass(frozen=True, slots=True)
class NodeResourcesFitArgs:
    """`shape` is the one of RequestedToCapacityRatio, () for the other strategies."""

    ignored_resources: frozenset[str] = frozenset()
    ignored_resource_groups: frozenset[str] = frozenset()
    strategy: ScoringStrategyType = "LeastAllocated"
    resources: tuple[ResourceSpec, ...] = DEFAULT_RESOURCES
    shape: tuple[UtilizationShapePoint, ...] = ()


@dataclass(frozen=True, slots=True)
class NodeResourcesBalancedAllocationArgs:
    """The resources whose shares are balanced; weights can only be 1."""

    resources: tuple[ResourceSpec, ...] = DEFAULT_RESOURCES


@dataclass(frozen=True, slots=True)
class NodeAffinityArgs:
    """Arguments of NodeAffinity: `addedAffinity` applies to every pod of the profile."""

    added_required: NodeSelector | None = None
    added_preferred: tuple[PreferredNodeTerm, ...] = ()


@dataclass(frozen=True, slots=True)
class PodTopologySpreadArgs:
    """`default_constraints` have the selector `nothing()`: the plugin deduces it from the pod's services and owner."""

    defaulting_type: Literal["System", "List"] = "System"
    default_constraints: tuple[TopologySpreadConstraint, ...] = ()


@dataclass(frozen=True, slots=True)
class InterPodAffinityArgs:
    hard_pod_affinity_weight: int = 1
    ignore_preferred_terms_of_existing_pods: bool = False


@dataclass(frozen=True, slots=True)
class DefaultPreemptionArgs:
    min_candidate_nodes_percentage: int = 10
    min_candidate_nodes_absolute: int = 100


@dataclass(frozen=True, slots=True)
class VolumeBindingArgs:
    """`shape` needs the gate StorageCapacityScoring, which is off: always ()."""

    bind_timeout_seconds: int = 600
    shape: tuple[UtilizationShapePoint, ...] = ()


@dataclass(frozen=True, slots=True)
class DynamicResourcesArgs:
    filter_timeout_seconds: float = 10.0


@dataclass(frozen=True, slots=True)
class CoschedulingArgs:
    """Arguments of scheduler-plugins' Coscheduling (v1 defaults: 60 s permit waiting, no group backoff).

    A group of which at most `pod_group_reject_percentage` percent of minMember is missing is not rejected as a whole.
    """

    permit_waiting_time_seconds: int = 60
    pod_group_backoff_seconds: int = 0
    pod_group_reject_percentage: int = 10


@dataclass(frozen=True, slots=True)
class OutsidePluginArgs:
    """`pluginConfig[].args` of a plugin that is not kube-scheduler's, as written."""

    values: Mapping[str, Any] = field(default_factory=dict)


PluginArgs = (
    NodeResourcesFitArgs
    | NodeResourcesBalancedAllocationArgs
    | NodeAffinityArgs
    | PodTopologySpreadArgs
    | InterPodAffinityArgs
    | DefaultPreemptionArgs
    | VolumeBindingArgs
    | DynamicResourcesArgs
    | CoschedulingArgs
    | OutsidePluginArgs
)


@dataclass(frozen=True, slots=True)
class ManagedResource:
    """`extenders[].managedResources[]`."""

    name: str
    ignored_by_scheduler: bool = False


@dataclass(frozen=True, slots=True)
class Extender:
    """`extenders[]`: an empty verb means that the extender does not take part there; what it answers is scripted."""

    url_prefix: str = ""
    filter_verb: str = ""
    preempt_verb: str = ""
    prioritize_verb: str = ""
    bind_verb: str = ""
    weight: int = 0
    enable_https: bool = False
    http_timeout_seconds: float = 5.0
    node_cache_capable: bool = False
    managed_resources: tuple[ManagedResource, ...] = ()
    ignorable: bool = False


@dataclass(frozen=True, slots=True)
class Profile:
    """One scheduler: `plugins[extension point]` in the order in which they run; args for every plugin that has some.

    `percentage_of_nodes_to_score` None: the configuration's counts. `checks_all_filters`: a node that one filter
    rejected is judged by the others, too (alwaysCheckAllPredicates of a Policy).
    """

    scheduler_name: str
    plugins: Mapping[str, tuple[PluginRef, ...]]
    plugin_args: Mapping[str, PluginArgs] = field(default_factory=dict)
    percentage_of_nodes_to_score: int | None = None
    checks_all_filters: bool = False


@dataclass(frozen=True, slots=True)
class SchedulerConfiguration:
    """`percentage_of_nodes_to_score` 0: adaptive (50 - nodes/125, at least 5)."""

    profiles: tuple[Profile, ...]
    percentage_of_nodes_to_score: int = 0
    pod_initial_backoff_seconds: float = 1.0
    pod_max_backoff_seconds: float = 10.0
    extenders: tuple[Extender, ...] = ()

    def profile_for(self, scheduler_name: str) -> Profile | None:
        """Return the profile of a pod's `spec.schedulerName`; None: this scheduler does not handle the pod."""
        return next((profile for profile in self.profiles if profile.scheduler_name == scheduler_name), None)
