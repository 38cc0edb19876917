"""The pod groups of Coscheduling (scheduler-plugins: pkg/coscheduling/core PodGroupManager)."""

from __future__ import annotations

import numpy as np

from scheduler_core.apis.core import CoschedulingPodGroup, Pod
from scheduler_core.cluster.cluster import Cluster

LABEL = "scheduling.x-k8s.io/pod-group"


def group_of(pod: Pod) -> str:
    """Return the name of the pod's group ("namespace/name"), "" if it has none; the group need not exist."""
    name = pod.labels.get(LABEL, "")
    return f"{pod.namespace}/{name}" if name else ""


class PodGroups:
    """The members and progress of every group. Failures are stored by the group's full name."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._failed_at: dict[str, float] = {}
        self._backs_off_until: dict[str, float] = {}
        self._specs: dict[str, list[int]] = {}  # group -> numbers of the distinct (namespace, labels) that name it
        self._specs_seen = 0

    def get(self, pod: Pod) -> CoschedulingPodGroup | None:
        """Return the PodGroup object, None if the pod has no group or the object does not exist."""
        pod_group = self._cluster.get("PodGroup", group_of(pod))
        return pod_group if isinstance(pod_group, CoschedulingPodGroup) else None

    def members(self, pod: Pod) -> list[Pod]:
        """Return all pods of the pod's group, in order of creation."""
        table = self._cluster.pods
        for number in range(self._specs_seen, len(table.specs)):
            namespace, labels = table.specs[number]
            if LABEL in labels:
                self._specs.setdefault(f"{namespace}/{labels[LABEL]}", []).append(number)
        self._specs_seen = len(table.specs)
        slots = np.flatnonzero(np.isin(table.spec[: len(table)], self._specs.get(group_of(pod), [])))
        return [table.pods[slot] for slot in slots.tolist() if table.slot_of.get(table.pods[slot].key) == slot]

    def assigned(self, pod: Pod) -> int:
        """Return the number of members that are bound or assumed."""
        table = self._cluster.pods
        return sum(bool(table.node_name[table.slot_of[member.key]]) for member in self.members(pod))

    def reason_to_reject(self, pod: Pod, now: float) -> str:
        """Return the reason that a pod is rejected (PodGroupManager.PreFilter), "" if it is not."""
        group = self.get(pod)
        if group is None:
            return ""
        if now <= self._backs_off_until.get(group_of(pod), -1.0):
            return f"podGroup {group_of(pod)} failed recently"
        members = self.members(pod)
        if len(members) < group.min_member:
            return (
                f"pre-filter pod {pod.name} cannot find enough sibling pods, current pods number: {len(members)}, "
                f"minMember of group: {group.min_member}"
            )
        gated = sum(bool(member.scheduling_gates) for member in members)
        if len(members) - gated < group.min_member:
            return f"pre-filter pod {pod.name} cannot proceed due to gated pods in the same PodGroup"
        return ""

    def sort_time(self, pod: Pod) -> float:
        """Return the time by which a pod is sorted in the queue: the last failure of its group, or its creation.

        Without an existing group, it is the creation of the pod.
        """
        group = self.get(pod)
        own = pod.creation_timestamp if group is None else group.creation_timestamp
        return self._failed_at.get(group_of(pod), own)

    def back_off(self, pod: Pod, now: float, seconds: float) -> None:
        """Reject the group's pods for the next `seconds`, unless the group is already backing off."""
        if now > self._backs_off_until.get(group_of(pod), -1.0):
            self._backs_off_until[group_of(pod)] = now + seconds

    def mark_failure(self, pod: Pod, now: float) -> None:
        self._failed_at[group_of(pod)] = now

    def clear_failure(self, pod: Pod) -> None:
        self._failed_at.pop(group_of(pod), None)
