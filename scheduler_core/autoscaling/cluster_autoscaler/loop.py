"""Cluster Autoscaler's passes, in the order of its source (core/static_autoscaler.go, loop/trigger.go)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from zlib import crc32

import numpy as np
from msgspec.structs import replace

from scheduler_core.apis.autoscaling import ClusterAutoscalerSettings, NodeGroup
from scheduler_core.apis.core import Pod, PodKey
from scheduler_core.autoscaling.cloud import Cloud, CloudError, Group
from scheduler_core.autoscaling.cluster_autoscaler.actuation import Actuator
from scheduler_core.autoscaling.cluster_autoscaler.cluster_state import ClusterState, Request
from scheduler_core.autoscaling.cluster_autoscaler.drainability import is_daemon_set_pod
from scheduler_core.autoscaling.cluster_autoscaler.evaluation import evaluated_scale_down, evaluated_scale_up
from scheduler_core.autoscaling.cluster_autoscaler.events import Recorder, go_duration
from scheduler_core.autoscaling.cluster_autoscaler.expanders import Expanders
from scheduler_core.autoscaling.cluster_autoscaler.scale_down import Candidate, Planner
from scheduler_core.autoscaling.cluster_autoscaler.scale_up import Orchestrator, Plan, ScaleUp, total_reached
from scheduler_core.autoscaling.cluster_autoscaler.templates import Template, build_templates
from scheduler_core.autoscaling.snapshot import Snapshot, filters_of
from scheduler_core.controllers.api import Api, Change
from scheduler_core.scenario.fields.autoscaling_fields import FLAGS
from scheduler_core.scenario.fields.schema import DURATION
from scheduler_core.scenario.reading.times import parse_duration
from scheduler_core.trace.autoscaling_events import ScaleDownEvaluated, ScaleUpEvaluated

NAME = "cluster-autoscaler"
UNSCHEDULABLE_POD_BUFFER = 2.0  # seconds that a pod has to be old (unschedulablePodTimeBuffer)
GPU_POD_BUFFER = 30.0  # counted from the oldest of those that ask for GPUs
ROUNDING = 1e-6  # of times as binary fractions, so that a pass is not due at its own time again
BEFORE_START = 3600.0  # how long before its start it takes the last scale-up and deletion to have been
PASS_SECONDS = 0.05  # that a pass takes: what must last longer than n intervals has lasted so long n passes later
NOT_READY_SECONDS = 600.0  # after its start, a cluster without ready nodes is reported (NodesNotReadyAfterStartTimeout)
MAX_ERRORS = 3  # of instances; if there are more, the event ends with dots
OUT_OF_RESOURCES = "OutOfResource.OutOfResources"  # the class and the code of the errors of instances
REACTION = 0.1  # seconds from a pod that cannot be scheduled to the pass that looks at it
GPU = "nvidia.com/gpu"
Later = Callable[[float, Callable[[], None]], None]


class ClusterAutoscaler:
    """Cluster Autoscaler as an `Actor`. `later(seconds, action)` calls the action in that many seconds."""

    name = NAME

    def __init__(
        self,
        settings: ClusterAutoscalerSettings,
        groups: Sequence[NodeGroup],
        api: Api,
        later: Later,
        rng: np.random.Generator | None,
    ) -> None:
        self._settings = settings
        self._flags = settings.flags
        self._api = api
        self._later = later
        self.cloud = Cloud(settings, groups, api, self._as_actor)
        self._state = ClusterState(self.cloud, api, self._flags)
        self._expanders = Expanders(settings, rng)
        self._recorder = Recorder(api)
        self._orchestrator = Orchestrator(self.cloud, self._state, self._flags, self._expanders, self._recorder)
        self._filters = filters_of(api.release)
        self._planner = Planner(api, self.cloud, self._state, self._flags)
        self._actuator = Actuator(api, self.cloud, self._flags, self._as_actor, self._recorder)
        self._next_pass = float("inf")
        self._last_scale_up = self._last_deletion = settings.start_seconds - BEFORE_START
        self._hints: dict[str, str] = {}  # where pods were placed in earlier passes
        self._seen: dict[str, Template] = {}  # the templates of groups that were made from one of their nodes
        self._added: dict[PodKey, float] = {}  # when pods were seen first
        self._last_evaluations: dict[type, ScaleUpEvaluated | ScaleDownEvaluated] = {}  # what the last pass found

    def start(self) -> None:
        """Plan the first pass: shortly after the start if pods are pending, otherwise after the interval."""
        self._later(self._settings.start_seconds, self._begin)

    def watch(self, change: Change) -> None:
        """Note when a pod without a node is first seen, and plan an early pass for it."""
        if change.kind != "Pod":
            return
        if change.what == "added" and not change.object.node_name:
            self._added[change.object.key] = self._api.now
            self._plan_early(REACTION)
        elif change.what == "deleted":
            self._added.pop(change.object.key, None)

    def _begin(self) -> None:
        self._next_pass = float("inf")
        self._plan(self._flags["scan-interval"])
        if any(self._unschedulable()):
            self._plan_early(REACTION)

    def _plan(self, seconds: float) -> None:
        """Plan a pass, unless one is planned that is not later, or the actor has not started."""
        time = self._api.now + seconds
        if self._api.now >= self._settings.start_seconds and time < self._next_pass:
            self._next_pass = time
            self._later(seconds, lambda: self._due(time))

    def _plan_early(self, seconds: float) -> None:
        """Plan a pass before the interval is over, if the flag allows it, as by default (frequent-loops-enabled)."""
        if self._flags["frequent-loops-enabled"]:
            self._plan(seconds)

    def _due(self, time: float) -> None:
        if time == self._next_pass:
            self._next_pass = float("inf")
            self._plan(self._flags["scan-interval"] + PASS_SECONDS)
            self._api.actor = NAME
            if self._run_once():
                self._plan_early(REACTION)

    def _as_actor(self, seconds: float, action: Callable[[], None]) -> None:
        def act() -> None:
            self._api.actor = NAME
            action()

        self._later(seconds, act)

    # One pass

    def _snapshot(self) -> Snapshot:
        return Snapshot(self._api.cluster, self._api.release, self._filters)

    def _templates(self) -> dict[str, Template]:
        return build_templates(self.cloud, self._api, self._state.taints, self._seen)

    def _run_once(self) -> bool:
        """Make a pass. Return whether it tried a scale-up or began a deletion, so that another one follows soon."""
        cutoff = self._flags["expendable-pods-priority-cutoff"]
        if self._is_empty():
            return False
        snapshot = self._snapshot()
        self._keep_allocated(snapshot, cutoff)
        templates = self._templates()
        for group, request in self._state.update():
            self._revert(group, request)
        broken = self._state.instances_with_errors()
        for group, names in broken:
            self._take_back(group, names)
        self._remove_long_unregistered()
        if not self._state.is_healthy():
            self._planner.clean_up()
            self._recorder.record_status("ClusterUnhealthy", "Cluster is unhealthy", "Warning")
            return False
        for group, names in broken:
            self.cloud.delete(group, names)
        try:
            fixes = self._state.sizes_to_fix()
            for group, delta in fixes:
                self.cloud.decrease_target(group, delta)
            if fixes:
                return False
        except CloudError:
            return False
        self._add_upcoming(snapshot, templates)
        pods = self._pods_to_help(snapshot, cutoff)
        return self._decide(pods, snapshot, templates)

    def _is_empty(self) -> bool:
        """Return whether --scale-up-from-zero forbids to act, as no node is ready (actionable_cluster_processor.go).

        Unready nodes are reported from ten minutes after the start.
        """
        if self._flags["scale-up-from-zero"] or self._ready_nodes():
            return False
        self._planner.clean_up()
        if not self._api.cluster.all_nodes():
            self._recorder.record_status("ClusterUnhealthy", "Cluster has no nodes.", "Warning")
        elif self._api.now > self._settings.start_seconds + NOT_READY_SECONDS:
            self._recorder.record_status("ClusterUnhealthy", "Cluster has no ready nodes.", "Warning")
        return True

    def _ready_nodes(self) -> int:
        """Return the number of nodes, also those in no group, that are ready and not cordoned."""
        nodes = self._api.cluster.all_nodes()
        return sum(not node.unschedulable and self._state.is_ready(node) for node in nodes)

    # What it would do, for questions

    def plan_scale_up(self) -> tuple[list[Pod], Plan, dict[str, Template]]:
        """Return the pods that need nodes, the plan of a pass for them, not carried out, and the groups' templates."""
        cutoff = self._flags["expendable-pods-priority-cutoff"]
        snapshot = self._snapshot()
        self._keep_allocated(snapshot, cutoff)
        templates = self._templates()
        self._state.update()
        self._add_upcoming(snapshot, templates)
        pods = self._pods_to_help(snapshot, cutoff)
        return pods, self._orchestrator.plan(pods, snapshot, templates), templates

    def scores(self, plan: Plan) -> list[dict[str, float]]:
        """Return the values that the expanders compared, by option."""
        return self._expanders.scores(plan.options)

    @contextmanager
    def imagined(self) -> Iterator[Callable[[Plan], None]]:
        """Plan further passes: the yielded function treats the nodes of a plan as ordered, until the block ends."""
        sizes = {group.name: group.target for group in self.cloud.groups.values()}
        requests = dict(self._state.requests)

        def order(plan: Plan) -> None:
            for resize in plan.resizes:
                resize.group.target = resize.new
                self._state.request(resize.group, resize.new - resize.old)

        try:
            yield order
        finally:
            self._state.requests = requests
            for group in self.cloud.groups.values():
                group.target = sizes[group.name]

    @contextmanager
    def without_totals(self) -> Iterator[None]:
        """Plan without --cores-total and --memory-total."""
        flags = self._orchestrator.flags
        self._orchestrator.flags = {**flags, **{name: FLAGS[name][1] for name in ("cores-total", "memory-total")}}
        try:
            yield
        finally:
            self._orchestrator.flags = flags

    def plan_scale_down(self) -> tuple[dict[str, Candidate], dict[str, str]]:
        """Return all nodes that are not needed, not just as many as one pass finds, and why each other one stays."""
        snapshot = self._snapshot()
        self._keep_allocated(snapshot, self._flags["expendable-pods-priority-cutoff"])
        self._state.update()
        self._planner.update(snapshot, limited=False)
        stays = dict(self._planner.unremovable)
        for group in self.cloud.groups.values():
            if group.target <= group.minimum:
                stays |= dict.fromkeys(group.instances, "NodeGroupMinSizeReached")
        for node in self._api.cluster.all_nodes():
            if self.cloud.group_of(node.name) is None:
                stays[node.name] = "NotAutoscaled"
        return dict(self._planner.unneeded), stays

    def _decide(self, pods: list[Pod], snapshot: Snapshot, templates: dict[str, Template]) -> bool:
        """Scale up or down, and record the events. Return whether a scale-up was tried or a deletion began."""
        scale_up, filled = ScaleUp("not needed"), ScaleUp("not needed")
        total, new = self._flags["max-nodes-total"], False
        if pods and total and self._ready_nodes() >= total:
            self._recorder.record_status(*total_reached(total), "Warning")
            scale_up = ScaleUp("too many nodes", reasons={pod.key: [] for pod in pods})
        elif self._are_all_new(pods):
            new = True
        elif pods:
            plan = self._orchestrator.plan(pods, snapshot, templates)
            self._emit_evaluation(evaluated_scale_up(pods, plan, self.scores(plan)))
            scale_up = self._orchestrator.carry_out(plan)
        self._note_scale_up(scale_up)
        deleting = self._flags["scale-down-enabled"] and self._scale_down(snapshot, forbidden=new)
        if self._flags["enforce-node-group-min-size"]:
            filled = self._orchestrator.fill_to_minimum(snapshot.nodes(), templates)
            self._note_scale_up(filled)
        return deleting or any(result.result in ("successful", "failed") for result in (scale_up, filled))

    def _keep_allocated(self, snapshot: Snapshot, cutoff: int) -> None:
        """Remove pods from the snapshot that do not count: only bound or nominated pods that are not
        expendable stay.
        """
        for pod in list(snapshot.cluster.pods.all()):
            place = pod.node_name or pod.nominated_node_name
            snapshot.remove_pod(pod.key)
            if place and pod.priority >= cutoff and snapshot.cluster.node(place) is not None:
                snapshot.place(pod, place)

    def _remove_long_unregistered(self) -> None:
        """Delete instances that have not become nodes in time, down to the minimum unless a flag ignores it."""
        for group in self.cloud.groups.values():
            names = self._state.readiness[group.name].long_unregistered
            possible = len(names) if self._flags["force-delete-unregistered-nodes"] else group.target - group.minimum
            names = names[: max(possible, 0)]
            if names:
                self.cloud.delete(group, names)
            for name in names:
                self._recorder.record_status("DeleteUnregistered", f"Removed unregistered node {name}")

    def _revert(self, group: Group, request: Request) -> None:
        """Report a scale-up that timed out, and lower the target by its nodes (updateScaleRequests)."""
        late = go_duration(self._api.now - request.since)
        text = f"Nodes added to group {group.name} failed to register within {late}"
        self._recorder.record_status("ScaleUpTimedOut", text, "Warning")
        try:
            self.cloud.decrease_target(group, -request.increase)
        except CloudError as error:
            text = f"Failed to decrease target size for group {group.name} after scale-up timeout: {error}"
            self._recorder.record_status("FailedToRevertScaleUp", text, "Warning")

    def _take_back(self, group: Group, names: Sequence[str]) -> None:
        """Report instances that cannot be created, and take them off the open scale-up."""
        errors = list(dict.fromkeys(group.instances[name].error for name in names))
        count = self._state.take_back(group, names)
        if count:
            texts = ", ".join(errors) + (", ..." if len(errors) > MAX_ERRORS else "")
            why = f"{OUT_OF_RESOURCES}; source errors: {texts}"
            text = f"Failed adding {count} nodes to group {group.name} due to {why}"
            self._recorder.record_status("ScaleUpFailed", text, "Warning")

    def _add_upcoming(self, snapshot: Snapshot, templates: dict[str, Template]) -> None:
        """Add nodes that are starting to the snapshot, in place of registered ones that are not ready."""
        for group in self.cloud.groups.values():
            count = self._state.upcoming(group)
            for name in self._state.readiness[group.name].not_started if count else ():
                snapshot.remove_node(name)
            for number in range(count):
                if group.name in templates:
                    snapshot.add_node(*templates[group.name].named(f"upcoming-{group.name}-{number}"))

    # The pods to help (core/podlistprocessor)

    def _unschedulable(self) -> list[Pod]:
        """Return the pods that wait for a node."""
        return [pod for pod in self._api.cluster.pods.all() if self._api.waits_for_node(pod)]

    def _pods_to_help(self, snapshot: Snapshot, cutoff: int) -> list[Pod]:
        """Return the pods for which nodes may be added: those that fit no node of the snapshot and are old enough.

        Pods of DaemonSets are left out. Pods that fit a node are placed there in the snapshot.
        """
        drained = self._actuator.drained_pods()
        for pod in drained:
            if snapshot.cluster.pods.get(pod.key) is not None:
                snapshot.remove_pod(pod.key)
        leaving = set(self._actuator.in_progress)
        pods = [pod for pod in self._unschedulable() if pod.priority >= cutoff]
        candidates = [*pods, *(_without_node(pod) for pod in drained)]
        unplaced: set[PodKey] = set()
        for pod in sorted(candidates, key=self._importance):
            name = snapshot.find_node(pod, lambda name: name not in leaving, self._hints.get(pod.key, ""))
            if name:
                self._hints[pod.key] = name
                snapshot.place(pod, name)
            else:
                unplaced.add(pod.key)
        delay = self._flags["new-pod-scale-up-delay"]
        return [
            pod
            for pod in candidates
            if pod.key in unplaced and not is_daemon_set_pod(pod) and self._is_old_enough(pod, delay)
        ]

    def _importance(self, pod: Pod) -> tuple[int, int, int]:
        """Return a sort key: high priorities first, then old pods.

        Pods of the same second are ordered by a hash, since the lister's order is not defined.
        """
        return -pod.priority, int(self._added.get(pod.key, 0.0)), crc32(pod.key.encode())

    def _is_old_enough(self, pod: Pod, delay: float) -> bool:
        """Return whether the pod is older than the delay; its own one counts if it is a Go duration, and the longer."""
        own = pod.annotations.get("cluster-autoscaler.kubernetes.io/pod-scale-up-delay")
        if own is not None and not DURATION.check(own):
            delay = max(parse_duration(own), delay)
        return not delay or self._age(pod) > delay

    def _age(self, pod: Pod) -> float:
        return self._api.now - self._added.get(pod.key, float("-inf"))

    def _are_all_new(self, pods: list[Pod]) -> bool:
        """Return whether all pods, or all that request GPUs, are so new that similar ones may follow.

        If so, a pass is planned for when they are old enough.
        """
        if not pods:
            return False
        with_gpu = [self._age(pod) for pod in pods if pod.requests.get(GPU)]
        if with_gpu and max(with_gpu) < GPU_POD_BUFFER - ROUNDING:
            self._plan_early(GPU_POD_BUFFER - max(with_gpu))
            return True
        oldest = max(map(self._age, pods))
        if oldest < UNSCHEDULABLE_POD_BUFFER - ROUNDING:
            self._plan_early(UNSCHEDULABLE_POD_BUFFER - oldest)
            return True
        return False

    # Scale-down

    def _scale_down(self, snapshot: Snapshot, *, forbidden: bool) -> bool:
        """Update the unneeded nodes, and delete those that are due unless that is forbidden or too early.

        Return whether a deletion began.
        """
        leaving = [
            *self._actuator.in_progress,
            *(
                name
                for group in self.cloud.groups.values()
                for name, instance in group.instances.items()
                if instance.state == "deleting"
            ),
        ]
        upcoming = [node.name for node in snapshot.nodes() if self._api.cluster.node(node.name) is None]
        self._planner.update(snapshot, leaving, upcoming)
        self._emit_evaluation(evaluated_scale_down(self._planner))
        now = self._api.now
        cooling = (
            forbidden
            or now - self._last_scale_up < self._flags["scale-down-delay-after-add"]
            or now - self._last_deletion < self._flags["scale-down-delay-after-delete"]
        )
        deleting = False
        if not cooling:
            deleting = self._actuator.start(*self._planner.nodes_to_delete(self._actuator.in_progress))
        if deleting:
            self._last_deletion = now
        self._actuator.soft_taint(self._planner.unneeded, leaving)
        return deleting

    # Events

    def _emit_evaluation(self, event: ScaleUpEvaluated | ScaleDownEvaluated | None) -> None:
        """Emit the findings of a pass, unless they equal those of the previous one."""
        if event is not None and self._last_evaluations.get(type(event)) != event:
            self._last_evaluations[type(event)] = event
            self._api.emit(event)

    def _note_scale_up(self, scale_up: ScaleUp) -> None:
        """Note the time of a scale-up, and record the events on pods (eventing_scale_up_processor.go)."""
        for reason, text in self._expanders.warnings:
            self._recorder.record_priorities(reason, f"Priority expander: {text}")
        self._expanders.warnings.clear()
        if scale_up.result == "successful":
            self._last_scale_up = self._api.now
            changes = " ".join(
                f"{{{resize.group.name} {resize.old}->{resize.new} (max: {resize.group.maximum})}}"
                for resize in scale_up.resizes
            )
            for pod in scale_up.helped:
                self._recorder.record(pod, "TriggeredScaleUp", f"pod triggered scale-up: [{changes}]")
        elif scale_up.result != "failed":
            for key, reasons in scale_up.reasons.items():
                stored = self._api.pod(key)
                counted = ", ".join(f"{count} {reason}" for reason, count in Counter(reasons).items())
                if scale_up.result == "too many nodes":
                    counted = "max total nodes in cluster reached"
                if stored is not None:
                    self._recorder.record(stored, "NotTriggerScaleUp", f"pod didn't trigger scale-up: {counted}")


def _without_node(pod: Pod) -> Pod:
    return replace(pod, node_name="")
