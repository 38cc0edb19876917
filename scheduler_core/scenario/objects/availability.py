"""Fields that a release does not have, or whose feature gate is off (kube_features.go).

A field that the release does not have is an error. A field whose gate is off is a warning; most are dropped, as by the
API server (`GatedField.off`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Literal

import msgspec

from scheduler_core.apis.messages import Message
from scheduler_core.releases import RELEASES, Release
from scheduler_core.scenario.objects.admission import Admission
from scheduler_core.scenario.reading.problems import Path, Problems

EACH = "*"  # in a path: each item of a list, or each value of a mapping


class GatedField(msgspec.Struct, frozen=True):
    """A field of a kind, and its gate. `off`: the treatment of the field if the gate exists but is off.

    "dropped": the object is built without it. "kept": it is used nevertheless, as in the recorded runs. "ignored": it
    stays in the object, so that changing it is a change of the object, but has no effect. `came_with`: a gate of the
    release that introduced the field, if its own gate is older.
    """

    kind: str
    path: tuple[str, ...]
    gate: str
    off: Literal["dropped", "ignored", "kept"] = "dropped"
    came_with: str = ""


def _of_affinity_terms() -> Iterator[GatedField]:
    preferred = ("preferredDuringSchedulingIgnoredDuringExecution", EACH, "podAffinityTerm")
    for affinity in ("podAffinity", "podAntiAffinity"):
        for terms in (("requiredDuringSchedulingIgnoredDuringExecution", EACH), preferred):
            for field in ("matchLabelKeys", "mismatchLabelKeys"):
                path = ("spec", "affinity", affinity, *terms, field)
                yield GatedField("Pod", path, "MatchLabelKeysInPodAffinity", "kept")


def _of_claims() -> Iterator[GatedField]:
    for kind, spec in (("ResourceClaim", ("spec",)), ("ResourceClaimTemplate", ("spec", "spec"))):
        requests = (*spec, "devices", "requests", EACH)
        for part in (("exactly",), ("firstAvailable", EACH)):
            yield GatedField(kind, (*requests, *part, "tolerations"), "DRADeviceTaints")
            yield GatedField(kind, (*requests, *part, "capacity"), "DRAConsumableCapacity")
        yield GatedField(kind, (*spec, "devices", "constraints", EACH, "distinctAttribute"), "DRAConsumableCapacity")


def _of_devices() -> Iterator[GatedField]:
    device = ("spec", "devices", EACH)
    for gate, fields in (
        ("DRADeviceTaints", ("taints",)),
        ("DRAPartitionableDevices", ("consumesCounters", "nodeName", "nodeSelector", "allNodes")),
        ("DRAConsumableCapacity", ("allowMultipleAllocations",)),
        ("DRADeviceBindingConditions", ("bindsToNode", "bindingConditions", "bindingFailureConditions")),
    ):
        for field in fields:
            yield GatedField("ResourceSlice", (*device, field), gate)
    yield GatedField("ResourceSlice", (*device, "capacity", EACH, "requestPolicy"), "DRAConsumableCapacity")
    for field in ("sharedCounters", "perDeviceNodeSelection"):
        yield GatedField("ResourceSlice", ("spec", field), "DRAPartitionableDevices")


_SPREAD = ("spec", "topologySpreadConstraints", EACH)
FIELDS = (
    GatedField("Pod", ("spec", "resources"), "PodLevelResources"),
    GatedField("Pod", ("spec", "schedulingGates"), "PodSchedulingReadiness", "ignored"),
    GatedField("Pod", ("spec", "initContainers", EACH, "restartPolicy"), "SidecarContainers", "kept"),
    GatedField("Pod", (*_SPREAD, "matchLabelKeys"), "MatchLabelKeysInPodTopologySpread"),
    GatedField("Pod", (*_SPREAD, "minDomains"), "MinDomainsInPodTopologySpread"),
    GatedField("Pod", (*_SPREAD, "nodeAffinityPolicy"), "NodeInclusionPolicyInPodTopologySpread"),
    GatedField("Pod", (*_SPREAD, "nodeTaintsPolicy"), "NodeInclusionPolicyInPodTopologySpread"),
    *_of_affinity_terms(),
    *(
        GatedField("Pod", ("status", statuses, EACH, field), "InPlacePodVerticalScaling")
        for statuses in ("containerStatuses", "initContainerStatuses")
        for field in ("resources", "allocatedResources")
    ),
    GatedField("Pod", ("spec", "schedulingGroup"), "GenericWorkload", came_with="TopologyAwareWorkloadScheduling"),
    GatedField("Pod", ("spec", "resourceClaims"), "DynamicResourceAllocation"),
    *(
        GatedField("Pod", ("spec", containers, EACH, "resources", "claims"), "DynamicResourceAllocation")
        for containers in ("containers", "initContainers")
    ),
    GatedField("DeviceClass", ("spec", "extendedResourceName"), "DRAExtendedResource"),
    *_of_claims(),
    *_of_devices(),
    GatedField("PodGroup", ("spec", "schedulingPolicy", "gang"), "GangScheduling", "ignored"),
    GatedField("PodGroup", ("spec", "schedulingConstraints"), "TopologyAwareWorkloadScheduling"),
    GatedField("PodGroup", ("spec", "disruptionMode"), "WorkloadAwarePreemption"),
    GatedField("PodGroup", ("spec", "priorityClassName"), "WorkloadAwarePreemption"),
    GatedField("PodGroup", ("spec", "priority"), "WorkloadAwarePreemption"),
    GatedField("Node", ("status", "declaredFeatures"), "NodeDeclaredFeatures"),
    GatedField("CSIDriver", ("spec", "preventPodSchedulingIfMissing"), "VolumeLimitScaling"),
    GatedField("PersistentVolume", ("spec", "volumeAttributesClassName"), "VolumeAttributesClass"),
    GatedField("PersistentVolumeClaim", ("spec", "volumeAttributesClassName"), "VolumeAttributesClass"),
)


def available(kind: str, data: Mapping[str, Any], problems: Problems, admission: Admission) -> Mapping[str, Any]:
    """Return the document without the fields that are dropped because their gate is off.

    Fields that the release does not have are reported as errors, those whose gate is off as warnings.
    """
    release = admission.release
    for field in _unavailable(kind, release.version):
        if admission.has_on(field.gate):
            continue
        for path in _occurrences(data, field.path, ()):
            if field.gate not in release.gates or (field.came_with and field.came_with not in release.gates):
                problems.error(path, Message("Kubernetes {release} has no such field", release=release.version))
                continue
            problems.warn(path, _warning(field, release))
            if field.off == "dropped":
                data = _without(data, path)
    return data


def without_fields(kind: str, data: Mapping[str, Any], release: Release) -> tuple[Mapping[str, Any], list[str]]:
    """Return the document without fields that the release does not have, and their short names, once per occurrence.

    A cluster may have such fields while it is upgraded, with an API server that is newer than most of its nodes.
    """
    names = []
    for field in _unavailable(kind, release.version):
        if field.gate not in release.gates or (field.came_with and field.came_with not in release.gates):
            for path in list(_occurrences(data, field.path, ())):
                data = _without(data, path)
                names.append(_short(field))
    return data, names


def fields_without(release: Release) -> list[str]:
    """Return short names of the fields without effect in the release, such as "Pod spec.affinity … matchLabelKeys".

    The release does not have their gate, or turns it off by default and does not keep the field.
    """
    lacking = [field for field in FIELDS if field.off != "kept" or field.gate not in release.gates]
    return list(dict.fromkeys(_short(field) for field in lacking if not release.has_on(field.gate)))


def _short(field: GatedField) -> str:
    above, last = ".".join(field.path[:2]), field.path[-1]
    return f"{field.kind} {above}" if len(field.path) == 2 else f"{field.kind} {above} … {last}"


def _warning(field: GatedField, release: Release) -> Message:
    """Return the warning about a field whose gate is off."""
    if field.off != "kept" and release.gates[field.gate].settable:
        return Message(
            "ignored: feature gate {gate} is off in Kubernetes {release}; in spec.featureGates, {gates} would change "
            "that",
            gate=field.gate, release=release.version, gates=entries_to_turn_on(release, field.gate),
        )  # fmt: skip
    if field.off != "kept":
        return Message(
            "ignored: feature gate {gate} is off in Kubernetes {release}", gate=field.gate, release=release.version
        )
    return Message(
        "feature gate {gate} is off in Kubernetes {release}; the field is used here all the same",
        gate=field.gate,
        release=release.version,
    )


def entries_to_turn_on(release: Release, gate: str) -> str:
    """Return the entries of featureGates that turn on the gates that it needs, then the gate: "A: true, B: true"."""
    needed = [entry for other in release.gates[gate].needs for entry in entries_to_turn_on(release, other).split(", ")]
    return ", ".join(dict.fromkeys((*needed, f"{gate}: true")))


@lru_cache(maxsize=256)
def _unavailable(kind: str, version: str) -> tuple[GatedField, ...]:
    """Return the fields of a kind whose gate the release does not have, or turns off by default."""
    release = RELEASES[version]
    return tuple(field for field in FIELDS if field.kind == kind and not release.has_on(field.gate))


def _occurrences(data: Any, path: tuple[str, ...], at: Path) -> Iterator[Path]:
    """Yield the path of each occurrence of the field, with indexes and keys in place of EACH; null does not occur."""
    if not path:
        if data is not None:
            yield at
        return
    first, *rest = path
    if first == EACH:
        items = data.items() if isinstance(data, dict) else enumerate(data if isinstance(data, list) else ())
        for key, entry in items:
            yield from _occurrences(entry, tuple(rest), (*at, key))
    elif isinstance(data, dict):
        yield from _occurrences(data.get(first), tuple(rest), (*at, first))


def _without(data: Any, path: Path) -> Any:
    """Return a copy without the field at `path`; unchanged parts are shared with `data`."""
    first, *rest = path
    if not rest:
        return {key: value for key, value in data.items() if key != first}
    copy: Any = dict(data) if isinstance(data, dict) else list(data)
    copy[first] = _without(data[first], tuple(rest))
    return copy
