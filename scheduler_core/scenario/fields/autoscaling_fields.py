"""Field tables of NodeGroup, ClusterAutoscaler and Descheduler, and the flags of Cluster Autoscaler."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal

from scheduler_core.scenario.fields.cluster_fields import TAINT
from scheduler_core.scenario.fields.common_fields import OBJECT_META
from scheduler_core.scenario.fields.descheduler_fields import POLICY
from scheduler_core.scenario.fields.schema import (
    ANY,
    INT32,
    NUMBER,
    STRING,
    Enum,
    Fields,
    ListOf,
    MapOf,
    Type,
)


def document(name: str, spec: Fields) -> Fields:
    return Fields(name, {"apiVersion": STRING, "kind": STRING, "metadata": OBJECT_META, "spec": spec})


NODE_GROUP = document(
    "NodeGroup",
    Fields(
        "NodeGroupSpec",
        {
            "minimum": INT32,
            "maximum": INT32,
            "price": NUMBER,
            "size": INT32,
            "nodes": ListOf(STRING),
            "template": Fields(
                "NodeTemplate",
                {"apiVersion": STRING, "kind": STRING, "metadata": OBJECT_META, "spec": ANY, "status": ANY},
            ),
            "startupTaints": ListOf(TAINT),
            "bootSeconds": NUMBER,
            "readySeconds": NUMBER,
            "fail": Fields(
                "CloudFailure",
                {
                    "mode": Enum(("stuck", "ghost", "outOfResources", "error"), "failure"),
                    "message": STRING,
                    "until": NUMBER,
                },
                {
                    "mode": "stuck: instances never become nodes; ghost: no instance is listed; outOfResources: "
                    "instances have an error; error: the increase is refused",
                    "until": "the second from which the cloud works; always when absent",
                },
            ),
            "options": MapOf(ANY),
        },
        {
            "minimum": "nodes that always stay; 0 when absent",
            "maximum": "the most nodes; no limit when absent",
            "price": "of one node, for an hour, in any currency",
            "size": "nodes at the start, named <group>-1 and so on; 0 when absent",
            "nodes": "names of Nodes of this file that belong to the group, too",
            "template": "a Node without a name: labels, taints, allocatable; a node of the group when absent",
            "startupTaints": "taints of new nodes that the template does not have",
            "bootSeconds": "from the increase to the Node; as ClusterAutoscaler says when absent",
            "readySeconds": "from the Node to its condition Ready; as ClusterAutoscaler says when absent",
            "fail": "how the cloud fails to add nodes",
            "options": "options of this group, such as scaleDownUnneededTime",
        },
    ),
)

_CLOUD: Mapping[str, Type] = {"bootSeconds": NUMBER, "readySeconds": NUMBER, "deleteSeconds": NUMBER}
CLOUD_HINTS = {
    "startSeconds": "when it starts",
    "flags": "its command line, as in --scan-interval=10s",
    "bootSeconds": "from the increase of a group to the Node; 3 when absent",
    "readySeconds": "from the Node to its condition Ready; 2 when absent",
    "deleteSeconds": "from the deletion in the cloud to the end of the Node; 1 when absent",
}

CLUSTER_AUTOSCALER = document(
    "ClusterAutoscaler",
    Fields(
        "ClusterAutoscalerSpec",
        {
            "startSeconds": NUMBER,
            "flags": ListOf(STRING),
            **_CLOUD,
            "pricing": Fields("Pricing", {**dict.fromkeys(("Cpu", "Memory", "Gpu"), NUMBER)}),
        },
        {**CLOUD_HINTS, "pricing": "of a cpu, a gigabyte and a GPU for an hour, by which pods are priced"},
    ),
)

DESCHEDULER = document(
    "Descheduler",
    Fields(
        "DeschedulerSpec",
        {"startSeconds": NUMBER, "flags": ListOf(STRING), "policy": POLICY, **_CLOUD},
        {**CLOUD_HINTS, "policy": "the DeschedulerPolicy, descheduler/v1alpha2"},
    ),
)

FlagKind = Literal["duration", "int", "float", "bool", "string", "range", "list"]

# Cluster Autoscaler's flags that decide something here, with their defaults (config/flags/flags.go).
FLAGS: Mapping[str, tuple[FlagKind, object]] = {
    "scan-interval": ("duration", 10.0),
    "max-nodes-total": ("int", 0),
    "cores-total": ("range", [0, 320000]),
    "memory-total": ("range", [0, 6400000]),
    "expander": ("list", ["least-waste"]),
    "balance-similar-node-groups": ("bool", False),
    "balancing-ignore-label": ("list", []),
    "expendable-pods-priority-cutoff": ("int", -10),
    "new-pod-scale-up-delay": ("duration", 0.0),
    "max-node-provision-time": ("duration", 900.0),
    "max-node-startup-time": ("duration", 900.0),
    "max-nodes-per-scaleup": ("int", 1000),
    "initial-node-group-backoff-duration": ("duration", 300.0),
    "max-node-group-backoff-duration": ("duration", 1800.0),
    "node-group-backoff-reset-timeout": ("duration", 10800.0),
    "ok-total-unready-count": ("int", 3),
    "max-total-unready-percentage": ("float", 45.0),
    "enforce-node-group-min-size": ("bool", False),
    "scale-up-from-zero": ("bool", True),
    "scale-down-enabled": ("bool", True),
    "scale-down-unready-enabled": ("bool", True),
    "scale-down-unneeded-time": ("duration", 600.0),
    "scale-down-unready-time": ("duration", 1200.0),
    "scale-down-utilization-threshold": ("float", 0.5),
    "scale-down-gpu-utilization-threshold": ("float", 0.5),
    "scale-down-delay-after-add": ("duration", 600.0),
    "scale-down-delay-after-delete": ("duration", 0.0),
    "scale-down-delay-after-failure": ("duration", 180.0),
    "unremovable-node-recheck-timeout": ("duration", 300.0),
    "ignore-daemonsets-utilization": ("bool", False),
    "ignore-mirror-pods-utilization": ("bool", False),
    "skip-nodes-with-system-pods": ("bool", True),
    "skip-nodes-with-local-storage": ("bool", True),
    "skip-nodes-with-custom-controller-pods": ("bool", True),
    "blocking-system-pod-distruption-timeout": ("duration", 3600.0),
    "min-replica-count": ("int", 0),
    "max-graceful-termination-sec": ("int", 600),
    "max-pod-eviction-time": ("duration", 120.0),
    "max-drain-parallelism": ("int", 1),
    "max-scale-down-parallelism": ("int", 10),
    "node-delete-delay-after-taint": ("duration", 5.0),
    "max-bulk-soft-taint-count": ("int", 10),
    "cordon-node-before-terminating": ("bool", True),
    "daemonset-eviction-for-occupied-nodes": ("bool", True),
    "daemonset-eviction-for-empty-nodes": ("bool", False),
}

# Flags that have no effect in a simulation: about logs, metrics, and the connection to the cloud and the API server.
WITHOUT_EFFECT: Collection[str] = frozenset(
    {
        "v",
        "logtostderr",
        "stderrthreshold",
        "cloud-provider",
        "cloud-config",
        "cluster-name",
        "kubeconfig",
        "namespace",
        "leader-elect",
        "address",
        "write-status-configmap",
        "record-duplicated-events",
        "kube-client-qps",
        "kube-client-burst",
        "frequent-loops-enabled",
    }
)
# Flags that name the node groups of a cloud.
NODE_GROUPS: Collection[str] = frozenset({"nodes", "node-group-auto-discovery"})
