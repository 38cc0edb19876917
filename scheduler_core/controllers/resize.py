"""In-place resize of pods: the API server's checks, and the kubelets' allocation (pkg/kubelet/allocation).

A pod has three amounts: its spec (desired), what its kubelet has allocated, and what its containers have (actual). The
scheduler counts the largest of them; without the desired one if the kubelet has found it infeasible
(component-helpers/resource/helpers.go: determineEffectiveRequests). They are in the pod's manifest as in the API:
`status.containerStatuses[].allocatedResources` and `resources`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from scheduler_core.apis.container_resources import amounts, is_sidecar, requests_or_limits
from scheduler_core.apis.core import Node, Pod, PodKey
from scheduler_core.apis.qos import QOS, qos_class
from scheduler_core.controllers.admission import AdmissionRefused
from scheduler_core.controllers.api import Api
from scheduler_core.controllers.causes import because
from scheduler_core.controllers.kubelet_admission import MIRROR, refusal_of
from scheduler_core.releases import Release
from scheduler_core.scenario.objects.pods import request_fields
from scheduler_core.scenario.reading.problems import Problems
from scheduler_core.trace.controller_events import PodConditionSet
from scheduler_core.trace.records import Because, ConditionState

GATE = "InPlacePodVerticalScaling"
PENDING, IN_PROGRESS = "PodResizePending", "PodResizeInProgress"
DEFERRED, INFEASIBLE = "Deferred", "Infeasible"
RESIZABLE = ("cpu", "memory")
RETRY_SECONDS = 180.0  # allocation_manager.go: retryDelay
# kubelet.go syncs each pod again after 60 to 90 s (pod_workers.go: workerResyncIntervalJitterFactor).
SYNC_SECONDS = 75.0
Manifest = Mapping[str, Any]
Resources = dict[str, Manifest]  # resources of containers, by name
After = Callable[[float, Callable[[Pod], None], Pod], None]


# The API server


def changes_resources(old: Pod, manifest: Manifest) -> bool:
    """Return whether a new manifest changes the resources of the pod."""
    return bool(_comparable_spec(_spec(old.manifest)) != _comparable_spec(_spec(manifest)))


def check_resize(old: Pod, manifest: Manifest, node: Node | None, release: Release) -> None:
    """Require that the resize of a pod is valid (validation.go: ValidatePodResize, admission/podresize).

    Raises AdmissionRefused.
    """
    before, after = _spec(old.manifest), _spec(manifest)
    invalid = f'Pod "{old.name}" is invalid: spec'
    if not release.has_on(GATE):
        raise AdmissionRefused(
            f"{invalid}: Forbidden: pod updates may not change fields other than `spec.containers[*].image`"
        )
    if MIRROR in old.annotations:
        raise AdmissionRefused(f'Pod "{old.name}" is invalid: Forbidden: static pods cannot be resized')
    if before.get("resources") or after.get("resources"):
        raise AdmissionRefused(f"{invalid}: Forbidden: resize of pods with pod-level resources is not simulated")
    if qos_class(before) != qos_class(after):
        text = "Pod QOS Class may not change as a result of resizing"
        raise AdmissionRefused(f'{invalid}: Invalid value: "{qos_class(after)}": {text}')
    for field in ("containers", "initContainers"):
        _check_containers(before.get(field) or (), after.get(field) or (), f"{invalid}.{field}", field)
    if release.rules.resizes_larger_than_the_node_are_refused and node is not None:
        wanted = request_fields(after, {}, Problems(), release)["requests"]
        over = [
            f"{name}, requested: {wanted[name]}, allocatable: {node.allocatable.get(name, 0)}"
            for name in RESIZABLE
            if wanted.get(name, 0) > node.allocatable.get(name, 0)
        ]
        if over:
            text = f"node didn't have enough allocatable resources: {'; '.join(over)}"
            raise AdmissionRefused(f'pods "{old.name}" is forbidden: {text}')


def _check_containers(before: Any, after: Any, prefix: str, field: str) -> None:
    for index, (old, new) in enumerate(zip(before, after, strict=False)):
        for kind in ("requests", "limits"):
            old_amounts, new_amounts = ((entry.get("resources") or {}).get(kind) or {} for entry in (old, new))
            if set(old_amounts) - set(new_amounts):
                text = f"resource {kind} cannot be removed"
                raise AdmissionRefused(f"{prefix}[{index}].resources.{kind}: Forbidden: {text}")
            changed = {
                name
                for name in new_amounts
                if amounts({name: new_amounts[name]}) != amounts({name: old_amounts.get(name)})
            }
            if changed - set(RESIZABLE):
                raise AdmissionRefused(f"{prefix}: Forbidden: only cpu and memory resources are mutable")
            if changed and field == "initContainers" and not is_sidecar(old):
                raise AdmissionRefused(f"{prefix}: Forbidden: resources for non-sidecar init containers are immutable")


def with_actual_resources(pod: Pod) -> Pod:
    """Return the pod with its containers' resources in its status, as a kubelet reports them for a running pod."""
    has = {entry.get("name") for entry in _entries(_status(pod)) if entry.get("resources") is not None}
    desired = {name: resources for name, resources in _resources(pod).items() if name not in has}
    return _with_status(pod, desired, desired)


# The kubelets


class Pending(msgspec.Struct):
    """A resize that the kubelet has not allocated. `since`: when the condition was set; `tried`: the time of the last
    try.
    """

    node_name: str
    since: float
    tried: float


class Resizes:
    """The resizes of all kubelets. `after(seconds, act, pod)` acts later; `restart` restarts a pod's containers."""

    def __init__(self, api: Api, latency: float, after: After, restart: Callable[[Pod], None]) -> None:
        self._api = api
        self._latency = latency
        self._after = after
        self._restart = restart
        self._rules = api.release.rules
        self._allocated: dict[str, Resources] = {}  # by uid of a pod, where it may differ from the spec
        self._pending: dict[PodKey, Pending] = {}

    def take_over(self, pod: Pod) -> None:
        """Continue a resize that was in progress when the scenario began (BackfillPodResizeConditions)."""
        entries = list(_entries(_status(pod)))
        if not any(entry.get("allocatedResources") for entry in entries):
            return
        allocated: Resources = {}
        for entry in entries:
            resources = entry.get("resources") or {}
            requests = {**(resources.get("requests") or {}), **(entry.get("allocatedResources") or {})}
            allocated[entry.get("name") or ""] = {**resources, "requests": requests}
        if _comparable_amounts(allocated) != _comparable_amounts(_resources(pod)):
            self._allocated[pod.uid] = allocated
            self.sync(pod)

    def request(self, old: Pod, new: Pod) -> None:
        """Start a resize that the API server has admitted; the kubelet receives it after its latency."""
        self._allocated.setdefault(new.uid, _resources(old))
        self._after(self._latency, self.sync, new)

    def sync(self, pod: Pod) -> None:
        """Allocate a pod's desired resources, or mark the resize as pending (HandlePodUpdates)."""
        if _comparable_amounts(self._allocated[pod.uid]) == _comparable_amounts(_resources(pod)):
            self._pending.pop(pod.key, None)  # the resize was reverted
            self._clear_condition(pod, PENDING)
            return
        self._pending[pod.key] = Pending(pod.node_name, self._api.now, self._api.now)
        if self._rules.deferred_resizes_wait_in_one_queue:
            self._retry(pod.node_name)
        else:
            self._try(pod)

    def room_changed(self, pod: Pod, *, finished: bool = False) -> None:
        """Retry the pending resizes of a node, because this pod has left it or shrunk.

        Kubelets that do not check immediately do so in their next period.
        """
        if not any(entry.node_name == pod.node_name for entry in self._pending.values()):
            return
        if self._rules.deferred_resizes_wait_in_one_queue:
            if not finished or self._rules.finished_pods_make_room_for_resizes:
                self._retry(pod.node_name)
                return
            latest = max(entry.tried for entry in self._pending.values() if entry.node_name == pod.node_name)
            first = next(key for key, entry in self._pending.items() if entry.node_name == pod.node_name)
            self._later(first, latest, RETRY_SECONDS, lambda waiting: self._retry(waiting.node_name))
            return
        for key, entry in self._pending.items():
            if entry.node_name == pod.node_name:
                self._later(key, entry.tried, SYNC_SECONDS, self._try)

    def _later(self, key: PodKey, since: float, period: float, act: Callable[[Pod], None]) -> None:
        waiting = self._api.pod(key)
        if waiting is not None:
            periods = math.floor((self._api.now - since) / period) + 1
            self._after(since + periods * period - self._api.now, act, waiting)

    def _retry(self, node_name: str) -> None:
        """Try the pending resizes of a node in their order (retryPendingResizes)."""
        pods = [self._api.pod(key) for key, entry in self._pending.items() if entry.node_name == node_name]
        for pod in sorted(filter(None, pods), key=self._order):
            self._try(pod)

    def _order(self, pod: Pod) -> tuple[bool, int, int, float]:
        """Return a sort key: resizes that increase nothing first, then by priority, QoS class and age.

        As sortPendingResizes does.
        """
        old, new = self.requests_of(pod), self._desired(pod).requests
        increasing = any(new.get(name, 0) > old.get(name, 0) for name in RESIZABLE)
        since = self._pending[pod.key].since
        if not increasing:
            return False, 0, 0, since
        return True, -pod.priority, -QOS.index(qos_class(_spec(pod.manifest))), since

    def _try(self, pod: Pod) -> None:
        """Allocate the pod's desired resources if they fit (handlePodResourcesResize)."""
        pending = self._pending.get(pod.key)
        if pending is None or self._api.status(pod).phase in ("Succeeded", "Failed"):
            self._pending.pop(pod.key, None)
            return
        pending.tried = self._api.now
        reason, message = self._refusal(self._desired(pod))
        if reason:
            if reason == INFEASIBLE:
                del self._pending[pod.key]
            if self._set_condition(pod, PENDING, reason, message):
                self._record(pod, f"Resize{reason}", f"Pod resize {reason}", message)
            return
        del self._pending[pod.key]
        self._clear_condition(pod, PENDING)
        self._allocated[pod.uid] = _resources(pod)
        self._set_condition(pod, IN_PROGRESS)
        self._record(pod, "ResizeStarted", "Pod resize started")
        self._after(self._latency, self._actuate, pod)

    def _refusal(self, desired: Pod) -> tuple[str, str]:
        """Return (reason, message) if the kubelet cannot allocate the resize now, otherwise ("", "").

        As canResizePod and canAdmitPod.
        """
        node = self._api.cluster.node(desired.node_name)
        if node is not None and not self._rules.resizes_larger_than_the_node_are_refused:
            for name in reversed(RESIZABLE):
                wanted, capacity = desired.requests.get(name, 0), node.allocatable.get(name, 0)
                if wanted > capacity:
                    text = f"{name}, requested: {wanted}, capacity: {capacity}"
                    return INFEASIBLE, f"Node didn't have enough capacity: {text}"
        refusal = refusal_of(desired, self._api, self.requests_of)
        return (DEFERRED, refusal[1]) if refusal is not None else ("", "")

    def _actuate(self, pod: Pod) -> None:
        """Set the containers' resources to the allocated ones, and report them."""
        allocated, old = self._allocated[pod.uid], pod
        restarts = _needs_restart(pod, {entry.get("name"): entry for entry in _entries(_status(pod))}, allocated)
        pod = _with_status(pod, allocated, allocated)
        pod = replace(pod, **request_fields(_spec(pod.manifest), _status(pod), Problems(), self._api.release))
        self._update(pod, because("resized"))
        self._api.pod_admission.recount(pod)
        self._clear_condition(pod, IN_PROGRESS)
        self._record(pod, "ResizeCompleted", "Pod resize completed")
        if restarts:
            self._restart(pod)
        if any(old.requests.get(name, 0) > pod.requests.get(name, 0) for name in RESIZABLE):
            self.room_changed(pod)

    def requests_of(self, pod: Pod) -> Mapping[str, int]:
        """Return the requests that a kubelet has allocated to a pod (getAllocatedPods)."""
        allocated = self._allocated.get(pod.uid)
        if allocated is None:
            return pod.requests
        spec = _with_resources(_spec(pod.manifest), allocated)
        requests: Mapping[str, int] = request_fields(spec, {}, Problems(), self._api.release)["requests"]
        return requests

    def _desired(self, pod: Pod) -> Pod:
        return replace(pod, **request_fields(_spec(pod.manifest), {}, Problems(), self._api.release))

    def _set_condition(self, pod: Pod, kind: str, reason: str = "", message: str = "") -> bool:
        """Set a condition of a pod. Return whether it is new or has another reason."""
        condition = {"type": kind, "status": "True", "reason": reason, "message": message}
        return self._write_condition(pod, kind, condition)

    def _clear_condition(self, pod: Pod, kind: str) -> None:
        self._write_condition(pod, kind, None)

    def _write_condition(self, pod: Pod, kind: str, condition: Manifest | None) -> bool:
        pod = self._api.pod(pod.key) or pod
        status = _status(pod)
        others = [entry for entry in status.get("conditions") or () if entry.get("type") != kind]
        old = next((entry for entry in status.get("conditions") or () if entry.get("type") == kind), None)
        if old == condition or (old and condition and old.get("reason") == condition["reason"]):
            return False
        status["conditions"] = others if condition is None else [*others, condition]
        fields = request_fields(_spec(pod.manifest), status, Problems(), self._api.release)
        new = replace(pod, manifest={**pod.manifest, "status": status}, **fields)
        if new.requests != pod.requests:  # an infeasible resize no longer counts
            self._update(new, because("resize-infeasible"))
        else:
            self._api.write_pod_status(new)
        shown = ConditionState(kind, "False")
        if condition is not None:
            shown = ConditionState(kind, "True", condition["reason"], condition["message"])
        self._api.emit(PodConditionSet(pod.key, shown, "kubelet"))
        return True

    def _update(self, pod: Pod, cause: Because) -> None:
        actor, self._api.actor = self._api.actor, "kubelet"
        self._api.update_pod(pod, cause)
        self._api.actor = actor

    def _record(self, pod: Pod, reason: str, prefix: str, error: str = "") -> None:
        """Record an Event with the desired resources (events/resize.go: podResizeMessage)."""
        summary: dict[str, Any] = {
            "containers": [
                {"name": container.get("name"), "resources": container.get("resources") or {}}
                for container in _spec(pod.manifest).get("containers") or ()
            ]
        }
        if error:
            summary["error"] = error
        text = json.dumps(summary, separators=(",", ":"))
        level = "Warning" if error else "Normal"
        self._api.record(pod, reason, f"{prefix}: {text}", level, "kubelet")


def _spec(manifest: Manifest) -> Manifest:
    return manifest.get("spec") or {}


def _status(pod: Pod) -> dict[str, Any]:
    return dict(pod.manifest.get("status") or {})


def _entries(status: Manifest) -> Iterator[Manifest]:
    yield from status.get("initContainerStatuses") or ()
    yield from status.get("containerStatuses") or ()


def _resizable(spec: Manifest) -> Iterator[tuple[str, Manifest]]:
    """Yield each container that can be resized, after the name of its field in the status."""
    for container in spec.get("containers") or ():
        yield "containerStatuses", container
    for container in spec.get("initContainers") or ():
        if is_sidecar(container):
            yield "initContainerStatuses", container


def _resources(pod: Pod) -> Resources:
    """Return the desired resources of a pod's containers; missing requests are the limits (SetDefaults_Pod)."""
    by_container: Resources = {}
    for _, container in _resizable(_spec(pod.manifest)):
        resources = container.get("resources") or {}
        requests = {**(resources.get("limits") or {}), **(resources.get("requests") or {})}
        by_container[container.get("name") or ""] = {**resources, "requests": requests}
    return by_container


def _comparable_amounts(resources: Resources) -> Any:
    """Return the requests and limits of each container, which are equal if the resources have the same amounts."""
    return {name: (requests_or_limits(entry), amounts(entry.get("limits"))) for name, entry in resources.items()}


def _comparable_spec(spec: Manifest) -> Any:
    containers = (*(spec.get("containers") or ()), *(spec.get("initContainers") or ()))
    resources = {str(index): container.get("resources") or {} for index, container in enumerate(containers)}
    return _comparable_amounts({**resources, "": spec.get("resources") or {}})


def _with_resources(spec: Manifest, resources: Resources) -> Manifest:
    """Return the spec with these resources of its containers; those that are not in `resources` keep theirs."""
    new = dict(spec)
    for field in ("containers", "initContainers"):
        if spec.get(field):
            new[field] = [
                {**c, "resources": resources.get(c.get("name") or "", c.get("resources"))} for c in spec[field]
            ]
    return new


def _with_status(pod: Pod, actual: Resources, allocated: Resources) -> Pod:
    """Return the pod with the actual and allocated resources of its containers in its status."""
    status = _status(pod)
    for field in ("containerStatuses", "initContainerStatuses"):
        entries = {entry.get("name"): entry for entry in status.get(field) or ()}
        for status_field, container in _resizable(_spec(pod.manifest)):
            name = container.get("name") or ""
            if status_field == field and name in actual:
                has = {"resources": actual[name], "allocatedResources": allocated[name].get("requests") or {}}
                entries[name] = {"name": name, **entries.get(name, {}), **has}
        if entries:
            status[field] = list(entries.values())
    return replace(pod, manifest={**pod.manifest, "status": status})


def _needs_restart(pod: Pod, statuses: Mapping[Any, Manifest], allocated: Resources) -> bool:
    """Return whether a resource with the resizePolicy RestartContainer changes."""
    for _, container in _resizable(_spec(pod.manifest)):
        name = container.get("name") or ""
        before, after = (
            _comparable_amounts({"": resources})[""]
            for resources in ((statuses.get(name) or {}).get("resources") or {}, allocated[name])
        )
        for policy in container.get("resizePolicy") or ():
            resource = policy.get("resourceName")
            if policy.get("restartPolicy") == "RestartContainer" and any(
                old.get(resource) != new.get(resource) for old, new in zip(before, after, strict=True)
            ):
                return True
    return False
