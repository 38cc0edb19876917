"""Pods that were not created because of a ResourceQuota, from the events of a run."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from scheduler_core.apis.core import PodKey
from scheduler_core.trace.controller_events import (
    EventRecorded,
    PodDeletionRequested,
    PodFinished,
    WorkloadStatusWritten,
)
from scheduler_core.trace.events import AnyEvent, ObjectApplied, ObjectDeleted, RunStarted
from scheduler_core.trace.preemption_events import VictimEvicted
from scheduler_core.trace.records import WorkloadState
from scheduler_core.trace.summaries import pods_of

# The answer of the API server (resourcequota/controller.go: checkRequest).
EXCEEDED = re.compile(r'pods "(?P<pod>[^"]+)" is forbidden: (?P<reason>exceeded quota: .*)')

WorkloadKey = str  # "ReplicaSet default/web-5d4f"


class Refusal(msgspec.Struct):
    """A pod that could not be created since `since` virtual seconds. `reason`: the answer of the API server."""

    since: float
    step: int
    reason: str


class _Lack:
    """The pods that one workload lacks because of a quota, the earliest refusal first."""

    def __init__(self) -> None:
        self.refusals: list[Refusal] = []
        self.pod: PodKey = ""  # the pod that was refused last
        self.refused_at = 0.0
        self.created_at = -1.0

    def is_over(self, now: float) -> bool:
        """Return whether a pod was created after the last refusal, and before now."""
        return self.refused_at < self.created_at < now


class RefusedPods:
    """The pods that workloads lack because of quotas, updated with each event of a run."""

    def __init__(self) -> None:
        self._workloads: dict[WorkloadKey, WorkloadState] = {}
        self._desired: dict[WorkloadKey, int] = {}  # of DaemonSets
        self._active: dict[WorkloadKey, set[PodKey]] = {}  # the pods that count for their workload
        self._owners: dict[PodKey, WorkloadKey] = {}
        self._lacks: dict[WorkloadKey, _Lack] = {}

    def take(self, step: int, now: float, event: AnyEvent) -> Refusal | None:
        """Process the event of this step. Return the earlier refusal of the pod that it creates, None without one."""
        match event:
            case RunStarted():
                for pod in pods_of(event):
                    self._create(pod.pod, pod.owner, now)
            case ObjectApplied(kind="Pod", action="create", pod=pod) if pod is not None:
                return self._create(pod.pod, pod.owner, now)
            case ObjectApplied(workload=workload) if workload is not None:
                self._resize(f"{event.kind} {event.namespace}/{event.name}", workload)
            case WorkloadStatusWritten(kind="DaemonSet"):
                desired = event.status.get("desiredNumberScheduled", 0)
                self._desired[f"{event.kind} {event.namespace}/{event.name}"] = int(desired)
            case EventRecorded(reason="FailedCreate"):
                self._refuse(step, now, event)
            case PodFinished() | VictimEvicted() | PodDeletionRequested():
                self._remove(event.pod)
            case ObjectDeleted(kind="Pod"):
                self._remove(f"{event.namespace}/{event.name}")
            case ObjectDeleted():
                key = f"{event.kind} {event.namespace}/{event.name}"
                self._workloads.pop(key, None)
                self._lacks.pop(key, None)
        return None

    def never_created(self, now: float) -> Iterator[tuple[PodKey, Refusal]]:
        """Yield, for each workload that still lacks pods, the pod that was refused last and the earliest refusal."""
        for workload, lack in self._lacks.items():
            if lack.refusals and not lack.is_over(now):
                self._owners[lack.pod] = workload
                yield lack.pod, lack.refusals[0]

    def names_of_owners(self, pod: PodKey) -> Iterator[str]:
        """Yield the names of the pod's workloads, as people write them: "web", "shop/web", "deployment/web"."""
        key = self._owners.get(pod, "")
        while workload := self._workloads.get(key):
            kind, _, full = key.partition(" ")
            namespace, _, name = full.partition("/")
            for own in dict.fromkeys((name, workload.called)):
                yield from (f"{namespace}/{own}", f"{kind}/{own}", f"{kind.lower()}/{own}")
                if namespace == "default":
                    yield own
            key = _key_of(workload.owner, namespace)

    def _create(self, pod: PodKey, owner: str, now: float) -> Refusal | None:
        if not owner:
            return None
        workload = self._owners[pod] = _key_of(owner, pod.rpartition("/")[0])
        self._active.setdefault(workload, set()).add(pod)
        lack = self._lacks.get(workload)
        if lack is None:
            return None
        if lack.is_over(now):
            lack.refusals.clear()
        lack.created_at = now
        return lack.refusals.pop(0) if lack.refusals else None

    def _remove(self, pod: PodKey) -> None:
        self._active.get(self._owners.get(pod, ""), set()).discard(pod)

    def _resize(self, key: WorkloadKey, workload: WorkloadState) -> None:
        self._workloads[key] = workload
        if (lack := self._lacks.get(key)) is not None:
            del lack.refusals[self._missing(key, workload) :]

    def _refuse(self, step: int, now: float, event: EventRecorded) -> None:
        refused = EXCEEDED.search(event.message)
        if refused is None:
            return
        for key, workload in self._workloads.items():
            kind, _, name = key.partition(" ")
            if (kind, workload.called) != (event.kind, event.name) or name.rpartition("/")[0] != event.namespace:
                continue
            lack = self._lacks.setdefault(key, _Lack())
            if lack.is_over(now):
                lack.refusals.clear()
            lack.pod, lack.refused_at = f"{event.namespace}/{refused['pod']}", now
            missing = max(1, self._missing(key, workload))
            del lack.refusals[missing:]
            while len(lack.refusals) < missing:
                lack.refusals.append(Refusal(now, step, refused["reason"]))

    def _missing(self, key: WorkloadKey, workload: WorkloadState) -> int:
        """Return the number of pods that the workload lacks; a StatefulSet, which creates one at a time, lacks one."""
        desired = self._desired.get(key, workload.size or 0)
        missing = max(0, desired - len(self._active.get(key, ())))
        return min(missing, 1) if key.startswith("StatefulSet ") else missing


def _key_of(owner: str, namespace: str) -> WorkloadKey:
    return owner.replace("/", f" {namespace}/", 1)
