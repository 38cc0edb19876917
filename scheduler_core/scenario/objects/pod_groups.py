"""Builds PodGroups (scheduling.k8s.io/v1alpha2).

Sources: staging api/scheduling/v1alpha2, pkg/apis/scheduling/validation, pkg/registry/scheduling/podgroup (which drops
fields whose gates are off), and the Priority admission plugin.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from scheduler_core.apis.core import PodGroup, PodGroupCondition
from scheduler_core.apis.messages import Message
from scheduler_core.scenario.fields.names import check_metadata, dns_subdomain, qualified_name
from scheduler_core.scenario.objects.admission import Admission
from scheduler_core.scenario.reading.problems import Path, Problems, invalid, required

Manifest = Mapping[str, Any]

SCHEDULED = "PodGroupScheduled"


def build_pod_group(data: Manifest, problems: Problems, admission: Admission) -> PodGroup:
    """Build a PodGroup. `data` fits its table and has no fields whose gates are off."""
    metadata, spec, status = (data.get(key) or {} for key in ("metadata", "spec", "status"))
    check_metadata(metadata, ("metadata",), problems)
    constraints = spec.get("schedulingConstraints")
    priority, _, _ = admission.priority(spec, problems)
    return PodGroup(
        name=metadata.get("name") or "",
        namespace=metadata.get("namespace") or "default",
        uid=admission.uid(metadata),
        min_count=_min_count(spec.get("schedulingPolicy") or {}, ("spec", "schedulingPolicy"), problems),
        constraints=constraints is not None,
        topology_key=_topology_key(constraints or {}, ("spec", "schedulingConstraints", "topology"), problems),
        priority=priority if admission.has_on("WorkloadAwarePreemption") else 0,
        disruption_mode=spec.get("disruptionMode") or "Pod",
        condition=_condition(status),
        manifest=data,
    )


def pod_group_name(spec: Manifest, problems: Problems) -> str:
    """Return the name of the pod's group (`spec.schedulingGroup`), "" if it has none."""
    group = spec.get("schedulingGroup")
    if group is None:
        return ""
    name, path = group.get("podGroupName") or "", ("spec", "schedulingGroup", "podGroupName")
    if not name:
        problems.error(path, required(Message("the PodGroup that the pod is scheduled with")))
    elif reason := dns_subdomain(name):
        problems.error(path, invalid(name, Message("a lowercase RFC 1123 subdomain {reason}", reason=reason)))
    return str(name)


def _min_count(policy: Manifest, path: Path, problems: Problems) -> int | None:
    """Return minCount of the policy gang; None without it."""
    gang = policy.get("gang")
    if (gang is None) == (policy.get("basic") is None):
        problems.error(path, required(Message("one of basic and gang")))
    if gang is None:
        return None
    count = gang.get("minCount") or 0
    if count < 1:
        problems.error((*path, "gang", "minCount"), invalid(count, Message("must be at least 1")))
    return int(count)


def _topology_key(constraints: Manifest, path: Path, problems: Problems) -> str:
    entries = constraints.get("topology") or ()
    if len(entries) > 1:
        problems.error((*path, 1), Message("a PodGroup has at most one topology constraint"))
    keys = [entry.get("key") or "" for entry in entries]
    for index, key in enumerate(keys):
        if reason := qualified_name(key):
            problems.error((*path, index, "key"), invalid(key, reason))
    return keys[0] if keys else ""


def _condition(status: Manifest) -> PodGroupCondition | None:
    """Return the first condition PodGroupScheduled in the status that is True or False; None if there is none."""
    for condition in status.get("conditions") or ():
        if condition.get("type") == SCHEDULED and condition.get("status") in ("True", "False"):
            state = cast(Any, condition["status"])
            return PodGroupCondition(state, condition.get("reason") or "", condition.get("message") or "")
    return None
