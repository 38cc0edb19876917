"""The topology spread constraints of a pod: its own, or the default ones with a selector derived from its services and
owner.

Rules: kube-scheduler's podtopologyspread/common.go (filterTopologySpreadConstraints, buildDefaultConstraints) and
helper/spread.go (DefaultSelector).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec.structs import replace

from scheduler_core.apis.config import PodTopologySpreadArgs
from scheduler_core.apis.constraints import TopologySpreadConstraint
from scheduler_core.apis.core import Pod, Workload
from scheduler_core.apis.selectors import LabelSelector, SelectorRequirement
from scheduler_core.cluster.cluster import Cluster

HOSTNAME = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"

WORKLOAD_KINDS = ("Service", "ReplicationController", "ReplicaSet", "StatefulSet")

Action = Literal["DoNotSchedule", "ScheduleAnyway"]
ACTIONS: tuple[Action, ...] = ("DoNotSchedule", "ScheduleAnyway")

SYSTEM_DEFAULT_CONSTRAINTS = (
    TopologySpreadConstraint(3, HOSTNAME, "ScheduleAnyway", LabelSelector.nothing()),
    TopologySpreadConstraint(5, ZONE, "ScheduleAnyway", LabelSelector.nothing()),
)


class SpreadConstraints:
    """The spread constraints of pods: their own, or the defaults from the arguments of a profile."""

    def __init__(self, args: PodTopologySpreadArgs, cluster: Cluster) -> None:
        self._system_defaulted = args.defaulting_type == "System"
        defaults = SYSTEM_DEFAULT_CONSTRAINTS if self._system_defaulted else args.default_constraints
        self._defaults = {action: tuple(c for c in defaults if c.when_unsatisfiable == action) for action in ACTIONS}
        self.any_defaults = bool(defaults)
        self._cluster = cluster
        self._workloads: dict[str, list[Workload]] = {}  # by namespace
        self._writes = -1  # the cluster's writes when `versions` was computed
        self.versions: tuple[int, ...] = ()  # increases when a workload changes, and with it the default selectors

    def of(self, pod: Pod, action: Action) -> tuple[TopologySpreadConstraint, ...]:
        """Return the pod's own constraints of this kind; the default ones if it has no constraint of any kind.

        A pod that no service or controller selects has no default constraints either.
        """
        if pod.topology_spread_constraints:
            return own_constraints(pod, action)
        defaults = self._defaults[action]
        if not defaults:
            return ()
        workloads = self._workloads_in(pod.namespace)
        return with_default_selector(defaults, default_selector(pod, workloads)) if workloads else ()

    def require_all_topologies(self, pod: Pod) -> bool:
        """Return whether only nodes with every topology key are scored; False for the system's default constraints."""
        return bool(pod.topology_spread_constraints) or not self._system_defaulted

    def defaults_apply(self, pod: Pod) -> bool:
        """Return whether a pod without constraints of its own may get default ones; if False, it gets none."""
        return bool(self.any_defaults and self._workloads_in(pod.namespace))

    def _workloads_in(self, namespace: str) -> list[Workload]:
        if self._writes != self._cluster.writes:
            self._writes = self._cluster.writes
            self._find_workloads()
        return self._workloads.get(namespace, [])

    def _find_workloads(self) -> None:
        versions = tuple(map(self._cluster.version, WORKLOAD_KINDS))
        if versions != self.versions:
            self.versions = versions
            self._workloads = {}
            for kind in WORKLOAD_KINDS:
                for workload in self._cluster.objects(kind):
                    assert isinstance(workload, Workload)
                    self._workloads.setdefault(workload.namespace, []).append(workload)


def own_constraints(pod: Pod, action: Action) -> tuple[TopologySpreadConstraint, ...]:
    """Return the pod's own constraints of one kind, in their order, with matchLabelKeys merged into the selectors."""
    return tuple(
        _merge_match_label_keys(constraint, pod)
        for constraint in pod.topology_spread_constraints
        if constraint.when_unsatisfiable == action
    )


def _merge_match_label_keys(constraint: TopologySpreadConstraint, pod: Pod) -> TopologySpreadConstraint:
    """Return the constraint with matchLabelKeys merged into its selector; keys that the pod lacks are left out."""
    if not constraint.match_label_keys:
        return constraint
    extra = [
        SelectorRequirement(key, "In", (pod.labels[key],)) for key in constraint.match_label_keys if key in pod.labels
    ]
    return replace(constraint, selector=constraint.selector.and_also(*extra), match_label_keys=())


def with_default_selector(
    constraints: Iterable[TopologySpreadConstraint], selector: LabelSelector
) -> tuple[TopologySpreadConstraint, ...]:
    """Return default constraints for a pod; none if nothing selects the pod (the derived selector is empty)."""
    if selector.empty:
        return ()
    return tuple(replace(constraint, selector=selector, match_label_keys=()) for constraint in constraints)


def default_selector(pod: Pod, workloads: Iterable[Workload]) -> LabelSelector:
    """Return the merged selectors of the pod's services and its owning controller; empty if there are none.

    `workloads` are those of the pod's namespace. The labels of services and of a ReplicationController are merged as
    maps (the later wins); a ReplicaSet's or StatefulSet's requirements are added.
    """
    labels: dict[str, str] = {}
    owned_by: LabelSelector | None = None
    for workload in workloads:
        if workload.kind == "Service" and workload.selector.matches(pod.labels):
            labels.update(as_labels(workload.selector))
    for workload in workloads:
        if _owns(workload, pod):
            if workload.kind == "ReplicationController":
                labels.update(as_labels(workload.selector))
            else:
                owned_by = workload.selector
    selector = LabelSelector.from_labels(labels)
    return selector.and_also(*owned_by.requirements) if owned_by is not None else selector


def as_labels(selector: LabelSelector) -> dict[str, str]:
    """Return the label map of a Service or ReplicationController, stored as In requirements of one value."""
    return {requirement.key: requirement.values[0] for requirement in selector.requirements}


def _owns(workload: Workload, pod: Pod) -> bool:
    owner = pod.owner
    if owner is None or (workload.kind, workload.name) != (owner.kind, owner.name):
        return False
    version = {"ReplicationController": "v1", "ReplicaSet": "apps/v1", "StatefulSet": "apps/v1"}
    return version.get(workload.kind) == owner.api_version
