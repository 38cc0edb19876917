"""What one scheduler holds while it runs (kube-scheduler: scheduler.go)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal, Protocol

import numpy as np

from scheduler_core.apis.core import Pod, PodGroupKey, PodKey
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.framework.runtime.runtime import Framework
from scheduler_core.queue.scheduling_queue import SchedulingQueue
from scheduler_core.releases import Rules
from scheduler_core.scheduler.apiserver.api_server import ApiServer
from scheduler_core.scheduler.apiserver.faults import Faults
from scheduler_core.scheduler.attempt import Attempt
from scheduler_core.scheduler.search.find_nodes import Search
from scheduler_core.scheduler.search.opportunistic_batch import OpportunisticBatch
from scheduler_core.scheduler.waiting_pods import WaitingPods
from scheduler_core.trace.events import AnyEvent
from scheduler_core.trace.preemption_events import VictimEvicted

LaterCause = Literal["binding", "preemption"]


class Preemptions(Protocol):
    """Those that go on beside the cycles (async_preemption.py)."""

    def is_running(self, pod: Pod) -> bool: ...

    def start(self, scheduler: Scheduler, preemptor: Pod, node_name: str, victims: Sequence[Pod]) -> None: ...


@dataclass(slots=True)
class Scheduler:
    """`rng` None: ties go to the first. `binding_seconds` 0: binding ends within the attempt."""

    cluster: Cluster
    queue: SchedulingQueue
    frameworks: Mapping[str, Framework]
    api: ApiServer
    emit: Callable[[AnyEvent], None]
    search: Search
    waiting: WaitingPods
    faults: Faults
    rules: Rules
    batches: Mapping[str, OpportunisticBatch]  # by profile, where OpportunisticBatching is possible
    async_preemption: Preemptions | None = None  # where SchedulerAsyncPreemption is on
    rng: np.random.Generator | None = None
    binding_seconds: float = 0.0
    attempts: int = 0
    current: Attempt | None = None  # whose scheduling or binding cycle runs at this moment
    feature_gates: Mapping[str, bool] = field(default_factory=dict)
    pod_group_cycles: int = 0
    later: Callable[[float, Callable[[], None], LaterCause], None] = lambda time, action, cause: None

    @contextmanager
    def trying(self) -> Iterator[None]:
        """What is done within is only tried: nobody hears of it, and all pods stand as before afterwards."""
        emit, self.emit = self.emit, lambda event: None
        try:
            with self.cluster.restored():
                yield
        finally:
            self.emit = emit

    def evict(self, victim: Pod, preemptor: PodKey | PodGroupKey) -> None:
        """PreemptPod: a victim that still waits on Permit is rejected, any other one is deleted."""
        waiting = self.waiting.get(victim.key)
        if waiting is not None:
            waiting.reject("DefaultPreemption", "preempted")
            return
        gone_at = self.api.evict(victim)
        if gone_at is not None:
            node_name = self.cluster.pods.node_name[self.cluster.pods.slot_of[victim.key]]
            self.emit(VictimEvicted(victim.key, node_name, preemptor, gone_at))
