"""KubeSchedulerConfiguration as the engine uses it: defaulted, validated, with each profile's plugins resolved.

The types follow kube-scheduler's `apis/config/types.go` and `types_pluginargs.go` (v1.34.1). They are built from a
document by `scenario/settings/configuration.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from scheduler_core.apis.constraints import PreferredNodeTerm, TopologySpreadConstraint
from scheduler_core.apis.selectors import NodeSelector
from scheduler_core.apis.tagged import Tagged

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


class PluginRef(msgspec.Struct, frozen=True):
    """A plugin enabled at an extension point, with its weight at those that have weights (score, placement_score)."""

    name: str
    weight: int = 0


class ResourceSpec(msgspec.Struct, frozen=True):
    """A resource that a scorer evaluates, with its weight (1 to 100 in NodeResourcesFitArgs)."""

    name: str
    weight: int = 1


class UtilizationShapePoint(msgspec.Struct, frozen=True):
    """A point of a scoring function: a utilization from 0 to 100 and its score from 0 to 10."""

    utilization: int
    score: int


DEFAULT_RESOURCES = (ResourceSpec("cpu"), ResourceSpec("memory"))


class NodeResourcesFitArgs(Tagged, frozen=True):
    """Arguments of NodeResourcesFit. `shape` is that of the strategy RequestedToCapacityRatio, () for the others."""

    ignored_resources: frozenset[str] = frozenset()
    ignored_resource_groups: frozenset[str] = frozenset()
    strategy: ScoringStrategyType = "LeastAllocated"
    resources: tuple[ResourceSpec, ...] = DEFAULT_RESOURCES
    shape: tuple[UtilizationShapePoint, ...] = ()


class NodeResourcesBalancedAllocationArgs(Tagged, frozen=True):
    """Arguments of NodeResourcesBalancedAllocation: the resources whose shares are balanced. Weights can only be 1."""

    resources: tuple[ResourceSpec, ...] = DEFAULT_RESOURCES


class NodeAffinityArgs(Tagged, frozen=True):
    """Arguments of NodeAffinity: `addedAffinity` applies to every pod of the profile."""

    added_required: NodeSelector | None = None
    added_preferred: tuple[PreferredNodeTerm, ...] = ()


class PodTopologySpreadArgs(Tagged, frozen=True):
    """Arguments of PodTopologySpread.

    `default_constraints` have the selector `nothing()`: the plugin derives it from the pod's services and owner.
    """

    defaulting_type: Literal["System", "List"] = "System"
    default_constraints: tuple[TopologySpreadConstraint, ...] = ()


class InterPodAffinityArgs(Tagged, frozen=True):
    """Arguments of InterPodAffinity. The weight, 0 to 100, is that of required affinity in scores."""

    hard_pod_affinity_weight: int = 1
    ignore_preferred_terms_of_existing_pods: bool = False


class DefaultPreemptionArgs(Tagged, frozen=True):
    """Arguments of DefaultPreemption: the candidate nodes to look for at least, in percent and in number."""

    min_candidate_nodes_percentage: int = 10
    min_candidate_nodes_absolute: int = 100


class VolumeBindingArgs(Tagged, frozen=True):
    """Arguments of VolumeBinding.

    `shape`: the score by utilization, with the feature gate StorageCapacityScoring; (): its default.
    """

    bind_timeout_seconds: int = 600
    shape: tuple[UtilizationShapePoint, ...] = ()


class DynamicResourcesArgs(Tagged, frozen=True):
    """Arguments of DynamicResources."""

    filter_timeout_seconds: float = 10.0


class CoschedulingArgs(Tagged, frozen=True):
    """Arguments of Coscheduling of scheduler-plugins (v1 defaults: 60 s of waiting at Permit, no group backoff).

    A group is not rejected as a whole if at most `pod_group_reject_percentage` percent of minMember is missing.
    """

    permit_waiting_time_seconds: int = 60
    pod_group_backoff_seconds: int = 0
    pod_group_reject_percentage: int = 10


class OutsidePluginArgs(Tagged, frozen=True):
    """Arguments (`pluginConfig[].args`) of a plugin without a struct of its own, as written."""

    values: Mapping[str, Any] = {}


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


class ManagedResource(msgspec.Struct, frozen=True):
    """A resource that an extender manages (`extenders[].managedResources[]`)."""

    name: str
    ignored_by_scheduler: bool = False


class Extender(msgspec.Struct, frozen=True):
    """An extender (`extenders[]`). It takes no part in a step whose verb is empty; its responses are scripted."""

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


class Profile(msgspec.Struct, frozen=True):
    """A scheduler profile: plugins by extension point, in the order in which they run, and arguments by plugin.

    `percentage_of_nodes_to_score` None: that of the configuration applies. `checks_all_filters`: the other filters also
    run on a node that one filter rejected (alwaysCheckAllPredicates of a Policy). `names_in_policy`: kube-scheduler's
    plugins by the custom names that a Policy gives them.
    """

    scheduler_name: str
    plugins: Mapping[str, tuple[PluginRef, ...]]
    plugin_args: Mapping[str, PluginArgs] = {}
    percentage_of_nodes_to_score: int | None = None
    checks_all_filters: bool = False
    names_in_policy: Mapping[str, str] = {}


class SchedulerConfiguration(msgspec.Struct, frozen=True):
    """A scheduler's configuration. `percentage_of_nodes_to_score` 0 means adaptive (50 - nodes/125, at least 5)."""

    profiles: tuple[Profile, ...]
    percentage_of_nodes_to_score: int = 0
    pod_initial_backoff_seconds: float = 1.0
    pod_max_backoff_seconds: float = 10.0
    extenders: tuple[Extender, ...] = ()

    def profile_for(self, scheduler_name: str) -> Profile | None:
        """Return the profile of a pod's `spec.schedulerName`, None if this scheduler does not handle the pod."""
        return next((profile for profile in self.profiles if profile.scheduler_name == scheduler_name), None)
