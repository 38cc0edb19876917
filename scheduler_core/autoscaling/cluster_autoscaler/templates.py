"""Templates of new nodes: the cloud's template, with the pods of DaemonSets.

processors/nodeinfosprovider/mixed_nodeinfos_processor.go, simulator/node_info_utils.go
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from scheduler_core.apis.core import Node, Pod
from scheduler_core.autoscaling.cloud import Cloud, Group
from scheduler_core.autoscaling.cluster_autoscaler.drainability import MIRROR, is_daemon_set_pod
from scheduler_core.autoscaling.cluster_autoscaler.taints import TaintConfig
from scheduler_core.controllers.api import Api
from scheduler_core.controllers.daemonset import expected_pod
from scheduler_core.scenario.reading.problems import Problems
from scheduler_core.scenario.settings.autoscaling import node_of_group

NODE_CRITICAL = 2_000_001_000  # system-node-critical
GOOD_AFTER = 60.0  # seconds that a node must have been ready to be its group's template


class Template(msgspec.Struct, frozen=True):
    """A node of a group, with the pods that DaemonSets would run on it."""

    node: Node
    daemon_pods: tuple[Pod, ...]

    def named(self, name: str) -> tuple[Node, list[Pod]]:
        """Return a node of this template, and its pods."""
        labels = {**self.node.labels, "kubernetes.io/hostname": name}
        node = replace(self.node, name=name, uid=name, labels=labels)
        return node, [replace(pod, name=f"{pod.name}-{name}", uid=f"{pod.uid}-{name}") for pod in self.daemon_pods]


def build_templates(cloud: Cloud, api: Api, config: TaintConfig, seen: dict[str, Template]) -> dict[str, Template]:
    """Return the template of each group that has one.

    That is a node of the group, with its static pods and those of DaemonSets; without a good one, the last good one in
    `seen`, what the cloud says, or any node.
    """
    templates = {}
    for group in cloud.groups.values():
        good, broken = _good_node(group, api), _any_node(group, api)
        if good is not None:
            seen[group.name] = _template_of(good, api, config)
        if group.name in seen:
            templates[group.name] = seen[group.name]
        elif group.spec.template is not None:
            node = _cloud_template(group, api)
            node = replace(node, taints=config.sanitized(node.taints))
            templates[group.name] = Template(node, _daemon_pods(node, api))
        elif broken is not None:
            templates[group.name] = _template_of(broken, api, config)
    return templates


def _template_of(node: Node, api: Api, config: TaintConfig) -> Template:
    """Return the template with the pods of a node that a new one would run, too (podsExpectedOnFreshNode)."""
    pods = [pod for pod, status in api.pods_on(node.name) if status.deletion_requested is None]
    running = {pod.owner.uid for pod in pods if pod.owner is not None}
    node = replace(node, taints=config.sanitized(node.taints))
    coming = (pod for pod in _daemon_pods(node, api) if pod.priority >= NODE_CRITICAL)
    missing = (pod for pod in coming if pod.owner is not None and pod.owner.uid not in running)
    return Template(node, (*(pod for pod in pods if MIRROR in pod.annotations or is_daemon_set_pod(pod)), *missing))


def _any_node(group: Group, api: Api) -> Node | None:
    return next((node for name in group.instances if (node := api.cluster.node(name)) is not None), None)


def _good_node(group: Group, api: Api) -> Node | None:
    """Return a node of the group that has been ready for long enough; None without one."""
    for name in group.instances:
        node = api.cluster.node(name)
        if node is None or node.unschedulable or any(taint.key.startswith("ToBeDeleted") for taint in node.taints):
            continue
        status = api.node_status(name)
        since = max(status.changed, node.creation_timestamp, 0.0)
        if status.ready == "True" and not status.lost and api.now - since > GOOD_AFTER:
            return node
    return None


def _cloud_template(group: Group, api: Api) -> Node:
    node = node_of_group(group.spec, 0, Problems(), api.admission)
    assert isinstance(node, Node)
    return node


def _daemon_pods(node: Node, api: Api) -> tuple[Pod, ...]:
    """Return a pod of each DaemonSet that would run on the node, even without room (GetDaemonSetPodsForNode)."""
    expected = ((daemon_set.name, expected_pod(daemon_set, node, api)) for daemon_set in api.workloads("DaemonSet"))
    named = ((f"{name}-template", pod) for name, pod in expected if pod is not None)
    return tuple(replace(pod, name=name, uid=f"{pod.namespace}/{name}") for name, pod in named)
