"""The verbs of `spec.events` that are requests to the API server, or events of nodes and pods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from msgspec.structs import replace

from scheduler_core.apis.constraints import Taint
from scheduler_core.apis.container_resources import without_null
from scheduler_core.apis.core import Node, Pod, PodKey, Workload
from scheduler_core.apis.karpenter import NodeClaim
from scheduler_core.apis.patches import PatchError, apply_patch
from scheduler_core.cluster.cluster import key_of
from scheduler_core.controllers.admission import AdmissionRefused
from scheduler_core.controllers.api import Api
from scheduler_core.controllers.causes import because
from scheduler_core.controllers.deployment import revision_of, with_size, without_hash
from scheduler_core.controllers.eviction import NO_CONTROLLER, Drain, evict
from scheduler_core.controllers.kubelet import Kubelets
from scheduler_core.controllers.node_lifecycle import with_taints
from scheduler_core.controllers.podautoscaler import load_of
from scheduler_core.controllers.resize import changes_resources, check_resize, with_actual_resources
from scheduler_core.scenario.objects.kinds import KINDS
from scheduler_core.scenario.objects.updates import merge_update
from scheduler_core.scenario.objects.workloads import amount
from scheduler_core.scenario.types import TimelineEvent
from scheduler_core.trace.controller_events import RequestMade

Later = Callable[[float, Callable[[], None]], None]
PAUSED = {  # what kubectl rollout says of a Deployment, by action and whether it is paused
    ("restart", True): "can't restart paused deployment (run rollout resume first)",
    ("undo", True): "cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again",
    ("pause", True): "is already paused",
    ("resume", False): "is not paused",
}
NO_HISTORY = {"Deployment": 'no rollout history found for deployment "{}"'}
RESTARTED_AT = "kubectl.kubernetes.io/restartedAt"
REQUESTED = because("requested")


class Requests:
    """Carries out the verbs. `later(seconds, action)` runs an action later; `retry_later` repeats a request."""

    def __init__(self, api: Api, kubelets: Kubelets, later: Later, retry_later: Later) -> None:
        self._api = api
        self._kubelets = kubelets
        self._later = later
        self._retry_later = retry_later

    def make(self, event: TimelineEvent) -> bool:
        """Carry out an event. Return False if it only changes an object."""
        if event.action == "create" or (event.action == "update" and not self._resizes(event)):
            return False
        if event.action == "delete" and event.kind != "Pod" and not self._is_held(event):
            return False
        act: Callable[[TimelineEvent], str | None] = getattr(self, f"_{event.action.lower()}")
        self._api.actor = ""
        try:
            error = act(event) or self._missing_nodes(event)
        except (AdmissionRefused, PatchError) as refused:
            error = str(refused)
        about = [str(name) for name in event.details.get("nodes") or ()] or [
            f"{event.kind}/{event.name or event.details.get('pod')}"
        ]
        self._api.emit(RequestMade(event.action, about, error))
        return True

    def _missing_nodes(self, event: TimelineEvent) -> str:
        """Return an error message for the nodes of the event that do not exist, "" if there are none."""
        missing = [name for name in event.details.get("nodes") or () if self._api.cluster.node(name) is None]
        return "; ".join(f'nodes "{name}" not found' for name in missing)

    def _resizes(self, event: TimelineEvent) -> bool:
        """Return whether an update changes the resources of a pod on a node."""
        new = event.object
        old = self._api.pod(new.key) if isinstance(new, Pod) else None
        return isinstance(new, Pod) and old is not None and bool(old.node_name) and changes_resources(old, new.manifest)

    def _update(self, event: TimelineEvent) -> str | None:
        assert isinstance(event.object, Pod)
        old = self._api.pod(event.object.key)
        assert old is not None
        self._resize(old, event.object.manifest)
        return None

    def _deletefirst(self, event: TimelineEvent) -> str | None:
        """Delete the oldest object of a kind. Return an error message if there is none, else None."""
        cluster = self._api.cluster
        objects: Any = cluster.objects(event.kind)
        if event.kind in ("Pod", "Node"):
            objects = cluster.pods.all() if event.kind == "Pod" else cluster.all_nodes()
        oldest: Any = next(iter(objects), None)
        if oldest is None:
            return f"there is no {event.kind}"
        first = replace(event, action="delete", name=oldest.name, namespace=getattr(oldest, "namespace", ""))
        if event.kind == "Pod" or self._is_held(first):
            return self._delete(first)
        self._api.delete(event.kind, key_of(oldest), REQUESTED)
        return None

    def _delete(self, event: TimelineEvent) -> str | None:
        if event.kind != "Pod":
            self._delete_claim(event)
            return None
        pod = self._pod(event, event.details.get("pod") or event.name)
        if pod is None:
            return "the pod was not found"
        grace = event.details.get("gracePeriodSeconds")
        self._api.delete_pod(pod, REQUESTED, grace=None if grace is None else float(grace))
        return None

    def _is_held(self, event: TimelineEvent) -> bool:
        """Return whether a finalizer of Karpenter holds the object: a NodeClaim, or a node that Karpenter launched."""
        return self._api.drains_claims and self._claim_of(event) is not None

    def _claim_of(self, event: TimelineEvent) -> NodeClaim | None:
        """Return the NodeClaim that an event names, or that of the node that it names; None if there is none."""
        if event.kind not in ("NodeClaim", "Node"):
            return None
        claims = (item for item in self._api.cluster.objects("NodeClaim") if isinstance(item, NodeClaim))
        return next(
            (claim for claim in claims if (claim.name if event.kind == "NodeClaim" else claim.node) == event.name), None
        )

    def _delete_claim(self, event: TimelineEvent) -> None:
        """Request the deletion of a NodeClaim: Karpenter drains its node first."""
        claim = self._claim_of(event)
        if claim is not None and claim.deleted is None:
            self._api.apply_object(replace(claim, deleted=self._api.now), "update", REQUESTED)

    def _patch(self, event: TimelineEvent) -> str | None:
        api, details = self._api, event.details
        if event.kind == "Pod":
            old: Any = self._pod(event, details.get("name"))
        else:
            old = api.cluster.node(event.name) if event.kind == "Node" else api.cluster.get(event.kind, _key(event))
        if old is None:
            return f"{event.kind} {event.name} was not found"
        manifest = apply_patch(old.manifest, details.get("patch"), details.get("type") or "strategic")
        if event.kind == "Pod":
            manifest = {**manifest, "metadata": {**(manifest.get("metadata") or {}), "name": old.name}}
            if old.node_name and changes_resources(old, manifest):
                self._resize(old, manifest)
                return None
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

    def _resize(self, old: Pod, manifest: Mapping[str, Any]) -> None:
        """Change the resources of a pod on a node, as its resize subresource does. Raises AdmissionRefused."""
        api = self._api
        check_resize(old, manifest, api.cluster.node(old.node_name), api.release)
        with api.admission.template():
            built = api.build("Pod", manifest)
        old = with_actual_resources(old)
        new = merge_update(old, built, api.release)
        assert isinstance(new, Pod)
        api.pod_admission.admit_resize(new)
        api.apply_object(new, "update", None)
        self._kubelets.resizes.request(old, new)

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
        self._kubelets.finish(pod, event.details.get("exitCode") or 0)
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

    def _taint(self, event: TimelineEvent) -> str | None:
        details = event.details
        taint = Taint(details["key"], details.get("value") or "", details["effect"])
        for node in self._nodes(event):
            others = [t for t in node.taints if (t.key, t.effect) != (taint.key, taint.effect)]
            self._api.apply_object(with_taints(node, (*others, taint)), "update", None)
        return None

    def _untaint(self, event: TimelineEvent) -> str | None:
        key, effect = event.details["key"], event.details.get("effect")
        for node in self._nodes(event):
            remaining = [t for t in node.taints if t.key != key or (effect and t.effect != effect)]
            self._api.apply_object(with_taints(node, remaining), "update", None)
        return None

    def _failnode(self, event: TimelineEvent) -> str | None:
        for node in self._nodes(event):
            self._kubelets.lost(node.name)
            self._api.set_node_status(node, replace(self._api.node_status(node.name), lost=True), "")
        return None

    def _recovernode(self, event: TimelineEvent) -> str | None:
        for node in self._nodes(event):
            status = replace(self._api.node_status(node.name), lost=False, ready="True", changed=self._api.second)
            self._api.set_node_status(node, status, "KubeletReady")
            self._kubelets.recovered(node.name)
        return None

    def _evict(self, event: TimelineEvent) -> str | None:
        pod = self._pod(event, event.details.get("pod"))
        if pod is None:
            return "the pod was not found"
        evict(pod, self._api)
        return None

    def _drain(self, event: TimelineEvent) -> str | None:
        self._set_unschedulable(event, True)
        force = bool(event.details.get("force", True))
        kept: list[PodKey] = []
        for node in self._nodes(event):
            kept += Drain(node.name, self._api, self._later, self._retry_later, force=force).start()
        return f"{NO_CONTROLLER}: {', '.join(kept)}" if kept else None

    def _load(self, event: TimelineEvent) -> str | None:
        usage = without_null(event.details.get("usage"))
        amounts = {name: amount(name, quantity) for name, quantity in usage.items()}
        load_of(self._api)[event.kind, _key(event)] = amounts
        return None

    def _pressure(self, event: TimelineEvent) -> str | None:
        """Taint a node under pressure, and evict its pods until enough is reclaimed (eviction_manager.go).

        Always returns None, which means that there is no error.
        """
        details = event.details
        resource = details.get("resource") or "memory"
        for node in self._nodes(event):
            taint = Taint(f"node.kubernetes.io/{resource}-pressure", "", "NoSchedule")
            self._api.apply_object(with_taints(node, (*node.taints, taint)), "update", None)
            self._kubelets.evict_under_pressure(node.name, resource, details.get("usage") or {}, details.get("reclaim"))
            if details.get("forSeconds"):
                self._later(float(details["forSeconds"]), partial(self._relieve, node.name, taint))
        return None

    def _relieve(self, node_name: str, taint: Taint) -> None:
        node = self._api.cluster.node(node_name)
        if node is not None:
            remaining = [entry for entry in node.taints if entry != taint]
            self._api.apply_object(with_taints(node, remaining), "update", None)

    def _nodes(self, event: TimelineEvent) -> list[Node]:
        nodes = (self._api.cluster.node(name) for name in event.details["nodes"])
        return [node for node in nodes if node is not None]

    def _rollout(self, event: TimelineEvent) -> str | None:
        """Restart, undo, pause or resume a workload as kubectl does. Return an error message, or None."""
        workload = self._api.workload(event.kind, _key(event))
        if workload is None or workload.spec is None:
            return f"{event.kind} {event.name} was not found"
        action, manifest = event.details["action"], workload.manifest
        if event.kind == "Deployment" and (refusal := PAUSED.get((action, workload.spec.paused))):  # type: ignore[union-attr]
            return refusal
        if action == "restart":
            at = {RESTARTED_AT: f"{self._api.now:g}"}
            patch: Any = {"spec": {"template": {"metadata": {"annotations": at}}}}
        elif action in ("pause", "resume"):
            patch = {"spec": {"paused": action == "pause"}}
        else:
            revision = event.details.get("toRevision") or 0
            templates = self._history(workload)
            if revision and revision not in templates:
                return f"unable to find specified revision {revision} in history"
            if len(templates) < 2 and not revision:
                return NO_HISTORY.get(event.kind, "no last revision to roll back to").format(workload.name)
            template = templates[revision or list(templates)[-2]]
            spec = {**(manifest.get("spec") or {}), "template": template}
            self._replace(event.kind, workload, {**manifest, "spec": spec})
            return None
        self._replace(event.kind, workload, apply_patch(manifest, patch))
        return None

    def _history(self, workload: Workload) -> Mapping[int, Any]:
        """Return the templates of a workload by revision, the latest last."""
        if workload.kind != "Deployment":
            return self._api.history(workload)
        replica_sets = sorted(self._api.owned(workload.uid, "ReplicaSet"), key=revision_of)
        return {revision_of(rs): without_hash(rs.spec.template) for rs in replica_sets}  # type: ignore[union-attr]

    def _pod(self, event: TimelineEvent, reference: Any) -> Pod | None:
        return self._api.find_pod(reference, event.namespace or "default")


def _key(event: TimelineEvent) -> str:
    return f"{event.namespace}/{event.name}" if KINDS[event.kind].namespaced else event.name
