"""The services that plugins can use: the cluster, nominated pods, extenders, and the filters of other plugins.

kube-scheduler: framework.Handle in pkg/scheduler/framework/interface.go.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler_core.apis.core import KubernetesObject, Node, Pod, PodKey
from scheduler_core.cluster.change_log import ChangeLog
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.framework.cycle import CycleState
from scheduler_core.framework.extended_resources import ExtendedResources
from scheduler_core.framework.pod_groups import PodGroupManager
from scheduler_core.framework.status import Verdicts
from scheduler_core.framework.what_if import CounterLimits, WhatIf
from scheduler_core.releases import Release


class Nominator(Protocol):
    """Pods with a nominated node (backend/queue/nominator.go), read only.

    `changes` logs the node of every nomination that is added or removed.
    """

    changes: ChangeLog

    def pods_on(self, node_name: str) -> Sequence[Pod]:
        """Return the pods nominated to a node, in the order of their nomination."""
        ...

    def node_of(self, key: PodKey) -> str:
        """Return the node to which the pod is nominated, "" if there is none."""
        ...


class WaitingPod(Protocol):
    """A pod that waits on Permit (framework.WaitingPod)."""

    @property
    def pod(self) -> Pod: ...

    @property
    def node_name(self) -> str: ...

    @property
    def state(self) -> dict[str, Any]:
        """Return the states of the cycle by plugin."""
        ...

    @property
    def pending_plugins(self) -> Sequence[str]: ...

    def allow(self, plugin: str) -> None:
        """Allow the pod for one plugin; its binding cycle continues once no plugin is pending."""
        ...

    def reject(self, plugin: str, message: str) -> None:
        """Reject the pod; its binding cycle fails with Unschedulable."""
        ...


class ExtenderError(Exception):
    """The call of an extender failed. If the extender is ignorable, most callers ignore the error."""


class ExtenderFilterResult(msgspec.Struct, frozen=True):
    """Nodes that an extender rejected, with its messages."""

    failed: Mapping[str, str] = {}
    failed_unresolvable: Mapping[str, str] = {}


class Extender(Protocol):
    """An extender of the configuration, with scripted answers (kube-scheduler: extender.go)."""

    name: str
    weight: int
    ignorable: bool
    filters: bool
    prioritizes: bool
    supports_preemption: bool
    binds: bool
    returns_bare_nodes: bool  # its filter returns new NodeInfos without pods (HTTPExtender.Filter)

    def is_interested(self, pod: Pod) -> bool: ...

    def filter(self, pod: Pod, nodes: Sequence[Node]) -> ExtenderFilterResult:
        """Return the nodes that the extender rejects, with its messages. Raises ExtenderError."""
        ...

    def prioritize(self, pod: Pod, nodes: Sequence[Node]) -> Mapping[str, int]:
        """Return a score from 0 to 10 by node. Raises ExtenderError; the extender's scores are then ignored."""
        ...

    def process_preemption(
        self, pod: Pod, victims: Mapping[str, tuple[Sequence[Pod], int]], nodes: Sequence[Node]
    ) -> Mapping[str, tuple[Sequence[Pod], int]]:
        """Return (victims, PDB violations) by remaining candidate; `nodes` are the candidates' nodes.

        Raises ExtenderError.
        """
        ...

    def bind(self, pod: Pod, node_name: str) -> None:
        """Bind the pod. Raises ExtenderError."""
        ...


class Handle(Protocol):
    """The services that a plugin gets at construction (framework.Handle), one handle per profile.

    `cluster` may be read at any time; `now` is virtual time in seconds.
    """

    cluster: Cluster
    extenders: Sequence[Extender]
    profile_name: str
    feature_gates: Mapping[str, bool]
    release: Release
    pod_groups: PodGroupManager
    extended_resources: ExtendedResources

    @property
    def now(self) -> float: ...

    @property
    def nominator(self) -> Nominator: ...

    def counter_limits(self, cycle: CycleState, what_if: WhatIf) -> CounterLimits | None:
        """Return the limits that determine whether a node still passes as pods of `what_if` return to it.

        None if the filters must run to find out.
        """
        ...

    def run_filters(self, cycle: CycleState, rows: NDArray[np.intp], what_if: WhatIf | None = None) -> Verdicts:
        """Run the Filter plugins that PreFilter did not skip on `rows`, with the changes of `what_if`.

        `what_if.rows` are the same rows. A row with nominated pods of equal or higher priority must pass with and
        without them, as in RunFilterPluginsWithNominatedPods.
        """
        ...

    def alike(self, cycle: CycleState) -> Hashable | None:
        """Return a key; pods with equal keys get the same verdict on an unchanged node. Call it after PreFilter.

        None: the verdict may depend on more than the node, or no earlier pod had the same shape.
        """
        ...

    def disruptions_allowed(self) -> Mapping[str, int]:
        """Return the current status.disruptionsAllowed of each PodDisruptionBudget, by key."""
        ...

    def waiting_pods(self) -> Sequence[WaitingPod]:
        """Return the pods of all profiles that wait on Permit, oldest first."""
        ...

    def is_running_preemption(self, pod: Pod) -> bool:
        """Return whether victims of the pod remain to be deleted (Evaluator.IsPodRunningPreemption)."""
        ...

    def activate(self, pod: Pod, keys: Sequence[PodKey]) -> None:
        """Request that pods move to activeQ once the scheduling cycle of `pod` succeeds (framework.PodsToActivate)."""
        ...

    def activate_now(self, keys: Sequence[PodKey]) -> None:
        """Move pods to activeQ immediately, if they pass PreEnqueue (framework.PodActivator)."""
        ...

    def write(self, item: KubernetesObject, action: Literal["create", "update"] = "update") -> None:
        """Write an object during PreBind; its watch event is delivered immediately."""
        ...

    def write_later(self, item: KubernetesObject) -> None:
        """Update an object; its watch event is delivered after the attempt, in the order of writes."""
        ...

    def delete_later(self, kind: str, key: str) -> None:
        """Delete an object; its watch event is delivered after the attempt."""
        ...
