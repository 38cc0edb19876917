"""A dump of a cluster with node groups or NodePools, as `kubectl get -o yaml` prints it, with pending pods.

Node groups of EKS: `general` (8 cpus, in three zones), `large` (16 cpus, at its maximum), `gpu` (tainted). Half of the
nodes of `general` are nearly empty. Of the pending pods, `queue-*` fit on new nodes of `general`; `report` needs more
than it has, and `large` is full; `train` lacks a toleration; `vast` fits nowhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

Manifest = dict[str, Any]
MADE = "2026-01-02T03:04:05Z"
GROUPS = {  # name: (share of the nodes in percent, cpus, GiB, taint, instance type)
    "general": (80, 8, 32, "", "m5.2xlarge"),
    "large": (15, 16, 64, "", "m5.4xlarge"),
    "gpu": (5, 8, 61, "nvidia.com/gpu", "p3.2xlarge"),
}
ZONES = ("eu-west-1a", "eu-west-1b", "eu-west-1c")
PENDING = {"report": 14, "train": 4, "vast": 64}  # cpus


def dump(nodes: int, *, karpenter: bool = False, queued: int = 6) -> str:
    """Return the JSON of a List: nodes, pods, a budget, and either the sizes of the groups or their NodePools."""
    items: list[Manifest] = []
    for group, (share, *_) in GROUPS.items():
        for number in range(nodes * share // 100):
            items += _node_with_pods(group, number, karpenter=karpenter)
    items += [_pod("train", PENDING["train"], extra={"nvidia.com/gpu": "1"})]
    items += [_pod("report", PENDING["report"]), _pod("vast", PENDING["vast"])]
    items += [_pod(f"queue-{number}", 7.5) for number in range(queued)]
    items.append(
        {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": "kept", "namespace": "default"},
            "spec": {"maxUnavailable": 0, "selector": {"matchLabels": {"app": "kept"}}},
        }
    )
    items += map(_pool, GROUPS) if karpenter else [_status(nodes)]
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": items})


def _node_with_pods(group: str, number: int, *, karpenter: bool) -> Iterator[Manifest]:
    _, cpus, memory, taint, kind = GROUPS[group]
    name = f"ip-10-{list(GROUPS).index(group)}-{number // 250}-{number % 250}.eu-west-1.compute.internal"
    label = "karpenter.sh/nodepool" if karpenter else "eks.amazonaws.com/nodegroup"
    room = {"cpu": f"{cpus * 1000 - 100}m", "memory": f"{memory - 1}Gi", "pods": "58"}
    room |= {"nvidia.com/gpu": "1"} if taint else {}
    labels = {
        "kubernetes.io/hostname": name,
        "topology.kubernetes.io/zone": ZONES[number % len(ZONES)],
        "node.kubernetes.io/instance-type": kind,
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/os": "linux",
        "karpenter.sh/capacity-type" if karpenter else "eks.amazonaws.com/capacityType": "on-demand",
        label: group,
    }
    spec = {"taints": [{"key": taint, "effect": "NoSchedule"}]} if taint else {}
    conditions = [{"type": "Ready", "status": "True", "lastTransitionTime": MADE}]
    yield {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "creationTimestamp": MADE, "labels": labels},
        "spec": spec,
        "status": {
            "capacity": room,
            "allocatable": dict(room),
            "conditions": conditions,
            "nodeInfo": {"kubeletVersion": "v1.33.4-eks-1-33"},
        },
    }
    yield _pod(f"proxy-{group}-{number}", 0.1, name, owner=("DaemonSet", "proxy"), tolerates=True)
    if taint:
        yield _pod(
            f"model-{number}", 4, name, owner=("ReplicaSet", "model"), extra={"nvidia.com/gpu": "1"}, tolerates=True
        )
    elif group == "general" and number % 20 == 1:
        yield _pod(f"kept-{group}-{number}", 1, name, app="kept")
    elif group == "general" and number % 2:
        yield _pod(f"idle-{number}", 0.5, name, owner=("ReplicaSet", "idle"))
    else:
        yield _pod(f"web-{group}-{number}", cpus - 2, name, owner=("ReplicaSet", f"web-{number % 9}"))


def _pod(
    name: str,
    cpus: float,
    on: str = "",
    *,
    app: str = "",
    owner: tuple[str, str] = ("ReplicaSet", ""),
    extra: Manifest | None = None,
    tolerates: bool = False,
) -> Manifest:
    kind, of = owner[0], owner[1] or name.split("-", maxsplit=1)[0]
    reference = {"apiVersion": "apps/v1", "kind": kind, "name": of, "uid": f"uid-{of}", "controller": True}
    requests = {"cpu": f"{int(cpus * 1000)}m", "memory": "1Gi"}
    container = {"name": "c", "image": "registry.example.com/c:1", "resources": {"requests": requests}}
    if extra:
        container["resources"] = {"requests": {**requests, **extra}, "limits": extra}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "default",
            "creationTimestamp": MADE,
            "labels": {"app": app or of},
            "ownerReferences": [reference],
        },
        "spec": {
            "containers": [container],
            **({"nodeName": on} if on else {}),
            **({"tolerations": [{"operator": "Exists"}]} if tolerates else {}),
        },
        "status": {"phase": "Running" if on else "Pending"},
    }


def _pool(group: str) -> Manifest:
    _, _, _, taint, kind = GROUPS[group]
    requirements = [
        {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": [kind]},
        {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]},
    ]
    spec: Manifest = {
        "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"},
        "requirements": requirements,
        "expireAfter": "Never",
        **({"taints": [{"key": taint, "effect": "NoSchedule"}]} if taint else {}),
    }
    limits = {"limits": {"cpu": "1"}} if group == "large" else {}
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": group},
        "spec": {"template": {"spec": spec}, **limits},
    }


def _status(nodes: int) -> Manifest:
    """Return the ConfigMap in which Cluster Autoscaler states the sizes of its groups."""
    groups = []
    for group, (share, *_) in GROUPS.items():
        size = nodes * share // 100
        most = size if group == "large" else size + 50
        groups.append({"name": f"eks-{group}-1234abcd", "health": {"minSize": 1, "maxSize": most}})
    text = json.dumps({"autoscalerStatus": "Running", "nodeGroups": groups})
    metadata = {"name": "cluster-autoscaler-status", "namespace": "kube-system"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"status": text}}
