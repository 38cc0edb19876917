"""The members of a group that are evaluated together (schedule_one_podgroup.go: podGroupInfoForPod)."""

from __future__ import annotations

import msgspec

from scheduler_core.apis.core import PodGroup, PodGroupKey
from scheduler_core.framework.runtime.runtime import Framework
from scheduler_core.queue.queued_pod import QueuedPod
from scheduler_core.scheduler.attempt import Attempt
from scheduler_core.scheduler.scheduler import Scheduler


class QueuedPodGroup(msgspec.Struct):
    """A popped group. `attempts` are in the order of evaluation; `framework` is that of the first member."""

    key: PodGroupKey
    framework: Framework
    attempts: list[Attempt]
    cycle: int

    @property
    def profile(self) -> str:
        """Return the profile of all members, "" if they differ."""
        return "" if self.schedulers_error else self.framework.profile_name

    @property
    def schedulers_error(self) -> str:
        """Return the error if members have different schedulers, "" otherwise."""
        first = self.attempts[0].pod.scheduler_name
        other = next(
            (attempt.pod.scheduler_name for attempt in self.attempts if attempt.pod.scheduler_name != first), None
        )
        if other is None:
            return ""
        return (
            f'all pods in a single pod group should have the same .spec.schedulerName set, got: "{other}" and "{first}"'
        )

    def stored(self) -> PodGroup | None:
        """Return the current PodGroup object, None if it does not exist."""
        return self.framework.pod_groups.get(self.key)


def gather_members(scheduler: Scheduler, popped: QueuedPod) -> QueuedPodGroup | None:
    """Pop the other members of a group. Return the group, None if all members are skipped.

    Members are sorted by priority, first attempt, and the queue's sequence (in kube-scheduler: the order of a map).
    """
    key = popped.pod.pod_group_key
    framework = scheduler.frameworks[popped.pod.scheduler_name]
    others = [pod.key for pod in framework.pod_groups.unscheduled(key) if pod.key != popped.key]
    members = [popped, *filter(None, map(scheduler.queue.pop_specific, others))]
    scheduler.queue.nominator.set_popped(queued.key for queued in members)
    members.sort(key=lambda queued: (-queued.pod.priority, queued.initial_attempt or 0.0, queued.sequence))
    mixed = len({queued.pod.scheduler_name for queued in members}) > 1
    tried = members if mixed else [queued for queued in members if not _skip_if_done(scheduler, queued)]
    if not tried:
        return None
    first = scheduler.attempts + 1
    scheduler.attempts += len(tried)
    scheduler.pod_group_cycles += 1
    attempts = [
        Attempt(first + index, queued, scheduler.frameworks[queued.pod.scheduler_name])
        for index, queued in enumerate(tried)
    ]
    return QueuedPodGroup(key, attempts[0].framework, attempts, scheduler.pod_group_cycles)


def _skip_if_done(scheduler: Scheduler, queued: QueuedPod) -> bool:
    """End the attempt of a pod that is being deleted or already assumed (skipPodGroupPodSchedule).

    Return whether the pod is skipped.
    """
    if not queued.pod.terminating and queued.key not in scheduler.cluster.assumed:
        return False
    scheduler.queue.done(queued.key)
    return True
