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
OLDEST_START = -100_000.0  # virtual seconds: the start time of an initial bound pod that states none, plus its index


class Admission:
    """The classes read so far, the time at which objects are created, and the counters of uids and initial pods.

    `release`: that of the cluster. `feature_gates`: the values of those that the scenario can set; None: the release's
    defaults. `now`: virtual seconds; None while the initial objects are read. `updating`: the object replaces a stored
    one, whose priority it keeps, so its PriorityClass may be missing. `recorded`: the objects are those of a real API
    server, so no missing status is filled in. `stop_seconds`: `spec.kubelet.stopSeconds`. `first_uid`: the number
    before that of the first generated uid.
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
        """Check a pod template within the block: its PriorityClass may be created later, and it uses no uid."""
        updating, uids, self.updating = self.updating, self._uids, True
        try:
            yield
        finally:
            self.updating, self._uids = updating, uids

    def uid(self, metadata: Mapping[str, Any]) -> str:
        """Return the object's uid, or one made from a counter, which counts the objects that have a uid, too."""
        self._uids += 1
        return metadata.get("uid") or f"00000000-0000-4000-8000-{self._uids:012d}"

    def creation(self, metadata: Mapping[str, Any]) -> float:
        """Return metadata.creationTimestamp, or else the current time (0 at the start), in whole virtual seconds."""
        if timestamp := metadata.get("creationTimestamp"):
            return parse_time(timestamp)
        return float(math.floor(self.now or 0.0))

    def start_time(self, metadata: Mapping[str, Any], status: Mapping[str, Any]) -> float | None:
        """Return the start time of a bound pod in virtual seconds: status.startTime, or else its creationTimestamp.

        Without both, an initial pod started before the run, in the order of the file, and a later one starts now. In a
        recording, only startTime counts; without it, None: the kubelet has not started the pod yet.
        """
        if self.recorded:
            return parse_time(status["startTime"]) if status.get("startTime") else None
        if timestamp := status.get("startTime") or metadata.get("creationTimestamp"):
            return parse_time(timestamp)
        return OLDEST_START + self.pod_index if self.now is None else float(math.floor(self.now))

    def priority(self, spec: Mapping[str, Any], problems: Problems) -> tuple[int, PreemptionPolicy, str]:
        """Return (priority, preemptionPolicy, class name) as the Priority admission plugin sets them.

        A pod may state a priority of its own without a class, or with a class that is not in the file (a warning);
        without a priority, such a class is an error. The pod's priority is ignored, with a warning, if it differs from
        that of its class.
        """
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
        """Return the name, or that of the default class if it is None (DefaultStorageClass); None without a default."""
        if name is not None:
            return name
        defaults = [storage_class for storage_class in self.storage_classes.values() if storage_class.is_default]
        if len(defaults) > 1 and not self.release.rules.newest_default_class_counts:
            return None
        return min(((-item.creation_timestamp, item.name) for item in defaults), default=(0.0, None))[1]


def claimed(volume: PersistentVolume, claim: PersistentVolumeClaim) -> PersistentVolume:
    """Return the volume as the PV controller binds it to a claim: with claimRef, the claim's uid, and phase Bound.

    A volume whose claimRef has a uid already, or is another claim's, is returned unchanged.
    """
    key: PodKey = f"{claim.namespace}/{claim.name}"
    if volume.claim_ref == key and not volume.claim_uid:
        return replace(volume, claim_uid=claim.uid, phase="Bound")
    if volume.claim_ref:
        return volume
    return replace(volume, claim_ref=key, claim_uid=claim.uid, phase="Bound")
