"""Builds Namespaces, PriorityClasses, PodDisruptionBudgets and the PodGroups of scheduler-plugins.

Converts budgets and workloads of older API versions. Sources: core/, scheduling/ and policy/validation;
scheduler-plugins' PodGroup type.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from scheduler_core.apis.core import CoschedulingPodGroup, Namespace, PodDisruptionBudget, PriorityClass
from scheduler_core.apis.messages import Message
from scheduler_core.apis.selectors import LabelSelector
from scheduler_core.scenario.fields.names import check_metadata, text_map
from scheduler_core.scenario.objects.admission import (
    HIGHEST_USER_PRIORITY,
    SYSTEM_PRIORITY_CLASSES,
    Admission,
    PreemptionPolicy,
)
from scheduler_core.scenario.objects.label_selectors import label_selector
from scheduler_core.scenario.objects.workloads import check_int_or_percent
from scheduler_core.scenario.reading.problems import Problems, forbidden, invalid, required

Manifest = Mapping[str, Any]

NAMESPACE_LABEL = "kubernetes.io/metadata.name"

V1BETA1_EMPTY_SELECTOR = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match"


def build_namespace(data: Manifest, problems: Problems, admission: Admission) -> Namespace:
    """Build a namespace, with its name as a label (`SetDefaults_Namespace`)."""
    metadata = data.get("metadata") or {}
    check_metadata(metadata, ("metadata",), problems, dns_label_name=True)
    name = metadata.get("name") or ""
    return Namespace(name, {**text_map(metadata.get("labels")), NAMESPACE_LABEL: name}, data)


def implied_namespace(name: str) -> Namespace:
    """Build a namespace that objects use but no document creates."""
    manifest = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": {NAMESPACE_LABEL: name}}}
    return Namespace(name, {NAMESPACE_LABEL: name}, manifest)


def build_priority_class(data: Manifest, problems: Problems, admission: Admission) -> PriorityClass:
    """Build a class and add it to the known ones (`ValidatePriorityClass`).

    Names that begin with system-, and values above HIGHEST_USER_PRIORITY, are reserved for Kubernetes' own classes.
    """
    metadata = data.get("metadata") or {}
    check_metadata(metadata, ("metadata",), problems)
    name, number = metadata.get("name") or "", data.get("value") or 0
    system = {priority_class.name: priority_class.value for priority_class in SYSTEM_PRIORITY_CLASSES}
    if name.startswith("system-"):
        if system.get(name) != number:
            message = Message("priority class names with 'system-' prefix are reserved for system use only")
            problems.error(("metadata", "name"), forbidden(message))
    elif number > HIGHEST_USER_PRIORITY:
        message = Message(
            "maximum allowed value of a user defined priority is {most}",
            most=HIGHEST_USER_PRIORITY,
        )
        problems.error(("value",), forbidden(message))
    policy = data.get("preemptionPolicy") or "PreemptLowerPriority"
    priority_class = PriorityClass(name, number, cast(PreemptionPolicy, policy), bool(data.get("globalDefault")), data)
    admission.priority_classes[name] = priority_class
    return priority_class


def build_budget(data: Manifest, problems: Problems, admission: Admission) -> PodDisruptionBudget:
    """Build a budget (`ValidatePodDisruptionBudgetSpec`, `ValidatePodDisruptionBudgetStatusUpdate`).

    For preemption, an empty selector selects no pod; for the disruption controller, every pod of the namespace.
    """
    metadata, spec, status = (data.get(key) or {} for key in ("metadata", "spec", "status"))
    check_metadata(metadata, ("metadata",), problems)
    minimum, maximum = spec.get("minAvailable"), spec.get("maxUnavailable")
    if minimum is not None and maximum is not None:
        problems.error(("spec",), invalid({}, Message("minAvailable and maxUnavailable cannot be both set")))
    for field, value in (("minAvailable", minimum), ("maxUnavailable", maximum)):
        check_int_or_percent(value, ("spec", field), problems)
    numbers = {name: status.get(name) for name in ("disruptionsAllowed", "currentHealthy", "desiredHealthy")}
    for name, number in numbers.items():
        if number is not None and number < 0:
            problems.error(("status", name), invalid(number, Message("must be greater than or equal to 0")))
    allowed = numbers["disruptionsAllowed"]
    if allowed is None and status and admission.recorded:
        allowed = 0  # an API server omits no status that its controller has written
    selector = label_selector(spec.get("selector"), ("spec", "selector"), problems)
    return PodDisruptionBudget(
        name=metadata.get("name") or "",
        namespace=metadata.get("namespace") or "default",
        selector=LabelSelector.nothing() if selector.empty else selector,
        controller_selector=selector,
        min_available=minimum,
        max_unavailable=maximum,
        disruptions_allowed=allowed,
        disrupted_pods=frozenset(status.get("disruptedPods") or ()),
        current_healthy=numbers["currentHealthy"],
        desired_healthy=numbers["desiredHealthy"],
        evicts_unhealthy=spec.get("unhealthyPodEvictionPolicy") == "AlwaysAllow",
        manifest=data,
    )


def budget_from_v1beta1(data: Manifest) -> Manifest:
    """Return a budget of policy/v1beta1 as one of policy/v1. In v1beta1, an empty selector selects no pod.

    kube-apiserver: pkg/apis/policy/v1beta1/conversion.go. An absent selector selects no pod in both versions.
    """
    spec = data.get("spec") or {}
    if spec.get("selector") is None or any((spec["selector"] or {}).values()):
        return {**data, "apiVersion": "policy/v1"}
    nothing = {"matchExpressions": [{"key": V1BETA1_EMPTY_SELECTOR, "operator": "Exists"}]}
    return {**data, "apiVersion": "policy/v1", "spec": {**spec, "selector": nothing}}


def selector_from_template(data: Manifest) -> Manifest:
    """Return a workload as one of apps/v1; the labels of its template are its selector if it has none.

    kube-apiserver: SetDefaults_ReplicaSet of extensions/v1beta1 and SetDefaults_StatefulSet of apps/v1beta1. A template
    without labels gives no selector.
    """
    spec = data.get("spec") or {}
    labels = ((spec.get("template") or {}).get("metadata") or {}).get("labels")
    if spec.get("selector") is not None or not labels:
        return {**data, "apiVersion": "apps/v1"}
    return {**data, "apiVersion": "apps/v1", "spec": {**spec, "selector": {"matchLabels": labels}}}


def build_coscheduling_pod_group(data: Manifest, problems: Problems, admission: Admission) -> CoschedulingPodGroup:
    """Build a PodGroup of scheduler-plugins; minMember is required."""
    metadata, spec = data.get("metadata") or {}, data.get("spec") or {}
    check_metadata(metadata, ("metadata",), problems)
    members, timeout = spec.get("minMember"), spec.get("scheduleTimeoutSeconds")
    if members is None:
        problems.error(("spec", "minMember"), required())
    elif members < 1:
        problems.error(("spec", "minMember"), invalid(members, Message("must be at least 1")))
    if timeout is not None and timeout < 0:
        problems.error(
            ("spec", "scheduleTimeoutSeconds"), invalid(timeout, Message("must be greater than or equal to 0"))
        )
    name, namespace = metadata.get("name") or "", metadata.get("namespace") or "default"
    return CoschedulingPodGroup(name, namespace, members or 1, timeout, admission.creation(metadata), data)
