"""The cloud, simulated by rules: node groups with a target size, instances that become nodes, and failures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from scheduler_core.apis.autoscaling import ClusterAutoscalerSettings, NodeGroup
from scheduler_core.apis.constraints import Taint
from scheduler_core.apis.core import Node
from scheduler_core.cluster.statuses import NodeStatus
from scheduler_core.controllers.api import Api
from scheduler_core.controllers.causes import because
from scheduler_core.scenario.reading.problems import Problems
from scheduler_core.scenario.settings.autoscaling import node_of_group
from scheduler_core.trace.autoscaling_events import NodeGroupResized

NAME = "cloud"
NOT_READY = "node.kubernetes.io/not-ready"
NO_MAXIMUM = 10**9  # the maximum size of a group that has none
Later = Callable[[float, Callable[[], None]], None]


class CloudError(Exception):
    """The cloud refuses a call; the text is the provider's message."""


class Instance(msgspec.Struct):
    """A machine of a group. `error`: why it cannot be created."""

    name: str
    state: Literal["creating", "running", "deleting"] = "creating"
    error: str = ""


class Group:
    """A node group in the cloud. Its instances are in order of creation."""

    def __init__(self, spec: NodeGroup) -> None:
        self.spec = spec
        self.name = spec.name
        self.target = spec.size + len(spec.nodes)
        self.made = spec.size
        names = [f"{spec.name}-{number}" for number in range(1, spec.size + 1)]
        self.instances = {name: Instance(name, "running") for name in (*names, *spec.nodes)}

    @property
    def minimum(self) -> int:
        return self.spec.minimum

    def flags(self, flags: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the actor's flags with this group's own values."""
        return {**flags, **self.spec.options} if self.spec.options else flags

    @property
    def maximum(self) -> int:
        return NO_MAXIMUM if self.spec.maximum is None else self.spec.maximum


class Cloud:
    """All node groups. `later(seconds, action)` runs an action later."""

    def __init__(
        self, settings: ClusterAutoscalerSettings, groups: Sequence[NodeGroup], api: Api, later: Later
    ) -> None:
        self.groups: Mapping[str, Group] = {spec.name: Group(spec) for spec in groups}
        self._settings = settings
        self._api = api
        self._later = later

    def group_of(self, node_name: str) -> Group | None:
        """Return the group that has the node, None if none has."""
        return next((group for group in self.groups.values() if node_name in group.instances), None)

    def increase(self, group: Group, delta: int) -> None:
        """Raise the target of a group; instances follow unless its fault prevents them. Raises CloudError."""
        fault = self._fault(group)
        message = group.spec.fault.message if group.spec.fault is not None else ""
        if fault == "error":
            self._report(group, delta, message)
            raise CloudError(message)
        group.target += delta
        self._report(group, delta)
        if fault == "ghost":
            return
        boot = self._settings.boot_seconds if group.spec.boot_seconds is None else group.spec.boot_seconds
        for _ in range(delta):
            group.made += 1
            while f"{group.name}-{group.made}" in group.instances:
                group.made += 1
            instance = Instance(f"{group.name}-{group.made}")
            group.instances[instance.name] = instance
            if fault == "outOfResources":
                instance.error = message or "out of resources"
            elif fault != "stuck":
                self._after(boot, self._boot, group, instance)

    def decrease_target(self, group: Group, delta: int) -> None:
        """Lower the target by nodes that do not exist yet; `delta` is negative. Raises CloudError if they exist."""
        existing = len(group.instances)
        if group.target + delta < existing:
            sentence = (
                f"attempt to delete existing nodes, targetSize: {group.target} delta: {delta} existingNodes: {existing}"
            )
            self._report(group, delta, sentence)
            raise CloudError(sentence)
        group.target += delta
        self._report(group, delta)

    def delete(self, group: Group, names: Sequence[str]) -> None:
        """Lower the target of a group, and remove these nodes after `delete_seconds`."""
        group.target -= len(names)
        for name in names:
            group.instances[name].state = "deleting"
            self._after(self._settings.delete_seconds, self._remove, group, group.instances[name])
        self._report(group, -len(names), nodes=names)

    def _after(self, seconds: float, act: Callable[[Group, Instance], None], group: Group, instance: Instance) -> None:
        self._later(seconds, lambda: act(group, instance))

    def _fault(self, group: Group) -> str:
        fault = group.spec.fault
        return fault.mode if fault is not None and (fault.until is None or self._api.now < fault.until) else ""

    def _report(self, group: Group, delta: int, error: str = "", nodes: Sequence[str] = ()) -> None:
        self._api.emit(NodeGroupResized(group.name, delta, group.target, list(nodes), error))

    def _boot(self, group: Group, instance: Instance) -> None:
        """Register the node of an instance that is being created; it becomes ready later."""
        if instance.state != "creating":
            return
        instance.state = "running"
        number = int(instance.name.rpartition("-")[2])
        node = node_of_group(group.spec, number, Problems(), self._api.admission)
        assert isinstance(node, Node)
        taints = (*node.taints, *group.spec.startup_taints, Taint(NOT_READY, "", "NoSchedule"))
        node = replace(node, taints=taints, creation_timestamp=self._api.second)
        self._api.statuses.nodes[node.name] = NodeStatus(ready="False", changed=self._api.now)
        self._api.actor = NAME
        self._api.apply_object(node, "create", because("instance-started", group=group.name))
        ready = self._settings.ready_seconds if group.spec.ready_seconds is None else group.spec.ready_seconds
        self._later(ready, lambda: self._become_ready(node.name))

    def _become_ready(self, name: str) -> None:
        node = self._api.cluster.node(name)
        if node is None or self._api.node_status(name).lost:
            return
        self._api.actor = NAME
        self._api.set_node_status(node, NodeStatus(ready="True", changed=self._api.now), "KubeletReady")
        if any(taint.key == NOT_READY for taint in node.taints):
            ready = replace(node, taints=tuple(taint for taint in node.taints if taint.key != NOT_READY))
            self._api.apply_object(ready, "update", because("node-ready"))

    def _remove(self, group: Group, instance: Instance) -> None:
        """Terminate an instance, and remove its node and the pods on it."""
        group.instances.pop(instance.name, None)
        node = self._api.cluster.node(instance.name)
        if node is None:
            return
        self._api.actor = NAME
        for pod, _ in self._api.pods_on(node.name):
            self._api.delete_pod(pod, because("instance-ended", node=node.name), grace=0.0)
        self._api.delete("Node", node.name, because("instance-ended", node=node.name))
