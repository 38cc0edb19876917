"""Controllers that the scenario does not contain: they recreate their pods after deletion.

`kubectl get nodes,pods` lists pods whose ReplicaSet or StatefulSet is not in the file. In the cluster their controllers
exist, so that a pod that was evicted or preempted is replaced. Here the replacement keeps the name, so that it can be
followed.
"""

from __future__ import annotations

from typing import Any

from scheduler_core.apis.core import Pod
from scheduler_core.controllers.api import Api
from scheduler_core.controllers.causes import because
from scheduler_core.controllers.daemonset import pinned_to, target_node
from scheduler_core.controllers.kubelet_admission import MIRROR

NAME = "absent-owner"
OF_OBJECT = ("uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "resourceVersion")


def reconcile(key: str, api: Api) -> None:
    """Recreate a deleted pod whose controller is not in the scenario, unless a pod with its name exists.

    A DaemonSet's pod is recreated only while its node exists, a mirror pod by its kubelet. Raises AdmissionRefused.
    """
    pod = api.take_departed(key)
    if pod is None or api.pod(key) is not None or MIRROR in pod.annotations:
        return
    manifest = replacement(pod)
    owner = pod.owner
    if owner is not None and owner.kind == "DaemonSet":
        node_name = target_node(pod)
        if api.cluster.node(node_name) is None:
            return
        manifest["spec"] = pinned_to(node_name, manifest["spec"])
    api.recreate_pod(manifest, because("absent-owner", owner=f"{owner.kind} {owner.name}" if owner else "a controller"))


def replacement(pod: Pod) -> dict[str, Any]:
    """Return the manifest with which an absent controller recreates a pod, with the same name."""
    metadata = {key: value for key, value in (pod.manifest.get("metadata") or {}).items() if key not in OF_OBJECT}
    spec = {key: value for key, value in (pod.manifest.get("spec") or {}).items() if key != "nodeName"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
