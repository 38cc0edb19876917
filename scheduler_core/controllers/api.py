"""The API server as controllers use it: reads of objects, and writes, which the trace records with actor and cause."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol

from msgspec.structs import replace

from scheduler_core.apis.core import KubernetesObject, Node, OwnerReference, Pod, PodKey, Workload
from scheduler_core.apis.selectors import LabelSelector, parse_int64
from scheduler_core.cluster.cluster import Cluster, key_of
from scheduler_core.cluster.statuses import NEW_NODE, NO_STATUS, Condition, NodeStatus, PodStatus, WorkloadStatus
from scheduler_core.controllers.admission import AdmissionRefused, PodAdmission
from scheduler_core.controllers.causes import because
from scheduler_core.controllers.pods import is_active, owner_reference
from scheduler_core.scenario.objects.admission import Admission
from scheduler_core.scenario.objects.kinds import KINDS
from scheduler_core.scenario.reading.problems import Problems
from scheduler_core.scenario.settings.cluster_state import build
from scheduler_core.scenario.types import NodeLifecycle
from scheduler_core.trace.controller_events import (
    EventRecorded,
    NodeConditionChanged,
    PodConditionSet,
    PodDeletionRequested,
    PodFinished,
    WorkloadStatusWritten,
)
from scheduler_core.trace.events import AnyEvent
from scheduler_core.trace.records import Because, ConditionState, WorkloadState

What = Literal["added", "updated", "deleted", "bound", "status", "finished", "deletion"]
DEFAULT_GRACE = 30.0
REVISION_LABEL = "controller-revision-hash"


class Change(NamedTuple):
    """A change of an object, as controllers receive it. A "deletion" with `old` is a repeated one, with less grace."""

    kind: str
    what: What
    object: Any
    old: Any = None

    @classmethod
    def between(cls, kind: str, old: KubernetesObject | None, new: KubernetesObject | None) -> Change:
        """Return the change from an object to another: it was added if `old` is None, deleted if `new` is None."""
        if old is None:
            return cls(kind, "added", new)
        if new is None:
            return cls(kind, "deleted", old, old)
        return cls(kind, "updated", new, old)


class Delivery(Protocol):
    """The simulation, which delivers writes to the trace and to the scheduler."""

    emit: Callable[[AnyEvent], None]

    def apply(
        self,
        item: KubernetesObject,
        action: Literal["create", "update"],
        *,
        workload: WorkloadState | None = None,
        called: str = "",
        revision: int = 0,
        by: str = "",
        because: Because | None = None,
    ) -> None: ...

    def show(self, item: KubernetesObject, workload: WorkloadState) -> None: ...

    def remove(self, kind: str, key: str, *, by: str = "", because: Because | None = None) -> None: ...

    def take_pod_from_scheduler(self, key: PodKey) -> None: ...

    def update_pod(self, pod: Pod) -> None: ...


class Api:
    """Reads and writes objects. `actor` is the running controller, "" for a user.

    `owns_bare_pods`: pods without a controller are assumed to have one that is not in the scenario.
    """

    def __init__(
        self,
        cluster: Cluster,
        delivery: Delivery,
        admission: Admission,
        settings: NodeLifecycle,
        *,
        owns_bare_pods: bool = False,
    ) -> None:
        self._owns_bare_pods = owns_bare_pods
        self.cluster = cluster
        self.statuses = cluster.statuses
        self.admission = admission
        self.pod_admission = PodAdmission(self)
        self.release = admission.release
        self.settings = settings
        self.actor = ""
        self.failing: set[tuple[str, str]] = set()  # kind and key of objects whose last sync was refused
        self.scheduler_names: Container[str] = ()  # of the profiles, set by Live
        self.drains_claims = False  # set by Karpenter: NodeClaims and their nodes are drained before they go
        self.changes: deque[Change] = deque()
        self.later: Callable[[float, str], None] = lambda seconds, key: None  # set by Live: of the running controller
        self._delivery = delivery
        self._pods_of: dict[str, dict[PodKey, None]] = {}  # by uid of the owner
        self._objects_of: dict[str, dict[tuple[str, str], None]] = {}
        self._labelled: dict[tuple[str, str, str], dict[PodKey, None]] = {}
        self._on_node: dict[str, dict[PodKey, None]] = {}
        self.memory: dict[str, Any] = {}  # state that controllers keep in memory between syncs
        self._revisions: dict[str, list[Mapping[str, Any]]] = {}  # templates of a workload, by its uid
        self._history: dict[str, dict[int, int]] = {}  # revision of each of these templates' ControllerRevision
        self._unclaimed: dict[str, None] = {}  # namespaces in which a pod may have lost or need an owner
        self._first_of: dict[str, tuple[Mapping[str, Any], Pod]] = {}  # by uid of the owner: its template, and a pod
        self.is_starting = False  # True while the controllers process the initial objects
        self._departed: dict[PodKey, Pod] = {}  # pods that are gone, whose controller is not in the scenario
        self._removals: dict[PodKey, tuple[Because, str]] = {}  # of pods that a finalizer keeps
        self._sets: dict[str, int] = {}  # ReplicaSets of a Deployment, by its uid
        self._made: dict[str, int] = {}  # pods that an owner has made, by its uid
        self._names: dict[str, int] = {}  # how often a name has been given
        self._called: dict[tuple[str, str], str] = {}  # of workloads, by kind and key
        self._keys: dict[tuple[str, str], PodKey] = {}  # of pods, by namespace and trace name

    # Reading

    @property
    def now(self) -> float:
        return self.cluster.now

    @property
    def second(self) -> float:
        """Return the time as the API server stores it: in whole seconds."""
        return float(math.floor(self.cluster.now))

    def pod(self, key: PodKey) -> Pod | None:
        """Return a pod, which may be finished; None if it does not exist."""
        return self.cluster.pods.get(key) or self.statuses.finished.get(key)

    def status(self, pod: Pod) -> PodStatus:
        return self.statuses.pods[pod.key]

    def pods(self) -> Iterator[Pod]:
        """Yield all pods, finished ones last."""
        yield from self.cluster.pods.all()
        yield from self.statuses.finished.values()

    def pods_of(self, owner: Workload) -> list[tuple[Pod, PodStatus]]:
        """Return the pods that a controller owns with their statuses, in the order in which it came to own them."""
        return list(self._resolved(self._pods_of.get(owner.uid, ())))

    def waits_for_node(self, pod: Pod) -> bool:
        """Return whether a scheduler of the scenario looks for a node for the pod, and has found none."""
        return (
            not pod.node_name
            and not pod.scheduling_gates
            and not pod.nominated_node_name
            and not pod.terminating
            and pod.key not in self.cluster.assumed
            and pod.scheduler_name in self.scheduler_names
        )

    def pods_on(self, node_name: str) -> list[tuple[Pod, PodStatus]]:
        """Return the pods that are bound to a node with their statuses, including finished ones."""
        return list(self._resolved(self._on_node.get(node_name, ())))

    def selected(self, namespace: str, selector: LabelSelector) -> list[tuple[Pod, PodStatus]]:
        """Return the pods of a namespace that a selector matches, with their statuses."""
        pairs = [(r.key, r.values[0]) for r in selector.requirements if r.operator == "In" and len(r.values) == 1]
        if pairs:
            buckets: list[dict[PodKey, None]] = [self._labelled.get((namespace, *pair), {}) for pair in pairs]
            candidates = self._resolved(sorted(buckets, key=_length)[0])
        else:
            candidates = ((pod, self.status(pod)) for pod in self.pods() if pod.namespace == namespace)
        return [(pod, status) for pod, status in candidates if selector.matches(pod.labels)]

    def _resolved(self, keys: Iterable[PodKey]) -> Iterator[tuple[Pod, PodStatus]]:
        for key in keys:
            pod = self.pod(key)
            if pod is not None:
                yield pod, self.statuses.pods[key]

    def workload(self, kind: str, key: str) -> Workload | None:
        """Return a workload, None if it does not exist."""
        item = self.cluster.get(kind, key)
        return item if isinstance(item, Workload) else None

    def workloads(self, kind: str) -> list[Workload]:
        """Return all workloads of a kind, in order of creation."""
        return [item for item in self.cluster.objects(kind) if isinstance(item, Workload)]

    def owned(self, owner_uid: str, kind: str) -> list[Workload]:
        """Return the workloads of a kind that another one owns, in order of creation."""
        keys = self._objects_of.get(owner_uid, ())
        workloads = (self.workload(kind, key) for of_kind, key in keys if of_kind == kind)
        return [workload for workload in workloads if workload is not None]

    def objects_owned_by(self, uid: str) -> list[tuple[str, str]]:
        """Return the kinds and keys of the objects other than pods that an object owns; some may be deleted already."""
        return list(self._objects_of.get(uid, ()))

    def pods_owned_by(self, uid: str) -> list[tuple[Pod, PodStatus]]:
        """Return the pods that an object owns with their statuses, by its uid."""
        return list(self._resolved(list(self._pods_of.get(uid, ()))))

    def workload_status(self, workload: Any) -> WorkloadStatus:
        return self.statuses.workloads.get((_kind(workload), key_of(workload)), NO_STATUS)

    def node_status(self, name: str) -> NodeStatus:
        return self.statuses.nodes.get(name, NEW_NODE)

    def called(self, workload: Workload) -> str:
        """Return the name of a workload in the trace.

        It is "web@1" for the first ReplicaSet of a Deployment or Job of a CronJob, and its own name for others.
        """
        return self._called.get((workload.kind, workload.key), workload.name)

    def label(self, workload: Workload) -> str:
        """Return the kind and name of a workload for causes: "ReplicaSet web@1"."""
        return f"{workload.kind} {self.called(workload)}"

    def find_pod(self, reference: Any, namespace: str) -> Pod | None:
        """Return the pod to which an event refers, None if there is none.

        `reference`: its name, its trace name such as "web@1/0", or {owner, node, index, namespace}, which finds only
        pods that have not finished.
        """
        if isinstance(reference, dict):
            return self._find_by_owner(reference, reference.get("namespace") or namespace)
        name = str(reference)
        key = self._keys.get((namespace, name))
        if key is not None and self.pod(key) is not None and self.statuses.pods[key].called == name:
            return self.pod(key)
        return self.pod(f"{namespace}/{name}")

    def _find_by_owner(self, reference: Mapping[str, Any], namespace: str) -> Pod | None:
        owner, node = reference.get("owner"), reference.get("node")
        matching = []
        for pod in self.cluster.pods.all():
            if pod.namespace != namespace or (node and pod.node_name != node):
                continue
            if owner and not self._belongs(pod, str(owner)):
                continue
            matching.append(pod)
        index = reference.get("index") or 0
        return matching[index] if 0 <= index < len(matching) else None

    def _belongs(self, pod: Pod, owner: str) -> bool:
        """Return whether a workload of this name owns the pod, directly or through its ReplicaSet or Job."""
        if pod.owner is None:
            return False
        called = self._called.get((pod.owner.kind, f"{pod.namespace}/{pod.owner.name}"), pod.owner.name)
        return owner in (pod.owner.name, called, called.partition("@")[0])

    # Writing: pods

    def create_pod(
        self,
        owner: Workload,
        manifest: dict[str, Any],
        because: Because,
        *,
        place: str | None = None,
        revision: tuple[int, str] = (0, ""),
        finalizer: bool = False,
        template: Mapping[str, Any] | None = None,
    ) -> Pod:
        """Create and return a pod of a controller. Raises AdmissionRefused, after recording it as an Event.

        `place`: the last part of its name in the trace, by default a number. `template`: the template of all pods of
        the owner, if they are equal except for their names.
        """
        number = self._made.get(owner.uid, 0)
        base = f"{self.called(owner)}/{number if place is None else place}"
        try:
            pod = self.admit_pod(manifest) if template is None else self._admit_copy(owner, template, manifest)
        except AdmissionRefused as refused:
            self.record(owner, "FailedCreate", f"Error creating: {refused}", "Warning")
            raise
        called = self._next_name(pod.namespace, base)
        self._made[owner.uid] = number + 1
        status = PodStatus(called, number, revision=revision[0], revision_name=revision[1], finalizer=finalizer)
        self._add_pod(pod, status)
        self._delivery.apply(pod, "create", called=called, revision=revision[0], by=self.actor, because=because)
        return pod

    def recreate_pod(self, manifest: dict[str, Any], because: Because) -> None:
        """Create a pod again for a kubelet or a controller that is not in the scenario. Raises AdmissionRefused."""
        pod = self.admit_pod(manifest)
        self.register_pod(pod, is_new=True)
        self._delivery.apply(pod, "create", called=self.status(pod).called, by=self.actor, because=because)

    def take_departed(self, key: PodKey) -> Pod | None:
        """Return a deleted pod whose controller is not in the scenario, and forget it; None if there is none."""
        return self._departed.pop(key, None)

    def is_controlled(self, pod: Pod) -> bool:
        """Return whether the pod has a controller, or is assumed to have one that is not in the scenario."""
        return pod.owner is not None or self._owns_bare_pods

    def has_absent_owner(self, pod: Pod) -> bool:
        """Return whether the pod's controller is not, and never was, in the scenario.

        A mirror pod has none; a pod without a controller has one if `owns_bare_pods`.
        """
        owner = pod.owner
        if owner is None:
            return self._owns_bare_pods
        if owner.kind == "Node":
            return False
        return (owner.kind, f"{pod.namespace}/{owner.name}") not in self._called

    def admit_pod(self, manifest: dict[str, Any]) -> Pod:
        """Return the pod as the API server stores it, and count it in the quotas. Raises AdmissionRefused."""
        pod = self.build_pod(self.pod_admission.admit(manifest))
        self.pod_admission.charge(pod)
        return pod

    def _admit_copy(self, owner: Workload, template: Mapping[str, Any], manifest: dict[str, Any]) -> Pod:
        """Return the pod as the API server stores it, and count it in the quotas. Raises AdmissionRefused.

        It is a copy of the template's first pod with its own name, uid and creation time, unless that pod has claims or
        volumes.
        """
        first = self._first_of.get(owner.uid)
        if first is None or first[0] is not template:
            pod = self.build_pod(self.pod_admission.admit(manifest))
            if not pod.has_resource_claims and not pod.volumes:  # whose names contain the pod's
                self._first_of[owner.uid] = (template, pod)
        else:
            self.admission.now = self.now
            metadata = {**first[1].manifest["metadata"], "name": manifest["metadata"]["name"]}
            pod = replace(
                first[1],
                name=metadata["name"],
                uid=self.admission.uid({}),
                creation_timestamp=self.admission.creation({}),
                manifest={**first[1].manifest, "metadata": metadata},
            )
        self.pod_admission.charge(pod)
        return pod

    def forget_templates(self) -> None:
        """Forget the admitted pods of templates, because admission may now change pods in another way."""
        self._first_of.clear()

    def build_pod(self, manifest: Mapping[str, Any]) -> Pod:
        """Return the pod of a manifest without storing it. Raises AdmissionRefused."""
        self.admission.now = self.now
        problems = Problems()
        pod = build(KINDS["Pod"], manifest, problems, self.admission)
        if not isinstance(pod, Pod):
            raise AdmissionRefused("; ".join(str(error) for error in problems.errors()))
        return pod

    def next_pod_number(self, owner: Workload) -> int:
        """Return the number that the owner's next pod will get, from 0."""
        return self._made.get(owner.uid, 0)

    def register_pod(self, pod: Pod, *, is_new: bool = False) -> None:
        """Set the initial status of a pod that no controller created, such as one from the scenario. A new pod is not
        running yet.
        """
        called, number = pod.name, 0
        if pod.owner is None:
            self._unclaimed[pod.namespace] = None
        else:
            called, number = self._called_by_owner(pod, pod.owner)
        called = self._next_name(pod.namespace, called)
        running = bool(pod.node_name) and not is_new
        since = pod.start_time if pod.start_time is not None else self.second
        status = PodStatus(called, number)
        if running:
            ready = pod.ready and pod.annotations.get("kschedui.io/ready") != "false"
            status = replace(status, phase="Running", running_since=since, ready=ready, ready_since=since)
        if pod.terminating:
            status = replace(status, deletion_requested=self.now, grace=grace_of(pod))
        owner = None if pod.owner is None else self.workload(pod.owner.kind, f"{pod.namespace}/{pod.owner.name}")
        if owner is not None and owner.spec is not None and owner.uid == (pod.owner and pod.owner.uid):
            if owner.kind in ("StatefulSet", "DaemonSet"):
                status = replace(status, revision=self._revision_of(pod, owner))
            elif owner.kind == "Job":
                status = replace(status, finalizer=True)
        self._add_pod(pod, status)

    def _revision_of(self, pod: Pod, owner: Workload) -> int:
        """Return the owner's revision, or 0 if the pod's label differs from the owner's `updateRevision`."""
        status = owner.manifest.get("status")
        wanted = (status.get("updateRevision") if isinstance(status, dict) else "") or ""
        own = self.revision(owner, owner.spec.template)  # type: ignore[union-attr]
        label = pod.labels.get(REVISION_LABEL, "")
        return 0 if wanted and label and not str(wanted).endswith(label.removeprefix(f"{owner.name}-")) else own

    def _called_by_owner(self, pod: Pod, owner: OwnerReference) -> tuple[str, int]:
        """Give the pod the owner's next number. Return its trace name and the number."""
        number = self._made.get(owner.uid, 0)
        self._made[owner.uid] = number + 1
        name = self._called.get((owner.kind, f"{pod.namespace}/{owner.name}"), owner.name)
        if owner.kind == "StatefulSet":
            return f"{name}/{pod.name.rpartition('-')[2]}", number
        if owner.kind == "DaemonSet" and pod.node_name:
            return f"{name}/{pod.node_name}", number
        return f"{name}/{number}", number

    def _next_name(self, namespace: str, base: str) -> str:
        """Return the name of the next pod with this base: base, base#2, ..."""
        key = f"{namespace} {base}"
        self._names[key] = times = self._names.get(key, 0) + 1
        return base if times == 1 else f"{base}#{times}"

    def _add_pod(self, pod: Pod, status: PodStatus) -> None:
        self.statuses.pods[pod.key] = status
        self._keys[pod.namespace, status.called] = pod.key
        if pod.owner is not None:
            self._pods_of.setdefault(pod.owner.uid, {})[pod.key] = None
        for label in pod.labels.items():
            self._labelled.setdefault((pod.namespace, *label), {})[pod.key] = None
        if pod.node_name:
            self._on_node.setdefault(pod.node_name, {})[pod.key] = None

    def _drop_pod(self, pod: Pod) -> None:
        if pod.owner is not None:
            self._pods_of.get(pod.owner.uid, {}).pop(pod.key, None)
        for label in pod.labels.items():
            self._labelled.get((pod.namespace, *label), {}).pop(pod.key, None)
        self._on_node.get(pod.node_name, {}).pop(pod.key, None)

    def pod_bound(self, pod: Pod) -> None:
        self._on_node.setdefault(pod.node_name, {})[pod.key] = None

    def relabelled(self, old: Pod, new: Pod) -> None:
        """Update the indexes for a pod whose labels or owner changed."""
        status = self.statuses.pods[old.key]
        self._drop_pod(old)
        self._add_pod(new, status)
        self._unclaimed[new.namespace] = None

    def claim_pods(self, owner: Workload) -> None:
        """Release pods that the selector no longer matches, and adopt orphans (ClaimPods)."""
        if owner.namespace not in self._unclaimed:
            return
        for pod, status in self.pods_of(owner):
            if not owner.selector.matches(pod.labels) and status.deletion_requested is None:
                self._set_owner(pod, None, because("released", owner=self.label(owner)))
        for pod, status in self.selected(owner.namespace, owner.selector):
            if pod.owner is None and is_active(pod, status) and _may_adopt(owner, pod):
                self._set_owner(pod, owner, because("adopted", owner=self.label(owner)))

    def _set_owner(self, pod: Pod, owner: Workload | None, cause: Because) -> None:
        references = [] if owner is None else [owner_reference(owner)]
        metadata = {**(pod.manifest.get("metadata") or {}), "ownerReferences": references}
        api_version = "" if owner is None else str(owner.manifest.get("apiVersion") or "")
        reference = None if owner is None else OwnerReference(owner.kind, owner.name, api_version, owner.uid)
        self.update_pod(replace(pod, owner=reference, manifest={**pod.manifest, "metadata": metadata}), cause)

    def set_status(self, pod: Pod, status: PodStatus) -> None:
        """Write a pod's status; the caller emits the event."""
        self.statuses.pods[pod.key] = status
        self.changes.append(Change("Pod", "status", pod))

    def update_pod(self, pod: Pod, because: Because) -> None:
        """Write a pod's metadata or spec."""
        self._delivery.apply(pod, "update", by=self.actor, because=because)

    def write_pod_status(self, pod: Pod) -> None:
        """Write a status that is part of the pod object; it is not in the trace."""
        self._delivery.update_pod(pod)

    def delete_pod(self, pod: Pod, because: Because, *, grace: float | None = None, by: str = "") -> None:
        """Delete a pod, immediately if no kubelet runs it (registry/core/pod/strategy.go: CheckGracefulDelete).

        `grace`: the grace period in seconds, by default the pod's own; a repeated deletion can only shorten it.
        """
        status, by = self.status(pod), by or self.actor
        wanted = grace_of(pod) if grace is None else grace
        if not pod.node_name or status.phase in ("Succeeded", "Failed"):
            wanted = 0.0
        first = status.deletion_requested is None
        if not first and wanted >= status.grace and wanted > 0:
            return
        until = min(pod.termination_seconds, wanted)
        if first or wanted < status.grace:
            requested = self.now if status.deletion_requested is None else status.deletion_requested
            self.statuses.pods[pod.key] = replace(status, deletion_requested=requested, grace=wanted)
            gone_at = self.now + until
            self.emit(PodDeletionRequested(pod.key, wanted, by, because, gone_at))
        if wanted == 0:
            self.remove_pod(pod, because, by=by)
            return
        if first and pod.key in self.cluster.pods.slot_of:
            pod = replace(pod, terminating=True)
            self._delivery.update_pod(pod)
        self.changes.append(Change("Pod", "deletion", pod, None if first else pod))

    def finish_pod(
        self,
        pod: Pod,
        phase: Literal["Succeeded", "Failed"],
        *,
        by: str,
        exit_code: int | None = None,
        reason: str = "",
    ) -> None:
        """Write the phase Succeeded or Failed; for the scheduler, the pod no longer exists."""
        status = self.status(pod)
        self.statuses.pods[pod.key] = replace(
            status,
            phase=phase,
            ready=False,
            ready_since=self.second if status.ready else status.ready_since,
            finished_at=self.second,
            exit_code=exit_code,
        )
        terminating = status.deletion_requested is not None
        self.emit(PodFinished(pod.key, phase, by, exit_code, reason, terminating))
        if pod.key in self.cluster.pods.slot_of:
            self._delivery.take_pod_from_scheduler(pod.key)
        self.statuses.finished[pod.key] = replace(pod, phase=phase)
        self.pod_admission.finish(pod)
        self.changes.append(Change("Pod", "finished", self.statuses.finished[pod.key]))

    def remove_pod(self, pod: Pod, because: Because, *, by: str = "") -> None:
        """Remove the object of a pod that is being deleted, unless a finalizer keeps it."""
        status = self.status(pod)
        if status.finalizer:
            self._removals[pod.key] = (because, by or self.actor)
            if pod.key in self.cluster.pods.slot_of and not pod.terminating:
                pod = replace(pod, terminating=True)
                self._delivery.update_pod(pod)
            self.changes.append(Change("Pod", "deletion", pod))
            return
        self._drop_pod(pod)
        if status.phase != "Succeeded" and self.has_absent_owner(pod):
            self._departed[pod.key] = pod
        self._delivery.remove("Pod", pod.key, by=by or self.actor, because=because)
        self.statuses.finished.pop(pod.key, None)
        self.pod_admission.release(pod)
        self.changes.append(Change("Pod", "deleted", pod, status))
        del self.statuses.pods[pod.key]

    def remove_finalizer(self, pod: Pod) -> None:
        """Remove the finalizer of a pod, and the pod if it only waited for that."""
        self.statuses.pods[pod.key] = replace(self.status(pod), finalizer=False)
        removal = self._removals.pop(pod.key, None)
        if removal is not None:
            self.remove_pod(pod, removal[0], by=removal[1])

    def set_disruption_target(self, pod: Pod, reason: str) -> None:
        """Set the condition DisruptionTarget of a pod."""
        self.statuses.pods[pod.key] = replace(self.status(pod), disruption=reason)
        self.emit(PodConditionSet(pod.key, ConditionState("DisruptionTarget", "True", reason), self.actor))

    # Writing: other objects

    def create(self, workload: Workload, because: Because, *, called: str = "") -> Workload:
        """Create and return a workload. `called`: its name in the trace, if that is derived from its owner."""
        self.name(workload, called or workload.name)
        self._delivery.apply(workload, "create", workload=self.state(workload), by=self.actor, because=because)
        return workload

    def revision(self, workload: Workload, template: Mapping[str, Any]) -> int:
        """Return the number of a workload's template, from 1; a new template is added (ControllerRevision).

        The template becomes the last of the workload's history.
        """
        known = self._revisions.setdefault(workload.uid, [])
        history = self._history.setdefault(workload.uid, {})
        number = next((n for n, other in enumerate(known, start=1) if other is template or other == template), 0)
        if not number:
            known.append(template)
            number = len(known)
        last = max(history.values(), default=0)
        if not history or history.get(number) != last:
            history[number] = last + 1
        return number

    def history(self, workload: Workload) -> dict[int, Mapping[str, Any]]:
        """Return the templates of a workload by the `revision` of their ControllerRevisions, the latest last."""
        revisions = sorted((revision, number) for number, revision in self._history.get(workload.uid, {}).items())
        return {revision: self.template_of(workload, number) for revision, number in revisions}

    def template_of(self, workload: Workload, revision: int) -> Mapping[str, Any]:
        """Return the template of a revision."""
        return self._revisions[workload.uid][revision - 1]

    def next_set_number(self, deployment: Workload) -> int:
        """Return the number of the next ReplicaSet of a Deployment, from 1."""
        number = self._sets.get(deployment.uid, 0) + 1
        self._sets[deployment.uid] = number
        return number

    def register(self, workload: Workload) -> None:
        """Set the trace name of a workload from the start of the scenario, and show it in the trace."""
        called = workload.name
        if workload.owner is not None and workload.kind == "ReplicaSet":
            owner = self.workload("Deployment", f"{workload.namespace}/{workload.owner.name}")
            if owner is not None and owner.uid == workload.owner.uid:
                called = f"{owner.name}@{self.next_set_number(owner)}"
        self.name(workload, called)
        self._delivery.show(workload, self.state(workload))

    def name(self, workload: Workload, called: str) -> None:
        """Store the trace name of a workload, and its owner."""
        self._called[workload.kind, workload.key] = called
        if workload.owner is not None and workload.owner.uid:
            self._objects_of.setdefault(workload.owner.uid, {})[workload.kind, workload.key] = None

    def own(self, uid: str, kind: str, key: str) -> None:
        """Store that an object owns another one that is not a workload."""
        self._objects_of.setdefault(uid, {})[kind, key] = None

    def update(self, workload: Workload, because: Because | None) -> None:
        """Write the spec or metadata of a workload."""
        self._delivery.apply(workload, "update", workload=self.state(workload), by=self.actor, because=because)

    def apply_object(
        self, item: KubernetesObject, action: Literal["create", "update"], because: Because | None
    ) -> None:
        """Write an object that is not a workload."""
        self._delivery.apply(item, action, by=self.actor, because=because)

    def delete(self, kind: str, key: str, because: Because) -> None:
        """Delete an object other than a pod."""
        self._delivery.remove(kind, key, by=self.actor, because=because)
        self.statuses.workloads.pop((kind, key), None)

    def build(self, kind: str, manifest: Mapping[str, Any]) -> KubernetesObject:
        """Return the object of a manifest. Raises AdmissionRefused."""
        self.admission.now = self.now
        problems = Problems()
        item = build(KINDS[kind], manifest, problems, self.admission)
        if item is None:
            raise AdmissionRefused("; ".join(str(error) for error in problems.errors()))
        return item

    def state(self, workload: Workload) -> WorkloadState:
        """Return the state of a workload for the trace."""
        return workload_state(workload, self)

    def write_status(self, item: Any, numbers: Mapping[str, int | str], conditions: Sequence[Condition] = ()) -> bool:
        """Write a status. Return whether it has changed."""
        name = _kind(item), key_of(item)
        new = WorkloadStatus(dict(numbers), tuple(conditions))
        old = self.statuses.workloads.get(name)
        if old == new:
            return False
        self.statuses.workloads[name] = new
        if old is None or _as_shown(old) != _as_shown(new):
            shown = [ConditionState(c.type, c.status, c.reason, c.message) for c in conditions]
            self.emit(WorkloadStatusWritten(name[0], item.name, getattr(item, "namespace", ""), dict(numbers), shown))
        self.changes.append(Change(name[0], "status", item, old))
        return True

    def set_node_status(self, node: Node, status: NodeStatus, reason: str) -> None:
        """Write the condition Ready of a node."""
        old = self.node_status(node.name)
        self.statuses.nodes[node.name] = status
        if old.ready != status.ready:
            self.emit(NodeConditionChanged("Node", node.name, status.ready, reason))
        self.changes.append(Change("Node", "status", node, old))

    def record(self, item: Any, reason: str, message: str, level: str = "Normal", source: str = "") -> None:
        """Record a Kubernetes Event."""
        name = self.called(item) if isinstance(item, Workload) else item.name
        kind, namespace = _kind(item), getattr(item, "namespace", "")
        self.record_on(kind, name, namespace, reason, message, level, source)

    def record_on(
        self, kind: str, name: str, namespace: str, reason: str, message: str, level: str = "Normal", source: str = ""
    ) -> None:
        """Record a Kubernetes Event on an object, which need not be simulated (a ConfigMap, for example)."""
        self.emit(EventRecorded(kind, name, namespace, reason, level, source or self.actor, message))

    def emit(self, event: AnyEvent) -> None:
        self._delivery.emit(event)


def _may_adopt(owner: Workload, pod: Pod) -> bool:
    """Return whether a pod that the selector matches can be the owner's: a StatefulSet's has its name (isMemberOf)."""
    parent, _, ordinal = pod.name.rpartition("-")
    return owner.kind != "StatefulSet" or (parent == owner.name and ordinal.isdigit())


def grace_of(pod: Pod) -> float:
    """Return the pod's own grace period in seconds; the default is 30 (SetDefaults_PodSpec)."""
    grace = (pod.manifest.get("spec") or {}).get("terminationGracePeriodSeconds")
    return DEFAULT_GRACE if grace is None else float(grace)


def size_of(workload: Workload) -> int | None:
    """Return the replicas in the spec of a workload, or the parallelism of a Job; None if it has neither."""
    spec = workload.spec
    size = getattr(spec, "replicas", None)
    return getattr(spec, "parallelism", None) if size is None else size


def workload_state(workload: Workload, api: Api) -> WorkloadState:
    """Return the state of a workload for the trace."""
    owner = workload.owner
    called = api.called(workload)
    annotations = (workload.manifest.get("metadata") or {}).get("annotations") or {}
    revision = parse_int64(annotations.get("deployment.kubernetes.io/revision", "")) or 0
    details: dict[str, str | int] = {}
    if workload.kind == "Job" and getattr(workload.spec, "suspend", False):
        details["suspend"] = 1
    return WorkloadState(
        called,
        size_of(workload),
        f"{owner.kind}/{owner.name}" if owner else "",
        revision,
        bool(getattr(workload.spec, "paused", False)),
        details,
    )


def _as_shown(status: WorkloadStatus) -> Any:
    return status.numbers, [(c.type, c.status, c.reason, c.message) for c in status.conditions]


def _kind(item: Any) -> str:
    return item.kind if isinstance(item, Workload) else type(item).__name__


def _length(keys: dict[PodKey, None]) -> int:
    return len(keys)
