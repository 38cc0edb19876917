"""The verbs of `spec.events` that are requests to the API server, or that happen to nodes and pods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from scheduler_core.apis.core import Node, Pod, Workload
from scheduler_core.apis.patches import PatchError, patched
from scheduler_core.controllers.admission import Refused
from scheduler_core.controllers.api import Api
from scheduler_core.controllers.causes import because
from scheduler_core.controllers.deployment import with_size
from scheduler_core.controllers.kubelet import Kubelets
from scheduler_core.scenario.objects.kinds import KINDS
from scheduler_core.scenario.objects.updates import merge_update
from scheduler_core.scenario.types import TimelineEvent
from scheduler_core.trace.controller_events import RequestMade

Later = Callable[[float, Callable[[], None]], None]
REQUESTED = because("requested")


class Requests:
    """Carries out the verbs. `later(seconds, action)` runs an action later."""

    def __init__(self, api: Api, kubelets: Kubelets, later: Later) -> None:
        self._api = api
        self._kubelets = kubelets
        self._later = later

    def make(self, event: TimelineEvent) -> bool:
        """Carry out an event. Return False if it only changes an object."""
        if event.action in ("create", "update") or (event.action == "delete" and event.kind != "Pod"):
            return False
        act: Callable[[TimelineEvent], str | None] = getattr(self, f"_{event.action.lower()}")
        self._api.actor = ""
        try:
            error = act(event) or ""
        except (Refused, PatchError) as refused:
            error = str(refused)
        about = [str(name) for name in event.details.get("nodes") or ()] or [
            f"{event.kind}/{event.name or event.details.get('pod')}"
        ]
        self._api.emit(RequestMade(event.action, about, error))
        return True

    def _delete(self, event: TimelineEvent) -> str | None:
        pod = self._pod(event, event.details.get("pod") or event.name)
        if pod is None:
            return "the pod was not found"
        grace = event.details.get("gracePeriodSeconds")
        self._api.delete_pod(pod, REQUESTED, grace=None if grace is None else float(grace))
        return None

    def _patch(self, event: TimelineEvent) -> str | None:
        api, details = self._api, event.details
        if event.kind == "Pod":
            old: Any = self._pod(event, details.get("name"))
        else:
            old = api.cluster.node(event.name) if event.kind == "Node" else api.cluster.get(event.kind, _key(event))
        if old is None:
            return f"{event.kind} {event.name} was not found"
        manifest = patched(old.manifest, details.get("patch"), details.get("type") or "strategic")
        if event.kind == "Pod":
            manifest = {**manifest, "metadata": {**(manifest.get("metadata") or {}), "name": old.name}}
        self._replace(event.kind, old, manifest)
        return None

    def _replace(self, kind: str, old: Any, manifest: Mapping[str, Any]) -> None:
        api = self._api
        with api.admission.template():
            built = api.build(kind, manifest)
        new = merge_update(old, built, api.release)
        if isinstance(new, Workload):
            api.update(new, None)
        else:
            api.apply_object(new, "update", None)

    def _scale(self, event: TimelineEvent) -> str | None:
        workload = self._api.workload(event.kind, _key(event))
        if workload is None or workload.spec is None:
            return f"{event.kind} {event.name} was not found"
        self._api.update(with_size(workload, event.details["replicas"]), None)
        return None

    def _ready(self, event: TimelineEvent) -> str | None:
        pod = self._pod(event, event.details.get("pod"))
        if pod is None:
            return "the pod was not found"
        self._kubelets.set_ready(pod, bool(event.details.get("value")))
        return None

    def _finish(self, event: TimelineEvent) -> str | None:
        pod = self._pod(event, event.details.get("pod"))
        if pod is None:
            return "the pod was not found"
        codes = (event.details.get(name) for name in ("exitCode", "exit", "code"))
        self._kubelets.finish(pod, int(next((code for code in codes if code is not None), 0)))
        return None

    def _cordon(self, event: TimelineEvent) -> str | None:
        return self._set_unschedulable(event, True)

    def _uncordon(self, event: TimelineEvent) -> str | None:
        return self._set_unschedulable(event, False)

    def _set_unschedulable(self, event: TimelineEvent, unschedulable: bool) -> str | None:
        for name in event.details["nodes"]:
            node = self._api.cluster.node(name)
            if node is not None and node.unschedulable != unschedulable:
                manifest = {
                    **node.manifest,
                    "spec": {**(node.manifest.get("spec") or {}), "unschedulable": unschedulable},
                }
                self._api.apply_object(replace(node, unschedulable=unschedulable, manifest=manifest), "update", None)
        return None

    def _pod(self, event: TimelineEvent, reference: Any) -> Pod | None:
        return self._api.find_pod(reference, event.namespace or "default")


def _key(event: TimelineEvent) -> str:
    return f"{event.namespace}/{event.name}" if KINDS[event.kind].namespaced else event.name


def node_of(api: Api, name: str) -> Node | None:
    """Return a node."""
    return api.cluster.node(name)
