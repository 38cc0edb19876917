"""The members of each pod group (kube-scheduler: backend/cache/podgroupstate.go)."""

from __future__ import annotations

from scheduler_core.apis.core import Pod, PodGroupKey, PodKey


class PodGroupMembers:
    """The members of each group in order of creation; the group itself need not exist. Only `Cluster` writes."""

    def __init__(self) -> None:
        self._members: dict[PodGroupKey, dict[PodKey, None]] = {}

    def of(self, group: PodGroupKey) -> list[PodKey]:
        """Return the members of a group in order of creation, [] if it has none."""
        return list(self._members.get(group, ()))

    def add(self, pod: Pod) -> None:
        """Add a pod to its group."""
        self._members.setdefault(pod.pod_group_key, {})[pod.key] = None

    def remove(self, pod: Pod) -> None:
        """Remove a pod from its group. Raises KeyError if it is not in it."""
        members = self._members[pod.pod_group_key]
        del members[pod.key]
        if not members:
            del self._members[pod.pod_group_key]

    def copy(self) -> PodGroupMembers:
        """Return an independent copy."""
        other = PodGroupMembers()
        other._members = {group: dict(members) for group, members in self._members.items()}
        return other
