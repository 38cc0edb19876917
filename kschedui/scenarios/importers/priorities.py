"""Priorities of a dump: a pod keeps its own number, even if its PriorityClass has changed or is not in the dump."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from kschedui.scenarios.importers.cleaning import part
from kschedui.scenarios.importers.reading.pruning import Manifest
from scheduler_core.apis.messages import Message
from scheduler_core.scenario.objects.admission import HIGHEST_USER_PRIORITY, SYSTEM_PRIORITY_CLASSES

ValueAndPolicy = tuple[int, str]  # priority, preemptionPolicy


def settle_priorities(objects: list[Manifest]) -> tuple[list[Manifest], list[Message]]:
    """Return the objects with the missing PriorityClasses whose values their pods have, and notes.

    A pod whose class has another value, or is still missing, keeps only its number.
    """
    classes = {
        str(part(manifest, "metadata").get("name")): manifest.get("value")
        for manifest in objects
        if manifest.get("kind") == "PriorityClass"
    }
    classes |= {priority_class.name: priority_class.value for priority_class in SYSTEM_PRIORITY_CLASSES}
    specs = pod_specs(objects)
    added = list(_missing_classes(specs, classes))
    classes |= {manifest["metadata"]["name"]: manifest["value"] for manifest in added}
    notes = [
        Message(
            "PriorityClass {name} is not in the text. Its value, {value:,}, was taken from its pods.",
            name=manifest["metadata"]["name"],
            value=manifest["value"],
        )
        for manifest in added
    ]
    unknown = Counter(
        spec["priorityClassName"]
        for spec in specs
        if _names_other_class(spec, classes) and not is_number(spec.get("priority"))
    )
    notes += [
        Message(
            "PriorityClass {name} is not in the text, and its pods ({number:,}) have no "
            "priority. Its value is set to 0.",
            name=name,
            number=number,
        )
        for name, number in sorted(unknown.items())
    ]
    if differing := _remove_wrong_names(specs, classes):
        notes.append(
            Message(
                "Pods that keep their own priority, which differs from that of their PriorityClass: {number:,}.",
                number=differing,
            )
        )
    return [*added, *objects], notes


def _names_other_class(spec: Manifest, classes: Mapping[str, Any]) -> bool:
    """Return whether the pod names a PriorityClass that is not among these."""
    name = spec.get("priorityClassName")
    return isinstance(name, str) and bool(name) and name not in classes


def _missing_classes(specs: list[Manifest], classes: Mapping[str, Any]) -> Iterator[Manifest]:
    """Yield each missing PriorityClass with the value and policy that most of its pods have, sorted by name.

    Names and values that are reserved for the classes of the API server are left out.
    """
    wanted: dict[str, Counter[ValueAndPolicy]] = defaultdict(Counter)
    for spec in specs:
        if _names_other_class(spec, classes) and is_number(spec.get("priority")):
            policy = str(spec.get("preemptionPolicy") or "PreemptLowerPriority")
            wanted[spec["priorityClassName"]][spec["priority"], policy] += 1
    for name, values in sorted(wanted.items()):
        value, policy = values.most_common(1)[0][0]
        if name.startswith("system-") or value > HIGHEST_USER_PRIORITY:
            continue
        metadata = {"name": name}
        manifest = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": metadata, "value": value}
        yield {**manifest, "preemptionPolicy": policy} if policy == "Never" else manifest


def _remove_wrong_names(specs: list[Manifest], classes: Mapping[str, Any]) -> int:
    """Remove the class names of pods whose class is missing or has another value. Return the number of the latter."""
    differing = 0
    for spec in specs:
        name, own = spec.get("priorityClassName"), spec.get("priority")
        if _names_other_class(spec, classes):
            del spec["priorityClassName"]
        elif isinstance(name, str) and name and is_number(own) and classes[name] != own:
            del spec["priorityClassName"]
            differing += 1
    return differing


def pod_specs(objects: list[Manifest]) -> list[Manifest]:
    return [
        manifest["spec"]
        for manifest in objects
        if manifest.get("kind") == "Pod" and isinstance(manifest.get("spec"), dict)
    ]


def is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
