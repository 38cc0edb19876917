"""Histories of a run's pods and workloads: who created or deleted a pod and why, and why a rollout is incomplete.

histories = Histories()
for event in simulate(scenario):
    histories.take(event)
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from scheduler_core.apis.core import PodKey
from scheduler_core.apis.messages import Message
from scheduler_core.controllers.causes import sentence
from scheduler_core.trace.controller_events import (
    PodDeletionRequested,
    PodFinished,
    PodReadinessChanged,
    WorkloadStatusWritten,
)
from scheduler_core.trace.events import (
    AnyEvent,
    ClockAdvanced,
    ObjectApplied,
    ObjectDeleted,
    PodBound,
    RunStarted,
    SchedulingFailed,
)
from scheduler_core.trace.preemption_events import VictimEvicted
from scheduler_core.trace.records import Because, ConditionState, WorkloadState
from scheduler_core.trace.summaries import pods_of

MAX_PODS = 5  # of a workload, in its reasons
ROLLED_OUT = ("Deployment", "StatefulSet", "DaemonSet")
ObjectName = tuple[str, str, str]  # kind, namespace, name


class Act(msgspec.Struct, frozen=True):
    """The creation or deletion of a pod at `at` virtual seconds. `by`: the actor, "" for a user of kubectl."""

    at: float
    by: str
    because: Because | None = None


class PodHistory(msgspec.Struct):
    """The history of a pod. `made` None: it existed when the run began; `deleted` None: it was not deleted."""

    pod: PodKey
    owner: str  # "ReplicaSet/web-5d4f"
    called: str = ""
    made: Act | None = None
    deleted: Act | None = None
    gone: bool = False
    node: str = ""
    ready: bool = False
    message: str = ""  # of the scheduler, about its last attempt


class IncompleteRollout(msgspec.Struct, frozen=True):
    """A workload whose rollout is incomplete at the end of the run, and the reasons."""

    workload: str
    reasons: list[Message]


class Histories:
    """The histories of a run's pods and workloads, updated with each event."""

    def __init__(self) -> None:
        self.pods: dict[PodKey, PodHistory] = {}  # of the last pod of each name
        self.made: dict[PodKey, PodKey] = {}  # by deleted pod: the pod that its owner created in its place
        self.deletions: dict[PodKey, Act] = {}  # the last one of each name
        self._of_owner: dict[str, dict[PodKey, None]] = {}
        self._now = 0.0
        self._departed: dict[str, list[PodKey]] = {}
        self._workloads: dict[ObjectName, WorkloadState] = {}
        self._statuses: dict[ObjectName, dict[str, int | str]] = {}
        self._conditions: dict[ObjectName, list[ConditionState]] = {}

    def take(self, event: AnyEvent) -> None:
        """Take the next event of the run."""
        match event:
            case RunStarted():
                for pod in pods_of(event):
                    self._begin(PodHistory(pod.pod, pod.owner, node=pod.node, ready=bool(pod.node)))
            case ClockAdvanced():
                self._now = event.time
            case ObjectApplied(kind="Pod", action="create", pod=pod) if pod is not None:
                act = Act(self._now, event.by, event.because)
                self._begin(PodHistory(pod.pod, pod.owner, event.called, act))
                self._replace(pod.pod, pod.owner)
            case ObjectApplied():
                if event.workload is not None:
                    self._workloads[event.kind, event.namespace, event.name] = event.workload
            case WorkloadStatusWritten():
                key = event.kind, event.namespace, event.name
                self._statuses[key], self._conditions[key] = event.status, event.conditions
            case ObjectDeleted():
                self._delete(event)
            case _:
                self._follow(event)

    def _begin(self, history: PodHistory) -> None:
        self.pods[history.pod] = history
        self._of_owner.setdefault(_with_namespace(history.pod, history.owner), {})[history.pod] = None

    def _follow(self, event: AnyEvent) -> None:
        """Take an event about one pod."""
        history = self.pods.get(getattr(event, "pod", ""))
        if history is None:
            return
        match event:
            case PodBound():
                history.node, history.message = event.node, ""
            case SchedulingFailed():
                history.message = event.message
            case PodReadinessChanged():
                history.ready = event.ready
            case PodFinished():
                history.ready = False
            case PodDeletionRequested():
                self._depart(event.pod, Act(self._now, event.by, event.because))
            case VictimEvicted():
                values: dict[str, str | int | float] = {"preemptor": event.preemptor}
                self._depart(event.pod, Act(self._now, "default-scheduler", Because("preempted", values)))

    def _delete(self, event: ObjectDeleted) -> None:
        if event.kind != "Pod":
            self._workloads.pop((event.kind, event.namespace, event.name), None)
            return
        history = self.pods.get(f"{event.namespace}/{event.name}")
        if history is not None:
            history.gone = True
            self._depart(history.pod, Act(self._now, event.by, event.because))

    def _depart(self, key: PodKey, act: Act) -> None:
        history = self.pods[key]
        if history.deleted is None:
            history.deleted = self.deletions[key] = act
            self._departed.setdefault(_with_namespace(key, history.owner), []).append(key)

    def _replace(self, key: PodKey, owner: str) -> None:
        waiting = self._departed.get(_with_namespace(key, owner)) if owner else None
        if waiting:
            earlier = key if key in waiting else waiting[0]
            waiting.remove(earlier)
            self.made[earlier] = key

    def find(self, name: str) -> PodKey | None:
        """Return the pod with this owner and number ("web@1/0", "shop/web@1/0"); None if there is none."""
        for history in self.pods.values():
            if history.called and name in (history.called, f"{history.pod.partition('/')[0]}/{history.called}"):
                return history.pod
        return None

    def pods_of(self, kind: str, name: str) -> list[PodKey]:
        """Return the existing pods of the workloads with this name; `kind` "": of any kind."""
        keys = [key for key in self._workloads if key[2] == name and kind in ("", key[0])]
        return list(dict.fromkeys(history.pod for key in keys for history in self._pods_of(key) if not history.gone))

    def incomplete_rollout_of(self, pod: PodKey) -> IncompleteRollout | None:
        """Return the incomplete rollout of the pod's workload; None if it is complete or there is no workload."""
        namespace, owner = pod.partition("/")[0], self.pods[pod].owner
        while owner:
            kind, _, name = owner.partition("/")
            key = kind, namespace, name
            workload = self._workloads.get(key)
            if workload is None:
                return None
            if kind in ROLLED_OUT:
                reasons = list(self._reasons(key, workload))
                return IncompleteRollout(f"{kind} {namespace}/{name}", reasons) if reasons else None
            owner = workload.owner
        return None

    def incomplete_rollouts(self) -> Iterator[IncompleteRollout]:
        """Yield the workloads whose rollout is incomplete, with the reasons."""
        for key, workload in self._workloads.items():
            if key[0] in ROLLED_OUT and (reasons := list(self._reasons(key, workload))):
                yield IncompleteRollout(f"{key[0]} {key[1]}/{key[2]}", reasons)

    def _reasons(self, key: ObjectName, workload: WorkloadState) -> Iterator[Message]:
        numbers = self._statuses.get(key)
        if numbers is None or _is_complete(key[0], numbers, workload.size):
            return
        if workload.paused:
            yield Message("It is paused: nothing is rolled out before it is resumed.")
        for condition in self._conditions.get(key, ()):
            if (condition.type, condition.status) in (("Progressing", "False"), ("ReplicaFailure", "True")):
                yield Message("{reason}: {message}", reason=condition.reason, message=condition.message)
        unready = [history for history in self._pods_of(key) if not history.gone and not history.ready]
        for history in unready[:MAX_PODS]:
            yield _unready_words(history)
        if len(unready) > MAX_PODS:
            yield Message("And {n} more of its pods.", n=len(unready) - MAX_PODS)

    def _pods_of(self, key: ObjectName) -> Iterator[PodHistory]:
        owners = {_with_namespace(f"{key[1]}/", f"{key[0]}/{key[2]}")}
        owners |= {
            _with_namespace(f"{namespace}/", f"{kind}/{name}")
            for (kind, namespace, name), state in self._workloads.items()
            if namespace == key[1] and state.owner == f"{key[0]}/{key[2]}"
        }
        for owner in sorted(owners):
            yield from (self.pods[pod] for pod in self._of_owner.get(owner, ()))


def _with_namespace(key: PodKey, owner: str) -> str:
    return f"{key.partition('/')[0]} {owner}" if owner else key


def _is_complete(kind: str, numbers: dict[str, int | str], size: int | None) -> bool:
    """Return whether all desired pods are updated and ready, and there are no other pods (not known of a DaemonSet)."""
    if kind == "DaemonSet":
        wanted = numbers.get("desiredNumberScheduled", 0)
        return all(numbers.get(name, 0) == wanted for name in ("updatedNumberScheduled", "numberReady"))
    names = ("replicas", "updatedReplicas", "readyReplicas")
    return all(numbers.get(name, 0) == (size or 0) for name in names)


def _unready_words(history: PodHistory) -> Message:
    if history.deleted is not None:
        return Message("{pod} is Terminating on {node}.", pod=history.pod, node=history.node or "-")
    if not history.node:
        return Message("{pod} has no node: {message}", pod=history.pod, message=history.message or "-")
    return Message("{pod} is not ready on {node}.", pod=history.pod, node=history.node)


def creation_words(history: PodHistory) -> Message:
    """Return a sentence with the time, actor and cause of a pod's creation, or that it existed from the start."""
    if history.made is None:
        return Message("It existed as the run began.")
    return _words_of(history.made, Message("made it"))


def deletion_words(history: PodHistory) -> Message | None:
    """Return a sentence with the time, actor and cause of a pod's deletion; None if it was not deleted."""
    return None if history.deleted is None else _words_of(history.deleted, Message("deleted it"))


def _words_of(act: Act, did: Message) -> Message:
    values = {"at": f"{act.at:g}", "who": act.by or "kubectl", "did": did}
    if act.because is None:
        return Message("At {at} s {who} {did}.", **values)
    return Message("At {at} s {who} {did}: {why}.", **values, why=sentence(act.because))
