"""Runs the controllers and the kubelets of a simulation: a work queue as in client-go, in virtual time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Literal, Protocol

from msgspec.structs import replace

from scheduler_core.apis.core import (
    KubernetesObject,
    Node,
    Pod,
    PodDisruptionBudget,
    PriorityClass,
    StorageClass,
    Workload,
)
from scheduler_core.apis.messages import Message, RunEnded
from scheduler_core.cluster.cluster import Cluster, key_of, kind_of
from scheduler_core.cluster.statuses import PREEMPTED, NodeStatus
from scheduler_core.controllers import absent_owner, job, node_lifecycle, pod_gc
from scheduler_core.controllers.admission import AdmissionRefused
from scheduler_core.controllers.api import Api, Change, Delivery
from scheduler_core.controllers.causes import because
from scheduler_core.controllers.kubelet import Kubelets
from scheduler_core.controllers.kubelet_admission import MIRROR
from scheduler_core.controllers.node_lifecycle import cordoned, new_node
from scheduler_core.controllers.requests import Requests
from scheduler_core.controllers.table import CONTROLLERS, Controller, Key
from scheduler_core.scenario.objects.admission import Admission
from scheduler_core.scenario.reading.problems import one_of
from scheduler_core.scenario.settings.controllers import BARE_PODS
from scheduler_core.scenario.types import Scenario, TimelineEvent
from scheduler_core.trace.controller_events import RequestMade

Later = Callable[[float, Callable[[], None], Literal["controller", "kubelet", "retry"]], None]
Item = tuple[int, Key]  # number of a controller in the table, and key of an object
ADMITTING = ("LimitRange", "RuntimeClass", "PriorityClass")
MAX_SYNCS = 10_000  # of one object at one moment
MAX_DOUBLINGS = 60  # of a backoff, which has reached its maximum long before
# From the creation of a workload to its first pod, where kubelets take time. Recorded: 0.02 to 0.9 s, Jobs at once.
FIRST_SYNC_SECONDS = 0.33
FIRST_UID = 500_000_000  # the number before the first uid of objects created during the run


class Actor(Protocol):
    """A program with its own schedule, which may also react to changes."""

    def start(self) -> None: ...

    def watch(self, change: Change) -> None: ...


class EndlessSync(RunEnded):
    """Raised if controllers react to each other endlessly at the same virtual time."""


class Live:
    """The cluster around the scheduler. `later(time, action, cause)` runs an action at a time."""

    def __init__(self, scenario: Scenario, cluster: Cluster, delivery: Delivery, later: Later) -> None:
        self._most_pods = scenario.limits.pods
        admission = Admission(
            scenario.release,
            scenario.feature_gates,
            stop_seconds=scenario.kubelet.stop_seconds,
            first_uid=FIRST_UID,
        )
        admission.now = 0.0
        self.api = Api(
            cluster,
            delivery,
            admission,
            scenario.node_lifecycle,
            owns_bare_pods=BARE_PODS in scenario.controllers,
        )
        self.api.scheduler_names = {profile.scheduler_name for profile in scenario.config.profiles}
        self.kubelets = Kubelets(self.api, scenario.kubelet, self._kubelet_later, self.run)
        self._first_sync = FIRST_SYNC_SECONDS if scenario.kubelet.start_seconds > 0 else 0.0
        self._requests = Requests(self.api, self.kubelets, self.act_later, self._retry_later)
        names = (*scenario.controllers, absent_owner.NAME) if scenario.controllers else ()
        self._controllers = tuple(
            controller for controller in CONTROLLERS if controller.name in names and not controller.at_once
        )
        self._later = later
        self._uids = {
            (item.kind, item.namespace, item.name): item.uid for item in scenario.objects if isinstance(item, Workload)
        }
        self._queue: dict[Item, None] = {}
        self._planned: dict[Item, float] = {}  # when an object is looked at again
        self._failures: dict[Item, int] = {}
        self._syncs: dict[Item, int] = {}  # at this moment
        self._moment = -1.0
        self._sync_counts: Counter[str] = Counter()  # syncs, by controller and object
        self.actors: Sequence[Actor] = ()  # those that act by themselves, such as autoscalers

    # What the simulation calls

    def load(self, item: KubernetesObject) -> KubernetesObject:
        """Return an object of the scenario's start as the API server has stored it."""
        self._register_class(item)
        if isinstance(item, Node) and item.unschedulable and self._runs("node-lifecycle-controller"):
            return cordoned(item)
        if isinstance(item, Pod) and not item.node_name:
            with suppress(AdmissionRefused):  # the object exists, even if it would not be admitted now
                item = self._admitted(item)
        return self._with_owner_uid(item) if isinstance(item, Pod | Workload) else item

    def _with_owner_uid(self, item: Pod | Workload) -> Pod | Workload:
        """Add the uid to the reference to an owner in the scenario, if the file omits it."""
        owner = item.owner
        if owner is None or owner.uid:
            return item
        uid = self._uids.get((owner.kind, item.namespace, owner.name), "")
        return replace(item, owner=replace(owner, uid=uid)) if uid else item

    def _runs(self, name: str) -> bool:
        return any(controller.name == name for controller in self._controllers)

    def start(self, objects: Sequence[KubernetesObject]) -> None:
        """Notify the controllers of the initial objects."""
        self._take_over_objects(objects)
        self._announce_objects(objects)
        for actor in self.actors:
            actor.start()
        self.api.is_starting = True
        self.run()
        self.api.is_starting = False

    def _take_over_objects(self, objects: Sequence[KubernetesObject]) -> None:
        """Register the initial workloads, nodes and pods, and let the kubelets run the bound pods."""
        for item in objects:
            if isinstance(item, Workload) and item.spec is not None:
                workload = self.api.workload(item.kind, item.key)
                assert workload is not None
                self.api.register(workload)
                if item.kind == "Job":
                    job.take_over(workload, self.api)
        for node in self.api.cluster.all_nodes():
            self._take_over(node)
        for pod in list(self.api.cluster.pods.all()):
            self.api.register_pod(pod)
            if pod.node_name:
                self.kubelets.running(pod)
            self.api.pod_admission.count(pod)
        for pod in list(self.api.cluster.pods.all()):
            if pod.node_name:
                self.kubelets.resizes.take_over(pod)

    def _announce_objects(self, objects: Sequence[KubernetesObject]) -> None:
        """Queue the initial objects for the controllers as added."""
        for item in objects:
            stored = self.api.cluster.get(kind_of(item), key_of(item))
            if isinstance(stored, Workload):
                self._announce_new(stored)
            elif stored is not None and not isinstance(stored, Node | Pod):
                self.api.changes.append(Change(kind_of(stored), "added", stored))
        for node in self.api.cluster.all_nodes():
            self.api.changes.append(Change("Node", "added", node))
        for pod in self.api.cluster.pods.all():
            concerned = pod_gc.concerns(pod, self.api) or any(volume.ephemeral for volume in pod.volumes)
            if self.actors or concerned:  # the other controllers look at the pods of each object
                self.api.changes.append(Change("Pod", "added", pod))

    def _take_over(self, node: Node) -> None:
        """Set the state of a node that does not report or is not ready, according to its taints."""
        keys = {taint.key for taint in node.taints}
        if node_lifecycle.UNREACHABLE in keys:
            self.api.statuses.nodes[node.name] = NodeStatus(lost=True, ready="Unknown")
            self.kubelets.lost(node.name)
        elif node_lifecycle.NOT_READY in keys:
            self.api.statuses.nodes[node.name] = NodeStatus(ready="False")

    def watch(self, kind: str, old: KubernetesObject | None, new: KubernetesObject | None) -> None:
        """Handle a change that was delivered to the scheduler."""
        if kind == "Pod":
            assert old is None or isinstance(old, Pod)
            if isinstance(new, Pod):
                self._watch_pod(old, new)
            return
        if new is not None:
            self._register_class(new)
        elif old is not None:
            self._forget_class(old)
        if kind in ADMITTING:
            self.api.forget_templates()
        if old is None and isinstance(new, Workload) and not self.api.actor:
            self._announce_new(new)
            return
        self.api.changes.append(Change.between(kind, old, new))

    def _announce_new(self, workload: Workload) -> None:
        """Notify the controllers of a workload that none of them created, except for a Job after a delay."""
        change = Change(workload.kind, "added", workload)
        if self._first_sync and workload.kind != "Job":
            self._later(self.api.now + self._first_sync, lambda: self.api.changes.append(change), "controller")
        else:
            self.api.changes.append(change)

    def _watch_pod(self, old: Pod | None, new: Pod) -> None:
        api = self.api
        if old is None:
            if new.key not in api.statuses.pods:
                api.register_pod(new)
            api.changes.append(Change("Pod", "added", new))
            if new.node_name and api.status(new).phase == "Pending":
                self.kubelets.bound(new, names_node=True)
            elif new.node_name:
                self.kubelets.running(new)
            return
        if new.node_name and not old.node_name:
            api.pod_bound(new)
            self.kubelets.bound(new)
            api.changes.append(Change("Pod", "bound", new, old))
        relabelled = new.labels != old.labels or new.owner != old.owner
        if relabelled:
            api.relabelled(old, new)
        freed = old.scheduling_gates != new.scheduling_gates or (
            old.nominated_node_name and not new.nominated_node_name
        )
        if relabelled or (freed and not new.node_name):
            api.changes.append(Change("Pod", "updated", new, old))

    def preempt(self, pod: Pod, preemptor: str) -> None:
        """Delete a victim of preemption."""
        status = replace(self.api.status(pod), disruption=PREEMPTED)  # the event VictimEvicted shows it
        self.api.statuses.pods[pod.key] = status
        self.api.delete_pod(pod, because("preempted", preemptor=preemptor), by="default-scheduler")

    def apply_event(self, event: TimelineEvent) -> bool:
        """Carry out an event of the timeline. Return False if it is an ordinary change of an object."""
        if event.action == "create" and isinstance(event.object, Pod):
            try:
                pod = self._admitted(event.object)
            except AdmissionRefused as refused:
                self.api.emit(RequestMade("create", [f"Pod/{event.name}"], str(refused)))
                return True
            self.api.register_pod(pod, is_new=True)
            self.api.apply_object(pod, "create", None)
            return True
        if event.action == "create" and isinstance(event.object, Node) and self._runs("node-lifecycle-controller"):
            self.api.actor = ""
            self.api.apply_object(new_node(event.object), "create", None)
            return True
        if event.action == "create" and isinstance(event.object, Workload) and event.object.spec is not None:
            self.api.name(event.object, event.object.name)
        return self._requests.make(event)

    def run(self) -> None:
        """Reconcile until nothing is left to do at this time, or the run has too many pods. Raises EndlessSync."""
        if self.api.now != self._moment:
            self._moment, self._syncs = self.api.now, {}
        while True:
            self._take_changes()
            if not self._queue or self._has_too_many_pods():
                return
            item = next(iter(self._queue))
            del self._queue[item]
            self._sync(item)

    def _has_too_many_pods(self) -> bool:
        """Return whether the run has reached its limit of pods: the simulation then ends it."""
        most = self._most_pods
        return most is not None and len(self.api.cluster.pods.slot_of) > most.most

    def busiest(self) -> Message | str:
        """Return a sentence with the controllers and objects that had the most syncs; "" without syncs."""
        writers = [writer for writer, _ in self._sync_counts.most_common(2)]
        if not writers:
            return ""
        return Message(" Most of it was done by {writers}.", writers=one_of(writers))

    # The work queue

    def _take_changes(self) -> None:
        changes = self.api.changes
        while changes:
            change = changes.popleft()
            if change.kind == "Pod" and change.what == "deletion":
                self._stop(change.object)
            elif change.kind == "Pod" and change.what in ("deleted", "finished"):
                self.kubelets.resizes.room_changed(change.object, finished=change.what == "finished")
            if change.kind == "Pod" and change.what == "deleted" and MIRROR in change.object.annotations:
                self.kubelets.mirror(change.object)
            for actor in self.actors:
                actor.watch(change)
            for number, controller in enumerate(self._controllers):
                for key in controller.wakes(change, self.api):
                    if controller.batch and (change.kind == "Pod" or change.what == "status"):
                        self._plan((number, key), controller.batch)
                    else:
                        self._queue[number, key] = None

    def _stop(self, pod: Pod) -> None:
        if pod.node_name and self.api.pod(pod.key) is not None:
            self.kubelets.deletion_requested(pod)

    def _sync(self, item: Item) -> None:
        number, key = item
        controller = self._controllers[number]
        target = key
        if controller.kind:
            target = self.api.workload(controller.kind, key)
            if target is None or target.spec is None:
                return
        self._count_sync(item, controller)
        api = self.api
        self._sync_counts[f"{controller.name} ({key})"] += 1
        api.actor = controller.name
        api.later = lambda seconds, later_key: self._plan((number, later_key), seconds)
        try:
            controller.reconcile(target, api)
        except AdmissionRefused:
            failures = self._failures[item] = self._failures.get(item, 0) + 1
            first, longest = controller.backoff
            self._plan(item, min(first * 2 ** min(failures - 1, MAX_DOUBLINGS), longest))
            api.failing.add((controller.kind, str(key)))
        else:
            if self._failures.pop(item, None):
                api.failing.discard((controller.kind, str(key)))
        finally:
            api.actor = ""

    def _count_sync(self, item: Item, controller: Controller) -> None:
        """Count a sync of the object at this moment. Raises EndlessSync if there are too many."""
        syncs = self._syncs[item] = self._syncs.get(item, 0) + 1
        if syncs <= MAX_SYNCS:
            return
        busiest = sorted(self._syncs, key=lambda other: -self._syncs[other])[:2]
        names = " and ".join(f"{self._controllers[number].name} ({key})" for number, key in busiest)
        raise EndlessSync(
            Message(
                "{actors} answered each other {times} times at {now:g} s without end",
                actors=names,
                times=MAX_SYNCS,
                now=self.api.now,
            )
        )

    def _plan(self, item: Item, seconds: float) -> None:
        """Sync an object again after some seconds, unless an earlier sync is planned."""
        time = self.api.now + seconds
        if item in self._planned and self._planned[item] <= time:
            return
        self._planned[item] = time
        self._later(time, lambda: self._due(item, time), "controller")

    def _due(self, item: Item, time: float) -> None:
        if self._planned.get(item) == time:
            del self._planned[item]
            self._queue[item] = None

    def _kubelet_later(self, seconds: float, action: Callable[[], None]) -> None:
        self._later(self.api.now + seconds, action, "kubelet")

    def act_later(self, seconds: float, action: Callable[[], None]) -> None:
        """Run an action of an actor or a request after some seconds."""
        self._later(self.api.now + seconds, action, "controller")

    def _retry_later(self, seconds: float, action: Callable[[], None]) -> None:
        """Retry a refused request after some seconds, which alone does not prolong the run."""
        self._later(self.api.now + seconds, action, "retry")

    # Admission

    def _admitted(self, pod: Pod) -> Pod:
        if self.api.pod(pod.key) is not None:
            raise AdmissionRefused(f'pods "{pod.name}" already exists')
        return self.api.admit_pod(dict(pod.manifest))

    def allowed_disruptions(self) -> dict[str, int]:
        """Return the disruptions that the status of each budget allows."""
        budgets = self.api.cluster.objects("PodDisruptionBudget")
        return {
            key_of(item): self.api.workload_status(item).number("disruptionsAllowed")
            for item in budgets
            if isinstance(item, PodDisruptionBudget)
        }

    def _register_class(self, item: KubernetesObject) -> None:
        if isinstance(item, PriorityClass):
            self.api.admission.priority_classes[item.name] = item
        elif isinstance(item, StorageClass):
            self.api.admission.storage_classes[item.name] = item

    def _forget_class(self, item: KubernetesObject) -> None:
        if isinstance(item, PriorityClass):
            self.api.admission.priority_classes.pop(item.name, None)
        elif isinstance(item, StorageClass):
            self.api.admission.storage_classes.pop(item.name, None)
