"""Build the output of `kubectl get nodes,pods -A -o yaml`, including the fields that a scheduler does not read."""

from __future__ import annotations

from typing import Any

MADE = "2024-01-02T00:00:00Z"


def dump(nodes: int, pods: int) -> dict[str, Any]:
    """Return a List of nodes and pods, of which every fourth pod is pending."""
    items = [_node(i) for i in range(nodes)] + [_pod(i, nodes) for i in range(pods)]
    return {"apiVersion": "v1", "kind": "List", "items": items}


def _node(i: int) -> dict[str, Any]:
    name, room = f"node-{i:04d}", {"cpu": "32", "memory": "65536Mi", "ephemeral-storage": "100Gi", "pods": "110"}
    labels = {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": f"z{i % 3}", "kubernetes.io/os": "linux"}
    conditions = [
        {"type": kind, "status": "False", "reason": "Sufficient", "message": "enough", "lastHeartbeatTime": MADE}
        for kind in ("MemoryPressure", "DiskPressure", "PIDPressure")
    ]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "uid": f"n-{i}", "creationTimestamp": MADE, "labels": labels},
        "spec": {"podCIDR": f"10.{i % 256}.0.0/24"},
        "status": {"capacity": room, "allocatable": dict(room), "conditions": conditions},
    }


def _pod(i: int, nodes: int) -> dict[str, Any]:
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": f"web-{i % 50}", "uid": f"rs-{i % 50}"}
    sources = [
        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
        {"configMap": {"items": [{"key": "ca.crt", "path": "ca.crt"}], "name": "kube-root-ca.crt"}},
    ]
    container = {
        "name": "web",
        "image": "registry.example.com/web:1.2.3",
        "imagePullPolicy": "IfNotPresent",
        "ports": [{"containerPort": 8080, "protocol": "TCP"}],
        "env": [{"name": "A", "value": "b"}, {"name": "C", "value": "d"}],
        "resources": {
            "requests": {"cpu": "100m", "memory": "200Mi"},
            "limits": {"cpu": "200m", "memory": "400Mi"},
        },
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "volumeMounts": [{"mountPath": "/var/run/secrets", "name": "kube-api-access", "readOnly": True}],
    }
    spec: dict[str, Any] = {
        "containers": [container],
        "dnsPolicy": "ClusterFirst",
        "enableServiceLinks": True,
        "preemptionPolicy": "PreemptLowerPriority",
        "priority": 0,
        "restartPolicy": "Always",
        "schedulerName": "default-scheduler",
        "securityContext": {},
        "serviceAccountName": "default",
        "terminationGracePeriodSeconds": 30,
        "tolerations": [
            {"effect": "NoExecute", "key": f"node.kubernetes.io/{what}", "operator": "Exists", "tolerationSeconds": 300}
            for what in ("not-ready", "unreachable")
        ],
        "volumes": [{"name": "kube-api-access", "projected": {"defaultMode": 420, "sources": sources}}],
    }
    labels = {"app": f"app-{i % 50}", "pod-template-hash": "5d4f8c7b9"}
    name = {"name": f"web-{i:05d}-abcde", "namespace": f"team-{i % 20}", "uid": f"p-{i}"}
    metadata = {**name, "creationTimestamp": MADE, "labels": labels, "ownerReferences": [owner]}
    status: dict[str, Any] = {"phase": "Pending", "qosClass": "Burstable"}
    if i % 4:
        spec["nodeName"] = f"node-{i % nodes:04d}"
        ready = {"type": "Ready", "status": "True", "lastTransitionTime": MADE}
        status |= {"phase": "Running", "startTime": MADE, "conditions": [ready]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status}
