"""SchedulingGates: the queue itself holds gated pods back. Rule: kube-scheduler's schedulinggates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scheduler_core.apis.core import Pod, Workload
from tests.reference.framework.cluster_event import POD_GATES, Event
from tests.reference.framework.interface import Plugin


class SchedulingGates(Plugin):
    events = {"Pod": (POD_GATES,)}

    def hint(self, event: Event, pod: Pod, args: Any, workloads: Sequence[Workload]) -> bool:
        return bool(event.latest.uid == pod.uid)
