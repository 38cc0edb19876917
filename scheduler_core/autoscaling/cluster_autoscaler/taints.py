"""Taints that a template omits, and those of nodes that are not ready yet (utils/taints/taints.go)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from scheduler_core.apis.constraints import Taint

STARTUP_PREFIXES = ("ignore-taint.cluster-autoscaler.kubernetes.io/", "startup-taint.cluster-autoscaler.kubernetes.io/")
STATUS_PREFIX = "status-taint.cluster-autoscaler.kubernetes.io/"
CONDITION_TAINTS = frozenset(
    {
        "ToBeDeletedByClusterAutoscaler",
        "DeletionCandidateOfClusterAutoscaler",
        "node.kubernetes.io/not-ready",
        "node.kubernetes.io/unreachable",
        "node.kubernetes.io/unschedulable",
        "node.kubernetes.io/memory-pressure",
        "node.kubernetes.io/disk-pressure",
        "node.kubernetes.io/network-unavailable",
        "node.kubernetes.io/pid-pressure",
        "node.cloudprovider.kubernetes.io/uninitialized",
        "node.cloudprovider.kubernetes.io/shutdown",
        "cloud.google.com/impending-node-termination",
        "NodeWithImpairedVolumes",
    }
)


class TaintConfig:
    """The taints that the flags name, and those with a prefix of Cluster Autoscaler (TaintConfig)."""

    def __init__(self, flags: Mapping[str, Any]) -> None:
        self._startup = frozenset((*flags["startup-taint"], *flags["ignore-taint"]))
        self._startup_prefixes = (*STARTUP_PREFIXES, *flags["startup-taint-prefix"])
        self._status = frozenset(flags["status-taint"])

    def is_startup(self, key: str) -> bool:
        """Return whether a node with the taint counts as not ready."""
        return key in self._startup or key.startswith(self._startup_prefixes)

    def sanitized(self, taints: Iterable[Taint]) -> tuple[Taint, ...]:
        """Return the taints that a new node will keep (SanitizeTaints)."""
        return tuple(taint for taint in taints if not self._is_passing(taint.key))

    def _is_passing(self, key: str) -> bool:
        is_status = key in self._status or key.startswith(STATUS_PREFIX)
        return key in CONDITION_TAINTS or is_status or self.is_startup(key)
