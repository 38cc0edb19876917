"""Builds a `Node` from its document (core/validation `ValidateNode`, core/v1 `SetDefaults_NodeStatus`)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from scheduler_core.apis.constraints import Taint
from scheduler_core.apis.container_resources import amounts
from scheduler_core.apis.core import Node
from scheduler_core.apis.messages import Message
from scheduler_core.scenario.fields.names import check_metadata, label_value, qualified_name, text_map
from scheduler_core.scenario.objects.admission import Admission
from scheduler_core.scenario.objects.resources import check_quantities, count_amounts
from scheduler_core.scenario.reading.problems import Path, Problems, duplicate, invalid, required

Manifest = Mapping[str, Any]


def build_node(data: Manifest, problems: Problems, admission: Admission) -> Node:
    """Build a node with the resources that the scheduler counts; allocatable defaults to the capacity."""
    metadata, spec, status = (data.get(key) or {} for key in ("metadata", "spec", "status"))
    check_metadata(metadata, ("metadata",), problems)
    for field in ("capacity", "allocatable"):
        check_quantities(status.get(field), ("status", field), problems)
    capacity = count_amounts(amounts(status.get("capacity")))
    allocatable = count_amounts(amounts(status["allocatable"])) if status.get("allocatable") is not None else capacity
    if not allocatable:
        problems.warn(("status", "allocatable"), Message("it is missing, so that no pod fits on this node"))
    return Node(
        name=metadata.get("name") or "",
        uid=admission.uid(metadata),
        labels=text_map(metadata.get("labels")),
        annotations=text_map(metadata.get("annotations")),
        taints=_taints(spec.get("taints") or (), ("spec", "taints"), problems),
        unschedulable=bool(spec.get("unschedulable")),
        allocatable=allocatable,
        capacity=capacity,
        images=_images(status),
        declared_features=_declared_features(status, problems),
        creation_timestamp=admission.creation(metadata),
        manifest=data,
    )


def _taints(data: Any, path: Path, problems: Problems) -> tuple[Taint, ...]:
    """Build the taints (`validateNodeTaints`)."""
    taints: list[Taint] = []
    seen: set[tuple[str, str]] = set()
    for index, entry in enumerate(data):
        taint = Taint(entry.get("key") or "", entry.get("value") or "", entry.get("effect") or "")
        at = (*path, index)
        if reason := qualified_name(taint.key):
            problems.error((*at, "key"), invalid(taint.key, reason))
        if reason := label_value(taint.value):
            problems.error((*at, "value"), invalid(taint.value, reason))
        if not taint.effect:
            problems.error((*at, "effect"), required(Message("expected NoSchedule, PreferNoSchedule or NoExecute")))
        if (taint.key, taint.effect) in seen:
            reason = Message("taints must be unique by key and effect pair")
            problems.error(
                at, Message("{problem}: {reason}", problem=duplicate(f"{taint.key}:{taint.effect}"), reason=reason)
            )
        seen.add((taint.key, taint.effect))
        taints.append(taint)
    return tuple(taints)


def _declared_features(status: Manifest, problems: Problems) -> tuple[str, ...]:
    """Return the features that the kubelet declares; it is an error if they are not sorted, or one is repeated.

    Source: `validateNodeDeclaredFeatures`.
    """
    features = tuple(status.get("declaredFeatures") or ())
    for index, (feature, following) in enumerate(pairwise(features), start=1):
        path: Path = ("status", "declaredFeatures", index)
        if feature == following:
            problems.error(path, duplicate(following))
        elif feature > following:
            problems.error(path, invalid(following, Message("list must be sorted alphabetically")))
    return features


def _images(status: Manifest) -> dict[str, int]:
    """Return the size in bytes by image name, or 0; the first entry for a name counts (`addNodeImageStates`)."""
    sizes: dict[str, int] = {}
    for image in status.get("images") or ():
        for name in image.get("names") or ():
            sizes.setdefault(name, image.get("sizeBytes") or 0)
    return sizes
