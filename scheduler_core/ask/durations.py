"""Divides the time of each pod of a run, from its creation until it is ready, into parts by cause.

durations = Durations()
for step, event in enumerate(simulate(scenario)):
    durations.take(step, event)
"""

from __future__ import annotations

from typing import Literal

import msgspec

from scheduler_core.apis.core import PodKey
from scheduler_core.ask.refused_pods import Refusal, RefusedPods
from scheduler_core.framework.cluster_event import (
    BACKOFF_COMPLETE,
    FORCE_ACTIVATE,
    SCHEDULE_ATTEMPT_FAILURE,
    UNSCHEDULABLE_TIMEOUT,
)
from scheduler_core.trace.autoscaling_events import NodeGroupResized
from scheduler_core.trace.controller_events import PodFinished, PodReadinessChanged, PodStarted
from scheduler_core.trace.events import (
    AnyEvent,
    ClockAdvanced,
    CycleStarted,
    ObjectApplied,
    ObjectDeleted,
    PermitDecided,
    PermitEvaluated,
    PodAssumed,
    PodBound,
    PodEnqueued,
    PodGated,
    PodIgnored,
    RunFinished,
    RunStarted,
    SchedulingFailed,
)
from scheduler_core.trace.preemption_events import VictimEvicted
from scheduler_core.trace.summaries import pods_of

Cause = Literal[
    "quota",  # its controller could not create it: the API server refused it because of a ResourceQuota
    "activeQ",
    "backoffQ",
    "unschedulable",  # until an event that a plugin asked for, or the flush
    "node",  # unschedulable while a node that an autoscaler asked for boots
    "victims",  # unschedulable while the victims on its nominated node stop
    "gated",
    "ignored",  # no profile has its schedulerName
    "permit",
    "binding",
    "starting",  # its containers
    "not ready",  # its containers run
]
End = Literal["ready", "bound", "deleted", "Succeeded", "Failed", "waiting"]
MAX_AHEAD = 20
OF_THE_QUEUE = (BACKOFF_COMPLETE, SCHEDULE_ATTEMPT_FAILURE, UNSCHEDULABLE_TIMEOUT.label, FORCE_ACTIVATE.label)


class Part(msgspec.Struct):
    """A part of a pod's time, from `start` to `end` virtual seconds; `step` is the step at which it begins.

    `attempt` is the pod's last attempt; `message` is that of the scheduler or the gate; `node` is the nominated node,
    the pod's node, or the node that boots. `until` is the cluster event that ended the part, with the changed object.
    `ahead` are the pods that the scheduler tried while the pod was in activeQ, at most MAX_AHEAD of `ahead_count`.
    """

    cause: Cause
    start: float
    end: float
    step: int
    attempt: int = 0
    message: str = ""
    node: str = ""
    until: str = ""
    ahead: list[PodKey] = []
    ahead_count: int = 0


class Duration(msgspec.Struct):
    """The time of a pod, from `begin` to `end` virtual seconds: the sum of its parts.

    It begins when the pod was created, or when a quota first kept its controller from creating it; a pod that was
    never created has the name that was refused last. `ended` is the reason for the end. "bound": the run has no
    kubelet, so a bound pod does not become ready; "waiting": the run ended before the pod was ready. Parts that took no
    time are left out.
    """

    pod: PodKey
    begin: float
    end: float = 0.0
    ended: End = "waiting"
    parts: list[Part] = []

    @property
    def seconds(self) -> float:
        """Return the virtual seconds from the beginning to the end."""
        return self.end - self.begin


class Durations:
    """The durations of a run's pods. `of`: the pods that were pending at the start or created without a node later.

    Of several pods with the same name, it has the last.
    """

    def __init__(self) -> None:
        self.of: dict[PodKey, Duration] = {}
        self.called: dict[PodKey, str] = {}  # for pods of controllers: owner and number, such as web@1/2
        self._open: dict[PodKey, Part] = {}
        self._failed: dict[PodKey, SchedulingFailed] = {}
        self._attempts: dict[PodKey, int] = {}
        self._tried: list[PodKey] = []  # the pod of each attempt
        self._behind: dict[PodKey, tuple[int, int | None]] = {}  # the slice of `_tried` while the pod was in activeQ
        self._refused = RefusedPods()
        self._asked: dict[str, float] = {}  # when an autoscaler asked for a NodeClaim or more of a node group
        self._asked_by_node: dict[str, float] = {}  # when an autoscaler asked for a node that has booted since
        self._changed = "", ""  # kind and name of the object that changed last at this time
        self._kubelets = False
        self._now = 0.0
        self._step = 0

    def take(self, step: int, event: AnyEvent) -> None:
        """Take the event of this step of the run."""
        self._step = step
        refusal = self._refused.take(step, self._now, event)
        match event:
            case RunStarted():
                for pod in pods_of(event):
                    if not pod.node:
                        self._create(pod.pod)
            case ClockAdvanced():
                self._now, self._changed = event.time, ("", "")
            case ObjectApplied():
                self._apply(event, refusal)
            case ObjectDeleted():
                key = f"{event.namespace}/{event.name}" if event.namespace else event.name
                self._changed = event.kind, key
                if event.kind == "Pod":
                    self._finish(key, "deleted")
            case NodeGroupResized(group=group, delta=delta) if delta > 0:
                self._asked[group] = self._now
            case RunFinished():
                self._now = event.time
                for key in list(self._open):
                    self._finish(key, "waiting")
                for key, refused in self._refused.never_created(self._now):
                    if refused.since < self._now:
                        self.of[key] = Duration(key, refused.since, self._now, parts=[self._quota_part(refused)])
            case PodFinished() | VictimEvicted():
                self._follow(event)
                self._changed = "Pod", event.pod
            case _:
                self._follow(event)

    def _apply(self, event: ObjectApplied, refusal: Refusal | None) -> None:
        key = f"{event.namespace}/{event.name}" if event.namespace else event.name
        self._changed = event.kind, key
        if event.action == "update":
            return
        match event.kind:
            case "Pod" if event.pod is not None and not event.pod.node:
                self._create(key, refusal)
                if event.called:
                    self.called[key] = event.called
            case "NodeClaim":
                self._asked[key] = self._now
            case "Node":
                group = event.because.values.get("group", "") if event.because is not None else ""
                asked = self._asked.get(key, self._asked.get(str(group)))
                if asked is not None:
                    self._asked_by_node[key] = asked

    def _follow(self, event: AnyEvent) -> None:
        """Take an event about one pod."""
        key = getattr(event, "pod", "")
        part = self._open.get(key)
        if isinstance(event, CycleStarted):
            if (behind := self._behind.get(key)) is not None:
                self._behind[key] = behind[0], len(self._tried)
            self._tried.append(key)
        if part is None:
            return
        match event:
            case CycleStarted():
                self._attempts[key] = event.pod_attempts
            case SchedulingFailed():
                self._failed[key] = event
            case PodEnqueued():
                self._enqueue(key, event)
            case PodGated():
                self._enter(key, "gated", event.event, message=event.message)
            case PodIgnored():
                self._enter(key, "ignored", message=event.scheduler)
            case PodAssumed():
                self._enter(key, "binding", node=event.node)
            case PermitEvaluated(code="Wait"):
                self._enter(key, "permit", node=event.node)
            case PermitDecided():
                self._enter(key, "binding", node=part.node)
            case PodBound():
                self._enter(key, "starting", node=event.node)
            case PodStarted():
                self._kubelets = True
                self._enter(key, "not ready", node=part.node)
            case PodReadinessChanged(ready=True):
                self._finish(key, "ready")
            case PodFinished():
                self._finish(key, "Succeeded" if event.phase == "Succeeded" else "Failed")

    def _enqueue(self, key: PodKey, event: PodEnqueued) -> None:
        failed = self._failed.get(key)
        if event.queue == "active":
            self._enter(key, "activeQ", event.event)
        elif failed is not None and failed.nominated_node and event.queue == "unschedulable":
            self._enter(key, "victims", event.event, message=failed.message, node=failed.nominated_node)
        else:
            cause: Cause = "backoffQ" if event.queue == "backoff" else "unschedulable"
            self._enter(key, cause, event.event, message=failed.message if failed is not None else "")

    def _create(self, key: PodKey, refusal: Refusal | None = None) -> None:
        self._finish(key, "deleted")
        self.of[key] = Duration(key, self._now)
        if refusal is not None and refusal.since < self._now:
            self.of[key] = Duration(key, refusal.since, parts=[self._quota_part(refusal)])
        self._open[key] = Part("activeQ", self._now, self._now, self._step)
        self._behind[key] = len(self._tried), None
        self._failed.pop(key, None)
        self._attempts.pop(key, None)

    def refused(self, name: str) -> list[PodKey]:
        """Return, after the run, a pod of the workload ("web", "shop/web", "deployment/web") for each controller that
        lacks pods: the one that was refused last and never created.
        """
        refused = [key for key, duration in self.of.items() if duration.parts and duration.parts[-1].cause == "quota"]
        return [key for key in refused if name in self._refused.names_of_owners(key)]

    def _quota_part(self, refusal: Refusal) -> Part:
        return Part("quota", refusal.since, self._now, refusal.step, message=refusal.reason)

    def _enter(self, key: PodKey, cause: Cause, event: str = "", *, message: str = "", node: str = "") -> None:
        """End the pod's part because of the cluster event, if one is named, and begin the next one."""
        self._close(key, event)
        self._behind.pop(key, None)
        if cause == "activeQ":
            self._behind[key] = len(self._tried), None
        attempt = self._attempts.get(key, 0)
        self._open[key] = Part(cause, self._now, self._now, self._step, attempt, message, node)

    def _finish(self, key: PodKey, ended: End) -> None:
        part = self._open.get(key)
        if part is None:
            return
        duration = self.of[key]
        if part.cause == "starting" and ended == "waiting" and not self._kubelets:
            duration.end, duration.ended = part.start, "bound"
        else:
            self._close(key, "")
            duration.end, duration.ended = self._now, ended
        del self._open[key]

    def _close(self, key: PodKey, event: str) -> None:
        part = self._open[key]
        if part.start == self._now:
            return
        kind, name = self._changed
        part.end = self._now
        part.until = f"{event} {name}" if event and kind and event not in OF_THE_QUEUE else event
        if (behind := self._behind.get(key)) is not None:
            ahead = list(dict.fromkeys(self._tried[behind[0] : behind[1]]))
            part.ahead, part.ahead_count = ahead[:MAX_AHEAD], len(ahead)
        parts = self.of[key].parts
        asked = self._asked_by_node.get(name) if kind == "Node" and part.cause == "unschedulable" else None
        if asked is not None and asked < self._now:
            if asked > part.start:
                parts.append(msgspec.structs.replace(part, end=asked, until=""))
            part.cause, part.start, part.node = "node", max(asked, part.start), name
        parts.append(part)
