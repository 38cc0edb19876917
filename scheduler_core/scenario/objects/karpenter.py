"""Builds NodePools, NodeClaims and KWOKNodeClasses, with the rules of their definitions (pkg/apis/crds)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from scheduler_core.apis.constraints import Taint
from scheduler_core.apis.container_resources import amounts
from scheduler_core.apis.karpenter import (
    Budget,
    ClaimCondition,
    KWOKNodeClass,
    NodeClaim,
    NodePool,
    PoolRequirement,
)
from scheduler_core.apis.messages import Message
from scheduler_core.apis.requirements import (
    INSTANCE_TYPE,
    NODE_POOL,
    Requirement,
    Requirements,
    get,
    merge,
    of_labels,
    requirement,
)
from scheduler_core.scenario.fields.names import check_metadata, label_value, qualified_name, text_map
from scheduler_core.scenario.objects.admission import Admission
from scheduler_core.scenario.reading.problems import Path, Problems, invalid, required
from scheduler_core.scenario.reading.times import parse_duration

Manifest = Mapping[str, Any]
DEFAULT_EXPIRE_AFTER = "720h"
DEFAULT_BUDGETS: Sequence[Manifest] = ({"nodes": "10%"},)
NEVER = "Never"
MOST_WEIGHT = 100
_DURATION = re.compile(r"([0-9]+(s|m|h))+", re.ASCII)
_NODES = re.compile(r"(100|[0-9]{1,2})%|[0-9]+", re.ASCII)
_BOUNDED = ("Gt", "Lt", "Gte", "Lte")


def build_node_pool(data: Manifest, problems: Problems, admission: Admission) -> NodePool:
    """Build a NodePool with the defaults of its definition."""
    metadata, spec = data.get("metadata") or {}, data.get("spec") or {}
    check_metadata(metadata, ("metadata",), problems)
    name, weight = metadata.get("name") or "", spec.get("weight")
    template, disruption = spec.get("template") or {}, spec.get("disruption") or {}
    inner, at = template.get("spec") or {}, ("spec", "template", "spec")
    labels = text_map((template.get("metadata") or {}).get("labels"))
    reference = inner.get("nodeClassRef")
    if not reference:
        problems.error((*at, "nodeClassRef"), required(Message("group, kind and name of the class of nodes")))
    else:
        _check_reference(reference, (*at, "nodeClassRef"), problems)
    if spec.get("replicas") is not None:
        message = Message("a pool with a fixed number of nodes is not simulated")
        problems.error(("spec", "replicas"), message)
    if weight is not None and not 1 <= weight <= MOST_WEIGHT:
        message = Message("must be between 1 and {most}", most=MOST_WEIGHT)
        problems.error(("spec", "weight"), invalid(weight, message))
    policy = disruption.get("consolidationPolicy") or "WhenEmptyOrUnderutilized"
    limits = spec.get("limits")
    return NodePool(
        name=name,
        node_class=tuple(str((reference or {}).get(field) or "") for field in ("group", "kind", "name")),  # type: ignore[arg-type]
        labels=labels,
        annotations=text_map((template.get("metadata") or {}).get("annotations")),
        requirements=_requirements(inner.get("requirements") or (), (*at, "requirements"), problems),
        taints=_taints(inner.get("taints") or (), (*at, "taints"), problems),
        startup_taints=_taints(inner.get("startupTaints") or (), (*at, "startupTaints"), problems),
        expire_after=_duration(inner, "expireAfter", DEFAULT_EXPIRE_AFTER, at, problems),
        termination_grace_period=_duration(inner, "terminationGracePeriod", NEVER, at, problems),
        consolidates_underutilized=policy == "WhenEmptyOrUnderutilized",
        consolidate_after=_duration(disruption, "consolidateAfter", "0s", ("spec", "disruption"), problems),
        budgets=_budgets(disruption.get("budgets"), problems),
        limits=None if limits is None else amounts(limits),
        weight=weight or 0,
        manifest=data,
    )


def build_node_claim(data: Manifest, problems: Problems, admission: Admission) -> NodeClaim:
    """Build a NodeClaim with its status; each condition dates from the creation of the claim."""
    metadata, spec, status = (data.get(key) or {} for key in ("metadata", "spec", "status"))
    check_metadata(metadata, ("metadata",), problems)
    at: Path = ("spec",)
    requirements = merge(
        map(as_requirement, _requirements(spec.get("requirements") or (), (*at, "requirements"), problems))
    )
    labels = text_map(metadata.get("labels"))
    created = admission.creation(metadata)
    conditions = {
        entry.get("type") or "": ClaimCondition(entry.get("status") or "", created, entry.get("reason") or "")
        for entry in status.get("conditions") or ()
    }
    return NodeClaim(
        name=metadata.get("name") or "",
        pool=labels.get(NODE_POOL, ""),
        labels=labels,
        annotations=text_map(metadata.get("annotations")),
        requirements=requirements,
        instance_types=tuple(sorted(get(requirements, INSTANCE_TYPE).values)),
        requests=amounts((spec.get("resources") or {}).get("requests")),
        taints=_taints(spec.get("taints") or (), (*at, "taints"), problems),
        startup_taints=_taints(spec.get("startupTaints") or (), (*at, "startupTaints"), problems),
        expire_after=_duration(spec, "expireAfter", DEFAULT_EXPIRE_AFTER, at, problems),
        termination_grace_period=_duration(spec, "terminationGracePeriod", NEVER, at, problems),
        created=created,
        deleted=None if metadata.get("deletionTimestamp") is None else created,
        node=str(status.get("nodeName") or ""),
        capacity=amounts(status.get("capacity")),
        allocatable=amounts(status.get("allocatable")),
        conditions=conditions,
        manifest=data,
    )


def _check_reference(reference: Mapping[str, Any], path: Path, problems: Problems) -> None:
    """Check a nodeClassRef, whose group and kind become the key of a label of the nodes."""
    missing = [field for field in ("group", "kind", "name") if not reference.get(field)]
    for field in missing:
        problems.error((*path, field), required())
    label = f"{reference.get('group')}/{str(reference.get('kind')).lower()}"
    if not missing and (fault := qualified_name(label)):
        problems.error(path, invalid(label, fault))


def build_node_class(data: Manifest, problems: Problems, admission: Admission) -> KWOKNodeClass:
    """Build a KWOKNodeClass."""
    metadata, spec = data.get("metadata") or {}, data.get("spec") or {}
    check_metadata(metadata, ("metadata",), problems)
    delay = _duration(spec, "nodeRegistrationDelay", "0s", ("spec",), problems)
    return KWOKNodeClass(metadata.get("name") or "", delay or 0.0, data)


def as_requirement(entry: PoolRequirement) -> Requirement:
    """Return a pool's requirement as Karpenter compares it: a set of values or its complement, and bounds."""
    return requirement(entry.key, entry.operator, entry.values, entry.min_values)


def requirements_of_pool(pool: NodePool) -> Requirements:
    """Return the requirements of a pool's nodes, including its labels, name and class (NewNodeClaimTemplate)."""
    return merge(map(as_requirement, pool.requirements), of_labels(labels_of_pool(pool)))


def labels_of_pool(pool: NodePool) -> dict[str, str]:
    """Return the labels of every node of a pool: those of its template, its name, and the name of its class."""
    group, kind, name = pool.node_class
    return {**pool.labels, NODE_POOL: pool.name, f"{group}/{kind.lower()}": name}


def _requirements(data: Any, path: Path, problems: Problems) -> tuple[PoolRequirement, ...]:
    """Build the requirements (ValidateRequirement).

    Those without an operator, and those with an invalid bound, are left out, which is an error.
    """
    requirements = []
    for index, entry in enumerate(data):
        at = (*path, index)
        key, operator = entry.get("key") or "", entry.get("operator") or ""
        values, least = tuple(entry.get("values") or ()), entry.get("minValues")
        if reason := qualified_name(key):
            problems.error((*at, "key"), invalid(key, reason))
        if key in (NODE_POOL, "kubernetes.io/hostname"):
            problems.error((*at, "key"), invalid(key, Message("label {key} is restricted", key=key)))
        for number, value in enumerate(values):
            if reason := label_value(value):
                problems.error((*at, "values", number), invalid(value, reason))
        if not operator:
            problems.error((*at, "operator"), required())
        elif operator in _BOUNDED and not (len(values) == 1 and values[0].isascii() and values[0].isdecimal()):
            message = Message("operator {operator} needs one value, a positive integer", operator=operator)
            problems.error((*at, "values"), message)
            continue
        elif operator in ("In", "NotIn") and not values:
            problems.error((*at, "values"), required(Message("operator {operator} needs values", operator=operator)))
        if least is not None and operator == "In" and len(values) < least:
            message = Message(
                "minValues {least} needs as many values; there are {count}", least=least, count=len(values)
            )
            problems.error((*at, "minValues"), message)
        if operator:
            requirements.append(PoolRequirement(key, operator, values, least))
    return tuple(requirements)


def _taints(data: Any, path: Path, problems: Problems) -> tuple[Taint, ...]:
    for index, entry in enumerate(data):
        if reason := qualified_name(entry.get("key") or ""):
            problems.error((*path, index, "key"), invalid(entry.get("key") or "", reason))
        if not entry.get("effect"):
            message = Message("expected NoSchedule, PreferNoSchedule or NoExecute")
            problems.error((*path, index, "effect"), required(message))
    return tuple(
        Taint(entry.get("key") or "", entry.get("value") or "", entry.get("effect") or "NoSchedule") for entry in data
    )


def _budgets(data: Any, problems: Problems) -> tuple[Budget, ...]:
    budgets = []
    for index, entry in enumerate(DEFAULT_BUDGETS if data is None else data):
        at: Path = ("spec", "disruption", "budgets", index)
        nodes = entry.get("nodes") or ""
        if not _NODES.fullmatch(nodes):
            message = Message("expected a number or a percentage such as {example}", example='"10%"')
            problems.error((*at, "nodes"), invalid(nodes, message) if nodes else required(message))
        schedule, duration = entry.get("schedule"), entry.get("duration")
        if (schedule is None) is not (duration is None):
            problems.error(at, Message("schedule and duration must be set together"))
        if schedule and not schedule.startswith("@") and len(schedule.split()) != 5:
            message = Message("expected five fields: minute, hour, day of month, month, day of week")
            problems.error((*at, "schedule"), invalid(schedule, message))
        seconds = _duration(entry, "duration", "0s", at, problems) or 0.0
        budgets.append(Budget(nodes or "0", tuple(entry.get("reasons") or ()), schedule or "", seconds))
    return tuple(budgets)


def _duration(data: Manifest, field: str, default: str, path: Path, problems: Problems) -> float | None:
    """Return the seconds of a duration; None for Never, or if it is invalid, which is an error."""
    text = data.get(field)
    text = default if text is None else text
    if text == NEVER:
        return None
    if not _DURATION.fullmatch(text):
        message = Message("expected a duration such as {example}", example="5m or 1h30m, or Never")
        problems.error((*path, field), invalid(text, message))
        return None
    return parse_duration(text)
