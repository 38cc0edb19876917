"""Injected faults: Reserve, Permit, PreBind, Bind or eviction of a pod fails a number of times."""

from __future__ import annotations

from collections.abc import Sequence

from scheduler_core.apis.core import PodKey
from scheduler_core.framework.interface import SUCCESS, Code, Status
from scheduler_core.scenario.types import Fault, FaultPoint


class Faults:
    """The remaining faults, with a count for each."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self._faults = faults
        self._left = [fault.times for fault in faults]

    def next_error(self, pod: PodKey, point: FaultPoint) -> Status:
        """Use up a fault of the pod at the point. Return its error, from a plugin named Fault; success without one."""
        for number, fault in enumerate(self._faults):
            if fault.pod == pod and fault.point == point and self._left[number] > 0:
                self._left[number] -= 1
                message = fault.message if point == "Preempt" else f'running {point} plugin "Fault": {fault.message}'
                return Status(Code.ERROR, (message,), "Fault")
        return SUCCESS
