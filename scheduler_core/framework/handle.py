"""What a plugin is given to work with: the cluster, the nominated pods, the extenders, the other plugins' filters.

kube-scheduler: framework.Handle in pkg/scheduler/framework/interface.go.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.core import KubernetesObject, Node, Pod, PodKey
from scheduler_core.cluster.change_log import ChangeLog
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.framework.cycle import CycleState, FilterResult
from scheduler_core.framework.pod_groups import PodGroupManager
from scheduler_core.framework.what_if import Room, WhatIf
from scheduler_core.releases import Release


class Nominator(Protocol):
    """Pods with a nominated node (backend/queue/nominator.go), read only.

    `changes` notes the node of every nomination that comes or ends.
    """

    changes: ChangeLog

    def pods_on(self, node_name: str) -> Sequence[Pod]:
        """The pods nominated to a node, in the order of their nomination."""
        ...

    def node_of(self, key: PodKey) -> str:
        """The node that the pod is nominated to, "" if none."""
        ...


class WaitingPod(Protocol):
    """A pod that waits on Permit (framework.WaitingPod)."""

    @property
    def pod(self) -> Pod: ...

    @property
    def node_name(self) -> str: ...

    @property
    def state(self) -> dict[str, Any]:
        """The plugins' states of its cycle, by plugin."""
        ...

    @property
    def pending_plugins(self) -> Sequence[str]: ...

    def allow(self, plugin: str) -> None:
        """When no plugin is pending any more, its binding cycle goes on."""
        ...

    def reject(self, plugin: str, message: str) -> None:
        """Its binding cycle fails with Unschedulable."""
        ...


class ExtenderError(Exception):
    """An extender's call failed; ignorable extenders are then passed over."""


@dataclass(frozen=True, slots=True)
class ExtenderFilterResult:
    """Nodes that an extender rejected, with its messages."""

    failed: Mapping[str, str] = field(default_factory=dict)
    failed_unresolvable: Mapping[str, str] = field(default_factory=dict)


class Extender(Protocol):
    """An extender of the configuration, answering by its script (kube-scheduler: extender.go)."""

    name: str
    weight: int
    ignorable: bool
    filters: bool
    prioritizes: bool
    supports_preemption: bool
    binds: bool
    hands_over_bare_nodes: bool  # what it filters comes back as new NodeInfos (HTTPExtender.Filter)

    def is_interested(self, pod: Pod) -> bool: ...

    def filter(self, pod: Pod, nodes: Sequence[Node]) -> ExtenderFilterResult:
        """Raises ExtenderError."""
        ...

    def prioritize(self, pod: Pod, nodes: Sequence[Node]) -> Mapping[str, int]:
        """Node -> 0..10. Raises ExtenderError (whose scores are then ignored)."""
        ...

    def process_preemption(
        self, pod: Pod, victims: Mapping[str, tuple[Sequence[Pod], int]], nodes: Sequence[Node]
    ) -> Mapping[str, tuple[Sequence[Pod], int]]:
        """Candidate node -> (victims, PDB violations) that the extender keeps; `nodes` are those of the candidates.

        Raises ExtenderError.
        """
        ...

    def bind(self, pod: Pod, node_name: str) -> None:
        """Raises ExtenderError."""
        ...


class Handle(Protocol):
    """What a plugin is given at construction (framework.Handle): one per profile.

    `cluster` may be read at any time; `now` is virtual time in seconds.
    """

    cluster: Cluster
    extenders: Sequence[Extender]
    profile_name: str
    feature_gates: Mapping[str, bool]
    release: Release
    pod_groups: PodGroupManager

    @property
    def now(self) -> float: ...

    @property
    def nominator(self) -> Nominator: ...

    def room(self, cycle: CycleState, what_if: WhatIf) -> Room | None:
        """What decides whether nodes still pass when pods are given back to them; None: only the filters can tell."""
        ...

    def run_filters(self, cycle: CycleState, rows: NDArray[np.intp], what_if: WhatIf | None = None) -> FilterResult:
        """All Filter plugins over `rows`, changed as `what_if` says (`what_if.rows` is `rows`), with nominated pods of
        equal or higher priority counted in a first pass, as RunFilterPluginsWithNominatedPods does."""
        ...

    def alike(self, cycle: CycleState) -> Hashable | None:
        """Equal for pods that get the same verdict on a node that is the same; None if it depends on other nodes, too,
        or is not known to. After PreFilter."""
        ...

    def disruptions_allowed(self) -> Mapping[str, int]:
        """Key of each PodDisruptionBudget -> status.disruptionsAllowed now."""
        ...

    def waiting_pods(self) -> Sequence[WaitingPod]:
        """Pods that wait on Permit, of all profiles, in the order in which they began to wait."""
        ...

    def is_running_preemption(self, pod: Pod) -> bool:
        """Whether victims of the pod are still to be deleted beside the cycles (Evaluator.IsPodRunningPreemption)."""
        ...

    def activate(self, pod: Pod, keys: Sequence[PodKey]) -> None:
        """Ask for pods to be moved to activeQ (framework.PodsToActivate), in the name of `pod`."""
        ...

    def activate_now(self, keys: Sequence[PodKey]) -> None:
        """Move pods to activeQ at once (framework.PodActivator)."""
        ...

    def write(self, item: KubernetesObject, action: Literal["create", "update"] = "update") -> None:
        """A write to the API server during PreBind: stored at once, its watch event delivered at once."""
        ...
