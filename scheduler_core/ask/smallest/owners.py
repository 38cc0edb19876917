"""The workload of a pod.

A Deployment is known by the name of its ReplicaSet, which ends with the pod's `pod-template-hash`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from scheduler_core.apis.core import Pod, Workload
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.controllers.deployment import revision_of
from scheduler_core.trace.records import PodSummary

HASH = "pod-template-hash"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


class WorkloadName(NamedTuple):
    """A workload that creates pods."""

    kind: str
    namespace: str
    name: str


def workload_of(pod: Pod) -> WorkloadName | None:
    """Return the workload that people change, the Deployment rather than its ReplicaSet; None without an owner."""
    owner = pod.owner
    if owner is None:
        return None
    kind, name = _top_owner(owner.kind, owner.name, pod.labels)
    return WorkloadName(kind, pod.namespace, name)


def workload_in_trace(pod: PodSummary) -> str:
    """Return the workload of a pod of the trace that people change, as "Deployment/web"; "" without an owner."""
    kind, _, name = pod.owner.partition("/")
    return "/".join(_top_owner(kind, name, pod.labels)) if kind else ""


def _top_owner(kind: str, name: str, labels: Mapping[str, str]) -> tuple[str, str]:
    """Return the kind and name of the owner, or of its Deployment if it is a ReplicaSet."""
    ending = f"-{labels.get(HASH)}"
    if kind == "ReplicaSet" and HASH in labels and name.endswith(ending):
        return "Deployment", name.removesuffix(ending)
    return kind, name


def are_siblings(pod: Pod, other: Pod) -> bool:
    """Return whether these are two pods of the same workload."""
    workload = workload_of(pod)
    return workload is not None and pod.key != other.key and workload_of(other) == workload


def siblings(pod: Pod, cluster: Cluster) -> Iterator[Pod]:
    """Yield the other pods of the pod's workload."""
    return (other for other in cluster.pods.all() if are_siblings(pod, other))


def older_revisions(pod: Pod, cluster: Cluster) -> list[Pod]:
    """Return the pods with a node that the pod replaces in its Deployment's rollout: those of older revisions.

    Without the revisions of their ReplicaSets, those of another template that are not younger than the pod are older.
    """
    mine = pod.labels.get(HASH)
    if not mine:
        return []
    revision = _revision(pod, cluster)

    def is_older(other: Pod) -> bool:
        theirs = _revision(other, cluster)
        if revision and theirs:
            return theirs < revision
        return other.creation_timestamp <= pod.creation_timestamp

    others = (other for other in siblings(pod, cluster) if other.node_name)
    return [other for other in others if other.labels.get(HASH) not in (None, mine) and is_older(other)]


def _revision(pod: Pod, cluster: Cluster) -> int:
    """Return the revision of the pod's ReplicaSet, 0 if it is not known."""
    assert pod.owner is not None
    replica_set = cluster.get("ReplicaSet", f"{pod.namespace}/{pod.owner.name}")
    return revision_of(replica_set) if isinstance(replica_set, Workload) else 0


def is_selected_label(pod: Pod, key: str, cluster: Cluster) -> bool:
    """Return whether the pod's controller selects pods by this label, so that no pod can do without it."""
    if pod.owner is None:
        return False
    for item in cluster.objects(pod.owner.kind):
        if isinstance(item, Workload) and (item.namespace, item.name) == (pod.namespace, pod.owner.name):
            return any(requirement.key == key for requirement in item.selector.requirements)
    return True  # of a controller that is not known, any label may be selected


def pinned_node(pod: Pod) -> str:
    """Return the only node that a DaemonSet's pod can run on (daemon_controller.go), "" for other pods."""
    if pod.owner is None or pod.owner.kind != "DaemonSet":
        return ""
    affinity = ((pod.manifest.get("spec") or {}).get("affinity") or {}).get("nodeAffinity") or {}
    for term in (affinity.get(REQUIRED) or {}).get("nodeSelectorTerms") or ():
        for field in term.get("matchFields") or ():
            if field.get("key") == "metadata.name" and len(field.get("values") or ()) == 1:
                return str(field["values"][0])
    return ""
