"""The kubelets, simulated by rules: when pods run, become ready, end and stop.

A bound pod runs after `spec.kubelet.startSeconds` and is ready `readySeconds` later, unless its annotations specify
other times. A terminating pod stops after `Pod.termination_seconds`, in phase Failed with exit code 143, and its object
is removed. A kubelet that is lost does nothing until it returns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Literal

from msgspec.structs import replace

from scheduler_core.apis.core import Pod, PodKey
from scheduler_core.apis.selectors import parse_int64
from scheduler_core.cluster.statuses import PodStatus
from scheduler_core.controllers.api import Api
from scheduler_core.controllers.causes import because
from scheduler_core.controllers.kubelet_admission import refusal_of
from scheduler_core.controllers.resize import Resizes
from scheduler_core.scenario.objects.workloads import amount, parse_indexes
from scheduler_core.scenario.types import KubeletTimes
from scheduler_core.trace.controller_events import PodReadinessChanged, PodRestarted, PodStarted

NAME = "kubelet"
PREFIX = "kschedui.io/"
FIRST_BACKOFF, LONGEST_BACKOFF = 10.0, 300.0  # kubelet.go: backOffPeriod, MaxContainerBackOff
RESET_AFTER = 600.0  # after a container has run for longer than this, its back-off starts again at FIRST_BACKOFF
WATCH_SECONDS = 0.1  # to the kubelet and back, where it takes time: recorded 0.02 to 0.45 s
MAX_APART = 10  # up to this many pods of one moment are handled one by one; controllers coalesce larger numbers
TERMINATED, KILLED = 143, 137  # 128 + SIGTERM, 128 + SIGKILL
Later = Callable[[float, Callable[[], None]], None]


class Kubelets:
    """All kubelets. `later(seconds, action)` runs an action later; actions of the same moment run together.

    `settle` lets controllers react in between.
    """

    def __init__(self, api: Api, times: KubeletTimes, later: Later, settle: Callable[[], None]) -> None:
        self._api = api
        self._settle = settle
        self._latency = WATCH_SECONDS if times.start_seconds > 0 else 0.0
        self._times = times
        self._later = later
        self._due: dict[float, list[tuple[Callable[[Pod], None], PodKey, str]]] = {}
        self._held: dict[str, dict[tuple[PodKey, str], Callable[[Pod], None]]] = {}  # of lost nodes
        self._backoff: dict[PodKey, float] = {}
        self.resizes = Resizes(api, self._latency, self._after, self._restart_for_resize)
        self._unchecked: set[PodKey] = set()  # pods that name their node and have not started

    def bound(self, pod: Pod, *, names_node: bool = False) -> None:
        """Start a pod that was bound to its node. `names_node`: no scheduler bound it, so that it may not fit."""
        if names_node:
            self._unchecked.add(pod.key)
        wait = self._number(pod, "start-seconds", self._times.start_seconds)
        self._after(wait + self._latency, self._start, pod)

    def running(self, pod: Pod) -> None:
        """Take over a pod that is already running when the scenario begins."""
        if self._api.status(pod).deletion_requested is not None:
            self.deletion_requested(pod)
        else:
            self._end_later(pod)

    def deletion_requested(self, pod: Pod) -> None:
        """Stop a pod once its containers have ended, at the latest when its grace period is over."""
        status = self._api.status(pod)
        self._after(min(pod.termination_seconds, status.grace) + self._latency, self._stop, pod)

    def mirror(self, pod: Pod) -> None:
        """Recreate the mirror pod of a static pod, as long as its node exists and is not lost (pod_workers.go)."""
        if self._api.cluster.node(pod.node_name) is None or pod.node_name in self._held:
            return
        manifest = {**pod.manifest, "metadata": {**pod.manifest["metadata"]}}
        for field in ("uid", "creationTimestamp", "deletionTimestamp"):
            manifest["metadata"].pop(field, None)
        self._api.recreate_pod(manifest, because("static-pod", node=pod.node_name))

    def lost(self, node_name: str) -> None:
        """Stop acting for a node."""
        self._held.setdefault(node_name, {})

    def recovered(self, node_name: str) -> None:
        """Resume the actions that were held back; running pods are ready again a second later."""
        for (key, _), act in list(self._held.pop(node_name, {}).items()):
            self._run(act, key)
        for pod, status in self._api.pods_on(node_name):
            if status.phase == "Running" and not status.ready:
                self._after(1.0, self._become_ready, pod)

    def set_ready(self, pod: Pod, ready: bool) -> None:
        """Report whether the containers of a running pod are ready."""
        status = self._api.status(pod)
        if status.phase != "Running" or status.ready == ready:
            return
        self._api.set_status(pod, replace(status, ready=ready, ready_since=self._api.second))
        self._api.emit(PodReadinessChanged(pod.key, ready))

    def finish(self, pod: Pod, exit_code: int) -> None:
        """End the containers of a pod, which are then restarted if its restartPolicy says so."""
        if self._api.status(pod).phase in ("Pending", "Running"):
            self._end(pod, exit_code)

    def evict_under_pressure(self, node_name: str, resource: str, usage: Mapping[str, Any], reclaim: Any) -> None:
        """Evict pods of a node: those that use more than they request first, then by priority, then by the excess.

        kubelet: pkg/kubelet/eviction/helpers.go, rankMemoryPressure. `usage` is by the pods' names, in the trace or
        their own; other pods use what they request. It ends when `reclaim` has been freed, without it after one pod.
        """
        name = {"disk": "ephemeral-storage"}.get(resource, resource)
        pods = [owned for owned in self._api.pods_on(node_name) if owned[1].phase == "Running"]

        def used(pod: Pod, status: PodStatus) -> int:
            given = usage.get(status.called, usage.get(pod.name))
            return pod.requests.get(name, 0) if given is None else amount(name, given)

        def rank(owned: tuple[Pod, PodStatus]) -> tuple[bool, int, int]:
            pod, status = owned
            excess = used(pod, status) - pod.requests.get(name, 0)
            return excess <= 0, pod.priority, -excess

        needed = amount(name, reclaim) if reclaim is not None else 1
        for pod, status in sorted(pods, key=rank):
            if needed <= 0:
                return
            needed -= max(used(pod, status), 1 if reclaim is None else 0)
            self._api.set_disruption_target(pod, "TerminationByKubelet")
            self._api.finish_pod(self._api.pod(pod.key) or pod, "Failed", by=NAME, exit_code=KILLED, reason="Evicted")

    # Timed actions

    def _start(self, pod: Pod) -> None:
        status = self._api.status(pod)
        if status.phase != "Pending" or status.deletion_requested is not None:
            return
        if pod.key in self._unchecked:
            self._unchecked.discard(pod.key)
            if (refusal := refusal_of(pod, self._api)) is not None:
                self._reject(pod, *refusal)
                return
        wait = self._number(pod, "ready-after-seconds", self._times.ready_seconds)
        never = pod.annotations.get(PREFIX + "ready") == "false"
        ready = not never and wait == 0
        second = self._api.second
        self._api.set_status(
            pod, replace(status, phase="Running", running_since=self._api.now, ready=ready, ready_since=second)
        )
        self._api.emit(PodStarted(pod.key))
        if ready:
            self._api.emit(PodReadinessChanged(pod.key, True))
        elif not never:
            self._after(wait, self._become_ready, pod)
        self._end_later(pod)

    def _reject(self, pod: Pod, reason: str, message: str) -> None:
        """Fail a pod that is not admitted (rejectPod)."""
        self._api.record(pod, reason, message, "Warning", NAME)
        self._api.finish_pod(pod, "Failed", by=NAME, reason=reason)

    def _become_ready(self, pod: Pod) -> None:
        if self._api.status(pod).deletion_requested is None and pod.annotations.get(PREFIX + "ready") != "false":
            self.set_ready(pod, True)

    def _end_later(self, pod: Pod) -> None:
        if PREFIX + "run-seconds" not in pod.annotations:
            return
        code = self._exit_code(pod)
        if code == 0 and _restart_policy(pod) == "Always":
            return
        self._after(self._number(pod, "run-seconds", 0.0), self._end_by_itself, pod)

    def _end_by_itself(self, pod: Pod) -> None:
        status = self._api.status(pod)
        if status.phase == "Running" and status.deletion_requested is None:
            self._end(pod, self._exit_code(pod))

    def _end(self, pod: Pod, code: int) -> None:
        policy = _restart_policy(pod)
        if policy == "Never" or (policy == "OnFailure" and code == 0):
            phase: Literal["Succeeded", "Failed"] = "Failed" if code else "Succeeded"
            self._api.finish_pod(pod, phase, by=NAME, exit_code=code)
            return
        self._restart(pod, code)

    def _restart(self, pod: Pod, code: int) -> None:
        """Restart the containers: at once, then after a backoff of 10 s that doubles up to 5 min (CrashLoopBackOff).

        After they ran for longer than RESET_AFTER, at once again (client-go's `Backoff.hasExpired`).
        """
        status = self._api.status(pod)
        ran = self._api.now - (status.running_since or 0.0)
        before = self._backoff.get(pod.key, 0.0)
        wait = 0.0 if ran > RESET_AFTER else before
        self._backoff[pod.key] = min(max(2 * wait, FIRST_BACKOFF), LONGEST_BACKOFF)
        if status.ready:
            self.set_ready(pod, False)
        status = self._api.status(pod)
        self._api.set_status(pod, replace(status, restarts=status.restarts + 1))
        self._api.emit(PodRestarted(pod.key, code, status.restarts + 1, self._api.now + wait))
        self._after(wait, self._run_again, pod)

    def _restart_for_resize(self, pod: Pod) -> None:
        """Restart the containers immediately, as their resizePolicy requires."""
        self.set_ready(pod, False)
        status = self._api.status(pod)
        self._api.set_status(pod, replace(status, restarts=status.restarts + 1))
        self._api.emit(PodRestarted(pod.key, TERMINATED, status.restarts + 1, self._api.now))
        self._after(0.0, self._run_again, pod)

    def _run_again(self, pod: Pod) -> None:
        status = self._api.status(pod)
        if status.phase != "Running" or status.deletion_requested is not None:
            return
        self._api.set_status(pod, replace(status, running_since=self._api.now))
        self._after(self._number(pod, "ready-after-seconds", self._times.ready_seconds), self._become_ready, pod)
        self._end_later(pod)

    def _stop(self, pod: Pod) -> None:
        status = self._api.status(pod)
        if status.phase not in ("Succeeded", "Failed"):
            self._api.finish_pod(pod, "Failed", by=NAME, exit_code=TERMINATED)
            self._after(0.0, self._remove, pod)
        else:
            self._remove(pod)

    def _remove(self, pod: Pod) -> None:
        self._api.remove_pod(pod, because("stopped"), by=NAME)

    # Time

    def _after(self, seconds: float, act: Callable[[Pod], None], pod: Pod) -> None:
        """Call `act` with the pod after some seconds, if it still exists then."""
        time = self._api.now + seconds
        if time not in self._due:
            self._due[time] = []
            self._later(seconds, lambda: self._run_due(time))
        self._due[time].append((act, pod.key, pod.uid))

    def _run_due(self, time: float) -> None:
        due = self._due.pop(time, ())
        apart = self._latency > 0 and len(due) <= MAX_APART
        for act, key, uid in due:
            pod = self._api.pod(key)
            if pod is None or pod.uid != uid:
                continue
            held = self._held.get(pod.node_name)
            if held is None:
                act(pod)
                if apart or self._api.failing:
                    self._settle()
            else:
                held[key, act.__name__] = act

    def _run(self, act: Callable[[Pod], None], key: PodKey) -> None:
        pod = self._api.pod(key)
        if pod is not None:
            act(pod)

    def _number(self, pod: Pod, annotation: str, default: float) -> float:
        """Return the number in an annotation, at least 0; the default without one or with an invalid one."""
        try:
            number = float(pod.annotations[PREFIX + annotation])
        except (KeyError, ValueError):
            return default
        return max(number, 0.0) if math.isfinite(number) else default

    def _exit_code(self, pod: Pod) -> int:
        status: PodStatus = self._api.status(pod)
        if _numbers(pod, "exit-ordinals") is not None:
            return int(status.number in _numbers(pod, "exit-ordinals"))
        if (indexes := _numbers(pod, "exit-indexes")) is not None:
            return int(parse_int64(pod.annotations.get("batch.kubernetes.io/job-completion-index", "")) in indexes)
        return int(self._number(pod, "exit-code", 0.0))


def _numbers(pod: Pod, annotation: str) -> Any:
    text = pod.annotations.get(PREFIX + annotation)
    return None if text is None else parse_indexes(text)


def _restart_policy(pod: Pod) -> str:
    return (pod.manifest.get("spec") or {}).get("restartPolicy") or "Always"
