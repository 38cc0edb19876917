"""The scheduler and its state: queue, profiles and API server (kube-scheduler: scheduler.go)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal, Protocol

import msgspec
import numpy as np

from scheduler_core.apis.core import Pod, PodGroupKey, PodKey
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.framework.runtime.runtime import Framework
from scheduler_core.queue.scheduling_queue import SchedulingQueue
from scheduler_core.releases import Rules
from scheduler_core.scenario.types import ObservedDecision
from scheduler_core.scheduler.apiserver.api_server import ApiServer
from scheduler_core.scheduler.apiserver.event_handlers import EventHandlers
from scheduler_core.scheduler.apiserver.faults import Faults
from scheduler_core.scheduler.attempt import Attempt
from scheduler_core.scheduler.search.find_nodes import Search
from scheduler_core.scheduler.search.opportunistic_batch import OpportunisticBatch
from scheduler_core.scheduler.waiting_pods import WaitingPods
from scheduler_core.trace.events import AnyEvent
from scheduler_core.trace.preemption_events import VictimEvicted

LaterCause = Literal["binding", "preemption", "controller", "kubelet", "retry"]
Later = Callable[[float, Callable[[], None], LaterCause], None]  # (time, action, cause)


class Preemptions(Protocol):
    """Preemptions in progress (async_preemption.py)."""

    def is_running(self, pod: Pod) -> bool: ...

    def start(self, scheduler: Scheduler, preemptor: Pod, node_name: str, victims: Sequence[Pod]) -> None: ...


class Scheduler(msgspec.Struct, kw_only=True):
    """The scheduler. `rng` None: the first of the best nodes is selected. `binding_seconds` 0: binding is immediate."""

    cluster: Cluster
    queue: SchedulingQueue
    frameworks: Mapping[str, Framework]
    handlers: EventHandlers
    api: ApiServer
    emit: Callable[[AnyEvent], None]
    later: Later
    search: Search
    waiting: WaitingPods
    faults: Faults
    rules: Rules
    feature_gates: Mapping[str, bool]
    batches: Mapping[str, OpportunisticBatch]  # by profile, where OpportunisticBatching is possible
    async_preemption: Preemptions | None  # where SchedulerAsyncPreemption is on
    rng: np.random.Generator | None
    binding_seconds: float
    attempts: int = 0
    pod_group_cycles: int = 0
    observed: ObservedDecision | None = None  # by the cluster's own scheduler; it is carried out
    current: Attempt | None = None  # whose scheduling or binding cycle runs at this moment

    @contextmanager
    def trying(self) -> Iterator[None]:
        """Emit no events in the block, and undo its changes to the placements of pods at the end."""
        emit, self.emit = self.emit, lambda event: None
        try:
            with self.cluster.restored():
                yield
        finally:
            self.emit = emit

    def evict(self, victim: Pod, preemptor: PodKey | PodGroupKey) -> None:
        """Evict a pod (PreemptPod): reject it if it waits on Permit, otherwise request its deletion."""
        waiting = self.waiting.get(victim.key)
        if waiting is not None:
            waiting.reject("DefaultPreemption", "preempted")
            return
        gone_at = self.api.evict(victim, preemptor)
        if gone_at is not None:
            node_name = self.cluster.pods.node_name[self.cluster.pods.slot_of[victim.key]]
            self.emit(VictimEvicted(victim.key, node_name, preemptor, gone_at))
