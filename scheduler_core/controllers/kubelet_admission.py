"""The kubelet's own check of pods on its node (pkg/kubelet/lifecycle/predicate.go)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from scheduler_core.apis.core import Pod
from scheduler_core.controllers.api import Api
from scheduler_core.plugins.node_affinity.rule import matches_required
from scheduler_core.plugins.taint_toleration.rule import find_untolerated_taint

MIRROR = "kubernetes.io/config.mirror"  # annotation of a static pod's mirror
STANDARD = ("cpu", "memory", "ephemeral-storage", "pods")
RequestsOf = Callable[[Pod], Mapping[str, int]]


def requests_of_scheduler(pod: Pod) -> Mapping[str, int]:
    """Return the requests that kube-scheduler counts for the pod."""
    return pod.requests


def refusal_of(pod: Pod, api: Api, requests_of: RequestsOf = requests_of_scheduler) -> tuple[str, str] | None:
    """Return the reason and message with which the kubelet rejects a pod; None if it accepts it.

    predicate.go: Admit and generalFilter, kube-scheduler's AdmissionCheck: resources, affinity, ports, then NoExecute
    taints. Only a pod that specifies its node itself, or one that is resized, can fail. Here a critical pod does not
    preempt others. `requests_of`: returns the requests of other pods.
    """
    node = api.cluster.node(pod.node_name)
    if node is None:
        return None
    others = [
        other
        for other, status in api.pods_on(node.name)
        if other.key != pod.key and status.phase not in ("Succeeded", "Failed")
    ]
    used = [requests_of(other) for other in others]
    amounts = [("pods", 1, len(others))]
    amounts += [
        (name, amount, sum(resources.get(name, 0) for resources in used)) for name, amount in pod.requests.items()
    ]
    for name, wanted, taken in amounts:
        capacity = node.allocatable.get(name)
        if capacity is None and name not in STANDARD:
            continue  # not managed by the kubelet
        if wanted and taken + wanted > (capacity or 0):
            message = f"Node didn't have enough resource: {name}, requested: {wanted}, used: {taken}"
            return f"OutOf{name}", f"{message}, capacity: {capacity or 0}"
    if matches_required(pod, node) is not True:
        return "NodeAffinity", "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector"
    wanted_ports = {(port.protocol, port.port) for port in pod.host_ports}
    if wanted_ports & {(port.protocol, port.port) for other in others for port in other.host_ports}:
        return "NodePorts", "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports"
    if MIRROR not in pod.annotations and find_untolerated_taint(node.taints, pod.tolerations, ("NoExecute",)):
        return "TaintToleration", "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate"
    return None
