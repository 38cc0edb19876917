"""Field tables of NodeGroup, ClusterAutoscaler and Descheduler, and the flags of Cluster Autoscaler."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal

from scheduler_core.apis.messages import Message
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
    Type,
)

# The flags that a group can override (cloudprovider: NodeGroup.GetOptions), by the name of the option.
GROUP_OPTIONS: Mapping[str, str] = {
    "scaleDownUtilizationThreshold": "scale-down-utilization-threshold",
    "scaleDownGpuUtilizationThreshold": "scale-down-gpu-utilization-threshold",
    "scaleDownUnneededTime": "scale-down-unneeded-time",
    "scaleDownUnreadyTime": "scale-down-unready-time",
    "maxNodeProvisionTime": "max-node-provision-time",
    "maxNodeStartupTime": "max-node-startup-time",
    "ignoreDaemonSetsUtilization": "ignore-daemonsets-utilization",
}


def document(name: str, spec: Fields) -> Fields:
    """Return the field table of a document with settings: apiVersion, kind, metadata and the given spec."""
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
            "options": Fields("NodeGroupAutoscalingOptions", dict.fromkeys(GROUP_OPTIONS, ANY)),
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
            "options": "what the flags of these names are for this group, such as scaleDownUnneededTime: 5m",
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

# Cluster Autoscaler's flags that have an effect here, with their types and defaults (config/flags/flags.go).
FLAGS: Mapping[str, tuple[FlagKind, object]] = {
    "scan-interval": ("duration", 10.0),
    "max-nodes-total": ("int", 0),
    "cores-total": ("range", [0, 320000]),
    "memory-total": ("range", [0, 6400000]),
    "expander": ("list", ["least-waste"]),
    "balance-similar-node-groups": ("bool", False),
    "balancing-ignore-label": ("list", []),
    "balancing-label": ("list", []),
    "memory-difference-ratio": ("float", 0.015),
    "max-allocatable-difference-ratio": ("float", 0.05),
    "max-free-difference-ratio": ("float", 0.05),
    "startup-taint": ("list", []),
    "startup-taint-prefix": ("list", []),
    "status-taint": ("list", []),
    "ignore-taint": ("list", []),
    "frequent-loops-enabled": ("bool", True),
    "force-delete-unregistered-nodes": ("bool", False),
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

# Flags that have no effect in a simulation: of logs, metrics, the time that a loop takes, the connections to the cloud
# and the API server, and of features that are off here; and flags that have no effect in any cluster.
WITHOUT_EFFECT: Collection[str] = frozenset((
    "v", "vmodule", "logtostderr", "alsologtostderr", "stderrthreshold", "add-dir-header", "log-dir", "log-file",
    "log-file-max-size", "log-backtrace-at", "one-output", "skip-headers", "skip-log-headers",
    "log-flush-frequency", "logging-format", "cloud-provider", "cloud-config", "cluster-name", "kubernetes",
    "kubeconfig", "kube-api-content-type", "kube-client-qps", "kube-client-burst", "namespace", "leader-elect",
    "leader-elect-lease-duration", "leader-elect-renew-deadline", "leader-elect-retry-period",
    "leader-elect-resource-lock", "leader-elect-resource-name", "leader-elect-resource-namespace", "address",
    "user-agent", "profiling", "emit-per-nodegroup-metrics", "debugging-snapshot-enabled", "write-status-configmap",
    "status-config-map-name", "record-duplicated-events", "max-inactivity", "max-failing-time", "max-startup-time",
    "max-binpacking-time", "max-nodegroup-binpacking-duration", "scale-down-simulation-timeout",
    "max-bulk-soft-taint-time", "node-deletion-delay-timeout", "node-deletion-candidate-ttl",
    "dynamic-node-delete-delay-after-taint-enabled", "node-info-cache-expire-time", "predicate-parallelism",
    "cluster-snapshot-parallelism", "scale-down-non-empty-candidates-count", "scale-down-candidates-pool-ratio",
    "scale-down-candidates-pool-min-count", "estimator", "regional", "aws-use-static-instance-list",
    "gce-concurrent-refreshes", "gce-mig-instances-min-refresh-wait-time", "bulk-mig-instances-listing-enabled",
    "clusterapi-cloud-config-authoritative", "node-removal-latency-tracking-enabled",
    "max-node-skip-eval-time-tracker-enabled", "salvo-scale-up-budget", "pod-injection-limit",
    "capacity-buffer-pod-injection-enabled", "capacity-buffer-pod-dry-run-enabled", "grpc-expander-cert",
    "grpc-expander-url", "provisioning-request-initial-backoff-time", "provisioning-request-max-backoff-time",
    "provisioning-request-max-backoff-cache-size", "check-capacity-batch-processing",
    "check-capacity-provisioning-request-max-batch-size", "check-capacity-provisioning-request-batch-timebox",
    "check-capacity-processor-instance", "scale-down-delay-after-failure",
))  # fmt: skip
# Flags whose effect is not simulated, each with the value that is simulated, and the effect of any other value.
NOT_SIMULATED: Mapping[str, tuple[str, Message]] = {
    "scale-down-delay-type-local": ("false", Message("delays of scale-down would be of each group")),
    "parallel-scale-up": ("false", Message("groups would grow at the same time")),
    "salvo-scale-up": ("false", Message("one pass could enlarge several groups")),
    "gpu-total": ("", Message("the GPUs of the cluster would be limited")),
    "force-ds": ("false", Message("groups too small for all DaemonSets would not grow")),
    "scale-from-unschedulable": ("false", Message("cordoned nodes would be templates")),
    "fastpath-binpacking-enabled": ("false", Message("nodes for equal pods would be estimated from the first one")),
    "force-delete-failed-nodes": ("false", Message("nodes that failed would be deleted below the minimum, too")),
    "node-deletion-batcher-interval": ("0s", Message("nodes would be deleted together")),
    "drain-priority-config": ("", Message("pods would be evicted by priority")),
    "bypassed-scheduler-names": ("", Message("pods of these schedulers would not be waited for")),
    "allowed-scheduler-names": ("", Message("pods of other schedulers would be ignored")),
    "enable-dynamic-resource-allocation": ("true", Message("claims for devices would be ignored")),
    "enable-csi-node-aware-scheduling": ("false", Message("new nodes would have limits of volumes")),
    "async-node-groups": ("false", Message("groups would be created and deleted")),
    "enable-proactive-scaleup": ("false", Message("nodes would be added for pods that do not exist yet")),
    "capacity-buffer-controller-enabled": ("false", Message("CapacityBuffers would keep nodes free")),
    "capacity-quotas-enabled": ("false", Message("CapacityQuotas would limit the nodes")),
    "scaleup-simulation-for-skipped-node-groups-enabled": ("false", Message("skipped groups would be simulated, too")),
    "enable-provisioning-requests": ("false", Message("ProvisioningRequests would be answered")),
}
# Flags that name the node groups of a cloud.
NODE_GROUPS: Collection[str] = frozenset({"nodes", "node-group-auto-discovery"})
