"""The effects of admission plugins and controllers on objects.

One `Admission` processes the objects of a file in the order in which the cluster would create them, so a class must
exist before it is used.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal, cast

from msgspec.structs import replace

from scheduler_core.apis.core import PersistentVolume, PersistentVolumeClaim, PodKey, PriorityClass, StorageClass
from scheduler_core.apis.messages import Message
from scheduler_core.releases import DEFAULT_RELEASE, Release
from scheduler_core.scenario.reading.problems import Problems, show
from scheduler_core.scenario.reading.times import parse_time

PreemptionPolicy = Literal["PreemptLowerPriority", "Never"]

# scheduling/v1 SystemPriorityClasses
SYSTEM_PRIORITY_CLASSES = (
    PriorityClass("system-cluster-critical", 2_000_000_000),
    PriorityClass("system-node-critical", 2_000_001_000),
)
HIGHEST_USER_PRIORITY = 1_000_000_000
OLDEST_START = -100_000.0  # seconds: the start time of the first running pod without one in its document


class Admission:
    """The known classes, the creation time of objects, and counters.

    `release`: that of the cluster; `feature_gates`: those that the scenario can set. `now`: virtual seconds; None while
    the initial objects are read. `updating`: the object replaces a stored one, whose priority it keeps. `recorded`: the
    objects are those of a real API server, so no missing status is filled in. `first_uid`: the number before the first
    uid.
    """

    def __init__(
        self,
        release: Release = DEFAULT_RELEASE,
        feature_gates: Mapping[str, bool] | None = None,
        *,
        recorded: bool = False,
        stop_seconds: float | None = None,
        first_uid: int = 0,
    ) -> None:
        self.recorded = recorded
        self.release = release
        self._gates = release.default_gates() if feature_gates is None else feature_gates
        self.now: float | None = None
        self.updating = False
        self.priority_classes = {priority_class.name: priority_class for priority_class in SYSTEM_PRIORITY_CLASSES}
        self.storage_classes: dict[str, StorageClass] = {}
        self.pod_index = 0  # the index of the current initial pod among all Pod documents
        self.stop_seconds = stop_seconds  # spec.kubelet.stopSeconds
        self._uids = first_uid

    def has_on(self, gate: str) -> bool:
        """Return whether the feature gate is on."""
        return self._gates.get(gate, self.release.has_on(gate))

    @contextmanager
    def template(self) -> Iterator[None]:
        """Check a pod template within the block: its classes may be created later, and it uses up no uid."""
        updating, uids, self.updating = self.updating, self._uids, True
        try:
            yield
        finally:
            self.updating, self._uids = updating, uids

    def uid(self, metadata: Mapping[str, Any]) -> str:
        """Return the object's uid, or a new one from a counter."""
        self._uids += 1
        return metadata.get("uid") or f"00000000-0000-4000-8000-{self._uids:012d}"

    def creation(self, metadata: Mapping[str, Any]) -> float:
        """Return metadata.creationTimestamp, or the default creation time, in whole seconds."""
        if timestamp := metadata.get("creationTimestamp"):
            return parse_time(timestamp)
        return float(math.floor(self.now or 0.0))

    def start_time(self, metadata: Mapping[str, Any], status: Mapping[str, Any]) -> float | None:
        """Return the start time of a bound pod: startTime, creationTimestamp, or by its position in the file.

        None: the kubelet has not started it yet.
        """
        if self.recorded:
            return parse_time(status["startTime"]) if status.get("startTime") else None
        if timestamp := status.get("startTime") or metadata.get("creationTimestamp"):
            return parse_time(timestamp)
        return OLDEST_START + self.pod_index if self.now is None else float(math.floor(self.now))

    def priority(self, spec: Mapping[str, Any], problems: Problems) -> tuple[int, PreemptionPolicy, str]:
        """Return (priority, preemptionPolicy, class name) of a pod as the Priority admission plugin sets them."""
        name, value, policy = spec.get("priorityClassName"), spec.get("priority"), spec.get("preemptionPolicy")
        if name:
            priority_class = self.priority_classes.get(name)
            if priority_class is None and self.updating:
                return 0, "PreemptLowerPriority", name
            if priority_class is None and value is not None:  # the pod was admitted in a cluster that has the class
                message = Message(
                    "no PriorityClass {name} is in the file; the pod's own priority is used", name=show(name)
                )
                problems.warn(("spec", "priorityClassName"), message)
                return value, cast(PreemptionPolicy, policy or "PreemptLowerPriority"), name
            if priority_class is None:
                names = ", ".join(sorted(self.priority_classes))
                problems.error(
                    ("spec", "priorityClassName"),
                    Message(
                        "no PriorityClass with name {name} was found; known: {known}", name=show(name), known=names
                    ),
                )
                return 0, "PreemptLowerPriority", name
            if value is not None and value != priority_class.value:
                problems.warn(
                    ("spec", "priority"),
                    Message(
                        "{given} is ignored; PriorityClass {name} gives {value}",
                        given=value,
                        name=name,
                        value=priority_class.value,
                    ),
                )
            return priority_class.value, priority_class.preemption_policy, name
        if value is not None:
            return value, cast(PreemptionPolicy, policy or "PreemptLowerPriority"), ""
        defaults = [
            priority_class for priority_class in self.priority_classes.values() if priority_class.global_default
        ]
        if defaults:
            priority_class = min(defaults, key=lambda entry: entry.value)
            return (
                priority_class.value,
                cast(PreemptionPolicy, policy or priority_class.preemption_policy),
                priority_class.name,
            )
        return 0, cast(PreemptionPolicy, policy or "PreemptLowerPriority"), ""

    def storage_class(self, name: str | None) -> str | None:
        """Return the name, or else that of the only default class (DefaultStorageClass), or else None."""
        if name is not None:
            return name
        defaults = [storage_class.name for storage_class in self.storage_classes.values() if storage_class.is_default]
        return defaults[0] if len(defaults) == 1 else None


def claimed(volume: PersistentVolume, claim: PersistentVolumeClaim) -> PersistentVolume:
    """Return the volume after the PV controller has filled its claimRef for a claim bound to it."""
    key: PodKey = f"{claim.namespace}/{claim.name}"
    if volume.claim_ref == key and not volume.claim_uid:
        return replace(volume, claim_uid=claim.uid, phase="Bound")
    if volume.claim_ref:
        return volume
    return replace(volume, claim_ref=key, claim_uid=claim.uid, phase="Bound")
