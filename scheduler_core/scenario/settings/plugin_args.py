"""Builds the structs of `pluginConfig[].args`, defaulted and validated as by kube-scheduler.

Sources: apis/config/v1/defaults.go, apis/config/validation/validation_pluginargs.go; scheduler-plugins' Coscheduling.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, cast

from scheduler_core.apis.config import (
    DEFAULT_RESOURCES,
    CoschedulingArgs,
    DefaultPreemptionArgs,
    DynamicResourcesArgs,
    InterPodAffinityArgs,
    NodeAffinityArgs,
    NodeResourcesBalancedAllocationArgs,
    NodeResourcesFitArgs,
    PluginArgs,
    PodTopologySpreadArgs,
    ResourceSpec,
    ScoringStrategyType,
    UtilizationShapePoint,
    VolumeBindingArgs,
)
from scheduler_core.apis.constraints import PreferredNodeTerm, TopologySpreadConstraint
from scheduler_core.apis.messages import Message
from scheduler_core.scenario.fields.names import qualified_name
from scheduler_core.scenario.objects.label_selectors import node_selector, node_selector_term
from scheduler_core.scenario.objects.pod_affinity import spread_constraint
from scheduler_core.scenario.reading.problems import (
    Path,
    Problems,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
)
from scheduler_core.scenario.reading.times import parse_duration

Manifest = Mapping[str, Any]

CAPACITY_SCORING = "StorageCapacityScoring"  # a feature gate
_STRATEGIES = ("LeastAllocated", "MostAllocated", "RequestedToCapacityRatio")
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def default_preemption(data: Manifest, path: Path, problems: Problems) -> DefaultPreemptionArgs:
    """Build the arguments of DefaultPreemption: 10 percent and 100 nodes by default."""
    percentage = _or(data.get("minCandidateNodesPercentage"), 10)
    absolute = _or(data.get("minCandidateNodesAbsolute"), 100)
    at_percentage, at_absolute = (*path, "minCandidateNodesPercentage"), (*path, "minCandidateNodesAbsolute")
    if not 0 <= percentage <= 100:
        problems.error(at_percentage, invalid(percentage, Message("not in valid range [0, 100]")))
    if absolute < 0:
        problems.error(at_absolute, invalid(absolute, Message("not in valid range [0, inf)")))
    if percentage == 0 and absolute == 0:
        for at, other in ((at_percentage, at_absolute), (at_absolute, at_percentage)):
            problems.error(at, invalid(0, Message("cannot be zero at the same time as {field}", field=other[-1])))
    return DefaultPreemptionArgs(percentage, absolute)


def inter_pod_affinity(data: Manifest, path: Path, problems: Problems) -> InterPodAffinityArgs:
    """Build the arguments of InterPodAffinity: weight 1 by default."""
    weight = _or(data.get("hardPodAffinityWeight"), 1)
    if not 0 <= weight <= 100:
        problems.error((*path, "hardPodAffinityWeight"), invalid(weight, Message("not in valid range [0, 100]")))
    return InterPodAffinityArgs(weight, bool(data.get("ignorePreferredTermsOfExistingPods")))


def node_affinity(data: Manifest, path: Path, problems: Problems) -> NodeAffinityArgs:
    """Build the arguments. A preferred term of weight 0 is valid: it adds nothing, but the plugin scores every pod."""
    affinity = data.get("addedAffinity") or {}
    at = (*path, "addedAffinity")
    needed = affinity.get(_REQUIRED)
    preferred = []
    for index, term in enumerate(affinity.get(_PREFERRED) or ()):
        at_term = (*at, _PREFERRED, index)
        selector = node_selector_term(term.get("preference") or {}, at_term, problems, any_value=True)
        preferred.append(PreferredNodeTerm(term.get("weight") or 0, selector))
    return NodeAffinityArgs(
        node_selector(needed, (*at, _REQUIRED), problems) if needed is not None else None, tuple(preferred)
    )


def balanced_allocation(data: Manifest, path: Path, problems: Problems) -> NodeResourcesBalancedAllocationArgs:
    """Build the arguments of NodeResourcesBalancedAllocation; each resource once, with weight 1."""
    resources = _resources(data.get("resources"))
    names: set[str] = set()
    for index, resource in enumerate(resources):
        if resource.name in names:
            problems.error((*path, "resources", index, "name"), duplicate(resource.name))
        names.add(resource.name)
        if resource.weight != 1:
            problems.error((*path, "resources", index, "weight"), invalid(resource.weight, Message("must be 1")))
    return NodeResourcesBalancedAllocationArgs(resources)


def node_resources_fit(data: Manifest, path: Path, problems: Problems) -> NodeResourcesFitArgs:
    """Build the arguments of NodeResourcesFit: LeastAllocated of cpu and memory by default."""
    for field in ("ignoredResources", "ignoredResourceGroups"):
        for index, name in enumerate(data.get(field) or ()):
            if field == "ignoredResourceGroups" and "/" in name:
                problems.error((*path, field, index), invalid(name, Message("resource group name can't contain '/'")))
            elif reason := qualified_name(name):
                problems.error((*path, field, index), invalid(name, reason))
    given = data.get("scoringStrategy")
    strategy = given or {}
    at = (*path, "scoringStrategy")
    kind = strategy.get("type") or ""
    if given is None:
        kind = "LeastAllocated"
    elif kind not in _STRATEGIES:
        problems.error((*at, "type"), not_supported(kind, _STRATEGIES))
    resources = _resources(strategy.get("resources"))
    for index, resource in enumerate(resources):
        if not 0 < resource.weight <= 100:
            reason = Message("resource weight of {name} not in valid range (0, 100]", name=resource.name)
            problems.error((*at, "resources", index, "weight"), invalid(resource.weight, reason))
    shape: tuple[UtilizationShapePoint, ...] = ()
    if kind == "RequestedToCapacityRatio" or strategy.get("requestedToCapacityRatio") is not None:
        ratio = strategy.get("requestedToCapacityRatio") or {}
        shape = function_shape(ratio.get("shape"), (*at, "requestedToCapacityRatio", "shape"), problems)
    return NodeResourcesFitArgs(
        frozenset(data.get("ignoredResources") or ()),
        frozenset(data.get("ignoredResourceGroups") or ()),
        cast(ScoringStrategyType, kind),
        resources,
        shape if kind == "RequestedToCapacityRatio" else (),
    )


def pod_topology_spread(data: Manifest, path: Path, problems: Problems) -> PodTopologySpreadArgs:
    """Build the arguments of PodTopologySpread: the type System by default, without constraints."""
    kind = data.get("defaultingType") or "System"
    constraints: dict[tuple[str, str], TopologySpreadConstraint] = {}
    at = (*path, "defaultConstraints")
    for index, default_constraint in enumerate(data.get("defaultConstraints") or ()):
        constraint = spread_constraint(default_constraint, (*at, index), problems, {})
        if default_constraint.get("labelSelector") is not None:
            reason = Message("constraint must not define a selector, as they deduced for each pod")
            problems.error((*at, index, "labelSelector"), forbidden(reason))
        pair = (constraint.topology_key, constraint.when_unsatisfiable)
        if pair in constraints:
            problems.error((*at, index), duplicate(f"{{{pair[0]}, {pair[1]}}}"))
        constraints[pair] = constraint
    if kind not in ("System", "List"):
        problems.error((*path, "defaultingType"), not_supported(kind, ("System", "List")))
    elif kind == "System" and constraints:
        problems.error((*path, "defaultingType"), invalid(kind, Message("when .defaultConstraints are not empty")))
    return PodTopologySpreadArgs(cast(Literal["System", "List"], kind), tuple(constraints.values()))


def volume_binding(data: Manifest, path: Path, problems: Problems) -> VolumeBindingArgs:
    """Build the arguments of VolumeBinding: a timeout of 600 s by default."""
    seconds = _or(data.get("bindTimeoutSeconds"), 600)
    if seconds < 0:
        reason = Message("invalid BindTimeoutSeconds, should not be a negative value")
        problems.error((*path, "bindTimeoutSeconds"), invalid(seconds, reason))
    shape = function_shape(data["shape"], (*path, "shape"), problems) if data.get("shape") else ()
    return VolumeBindingArgs(seconds, shape)


def check_no_shape(profiles: Any, problems: Problems) -> None:
    """Report a shape of VolumeBinding, which needs a feature gate (`ValidateVolumeBindingArgsWithOptions`)."""
    for number, profile in enumerate(profiles):
        for index, entry in enumerate(profile.get("pluginConfig") or ()):
            args = entry.get("args")
            if entry.get("name") == "VolumeBinding" and isinstance(args, dict) and args.get("shape") is not None:
                reason = Message(
                    "unexpected field `shape`, remove it or turn on the feature gate {gate}", gate=CAPACITY_SCORING
                )
                path = ("profiles", number, "pluginConfig", index, "args", "shape")
                problems.error(path, invalid(args["shape"], reason))


def dynamic_resources(data: Manifest, path: Path, problems: Problems) -> DynamicResourcesArgs:
    """Build the arguments of DynamicResources: a timeout of 10 s by default."""
    timeout = data.get("filterTimeout")
    seconds = parse_duration(timeout) if timeout is not None else 10.0
    if seconds < 0:
        problems.error((*path, "filterTimeout"), invalid(timeout, Message("must be zero or positive")))
    return DynamicResourcesArgs(seconds)


def coscheduling(data: Manifest, path: Path, problems: Problems) -> CoschedulingArgs:
    """Build the arguments of Coscheduling: 60 s of waiting, no backoff, and 10 percent by default."""
    waiting = _or(data.get("permitWaitingTimeSeconds"), 60)
    backoff = _or(data.get("podGroupBackoffSeconds"), 0)
    for field, seconds in (("permitWaitingTimeSeconds", waiting), ("podGroupBackoffSeconds", backoff)):
        if seconds < 0:
            problems.error((*path, field), invalid(seconds, Message("must be greater than 0")))
    percentage = _or(data.get("podGroupRejectPercentage"), 10)
    if not 0 <= percentage <= 100:
        problems.error((*path, "podGroupRejectPercentage"), invalid(percentage, Message("must be between 0 and 100")))
    return CoschedulingArgs(waiting, backoff, percentage)


BUILDERS: dict[str, Callable[[Manifest, Path, Problems], PluginArgs]] = {
    "DefaultPreemption": default_preemption,
    "InterPodAffinity": inter_pod_affinity,
    "NodeAffinity": node_affinity,
    "NodeResourcesBalancedAllocation": balanced_allocation,
    "NodeResourcesFit": node_resources_fit,
    "PodTopologySpread": pod_topology_spread,
    "VolumeBinding": volume_binding,
    "DynamicResources": dynamic_resources,
    "Coscheduling": coscheduling,
}


def _or(value: int | None, default: int) -> int:
    return default if value is None else value


def _resources(data: Any) -> tuple[ResourceSpec, ...]:
    """Build the resources with their weights, or the default ones if there are none; no weight, or 0, means 1."""
    return (
        tuple(ResourceSpec(entry.get("name") or "", entry.get("weight") or 1) for entry in data or ())
        or DEFAULT_RESOURCES
    )


def function_shape(data: Any, path: Path, problems: Problems) -> tuple[UtilizationShapePoint, ...]:
    """Build the shape of a scoring function; it needs a point (`validateFunctionShape`)."""
    points = tuple(
        UtilizationShapePoint(entry.get("utilization") or 0, entry.get("score") or 0) for entry in data or ()
    )
    if not points:
        problems.error(path, required(Message("at least one point must be specified")))
    for index, point in enumerate(points):
        if index and points[index - 1].utilization >= point.utilization:
            reason = Message("values must be sorted in increasing order")
            problems.error((*path, index, "utilization"), invalid(point.utilization, reason))
        if not 0 <= point.utilization <= 100:
            problems.error(
                (*path, index, "utilization"), invalid(point.utilization, Message("not in valid range [0, 100]"))
            )
        if not 0 <= point.score <= 10:
            problems.error((*path, index, "score"), invalid(point.score, Message("not in valid range [0, 10]")))
    return points
