"""Priorities of a dump: a pod keeps its own number, even if its PriorityClass has changed or is not in the dump."""

from __future__ import annotations

from collections import Counter, defaultdict

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
    wanted: dict[str, Counter[ValueAndPolicy]] = defaultdict(Counter)
    unknown: Counter[str] = Counter()
    for spec in pod_specs(objects):
        name = spec.get("priorityClassName")
        if isinstance(name, str) and name and name not in classes:
            if is_number(spec.get("priority")):
                wanted[name][spec["priority"], str(spec.get("preemptionPolicy") or "PreemptLowerPriority")] += 1
            else:
                unknown[name] += 1
    classes_added, notes = [], []
    for name, values in sorted(wanted.items()):
        value, policy = values.most_common(1)[0][0]
        if name.startswith("system-") or value > HIGHEST_USER_PRIORITY:
            continue
        classes[name] = value
        metadata = {"name": name}
        manifest = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": metadata, "value": value}
        classes_added.append({**manifest, "preemptionPolicy": policy} if policy == "Never" else manifest)
        notes.append(
            Message(
                "PriorityClass {name} is not in the text. Its value, {value:,}, was taken from its pods.",
                name=name,
                value=value,
            )
        )
    for name, number in sorted(unknown.items()):
        if name not in classes:
            message = Message(
                "PriorityClass {name} is not in the text, and its pods ({number:,}) have no "
                "priority. Its value is set to 0.",
                name=name,
                number=number,
            )
            notes.append(message)
    differing = 0
    for spec in pod_specs(objects):
        name, own = spec.get("priorityClassName"), spec.get("priority")
        if isinstance(name, str) and name and (name not in classes or (is_number(own) and classes[name] != own)):
            differing += name in classes
            del spec["priorityClassName"]
    if differing:
        notes.append(
            Message(
                "Pods that keep their own priority, which differs from that of their PriorityClass: {number:,}.",
                number=differing,
            )
        )
    return [*classes_added, *objects], notes


def pod_specs(objects: list[Manifest]) -> list[Manifest]:
    return [
        manifest["spec"]
        for manifest in objects
        if manifest.get("kind") == "Pod" and isinstance(manifest.get("spec"), dict)
    ]


def is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
