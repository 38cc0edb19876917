"""API server admission for a workload's pods: LimitRange defaults and RuntimeClass overhead.

Pods of a dump have already been admitted; pods created from a workload, or written by hand, have not. Sources:
plugin/pkg/admission/limitranger, plugin/pkg/admission/runtimeclass, core/v1/defaults.go (SetDefaults_LimitRangeItem).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from kschedui.scenarios.importers.cleaning import mappings_in, part
from kschedui.scenarios.importers.reading.pruning import Manifest
from scheduler_core.apis.messages import Message

KINDS = {"LimitRange", "RuntimeClass"}


class PodAdmission:
    """The LimitRanges and RuntimeClasses of a dump. Counts the changes it makes."""

    def __init__(self, objects: list[Manifest]) -> None:
        self.limit_ranges: dict[str, list[Manifest]] = {}
        self.runtime_classes: dict[str, Manifest] = {}
        self.done: Counter[str] = Counter()
        self.missing: Counter[str] = Counter()
        for manifest in objects:
            metadata = part(manifest, "metadata")
            if manifest.get("kind") == "LimitRange":
                of_containers = [
                    limit for limit in mappings_in(part(manifest, "spec"), "limits") if limit.get("type") == "Container"
                ]
                self.limit_ranges.setdefault(str(metadata.get("namespace") or "default"), []).extend(of_containers)
            elif manifest.get("kind") == "RuntimeClass":
                self.runtime_classes[str(metadata.get("name"))] = manifest

    @property
    def empty(self) -> bool:
        return not self.limit_ranges and not self.runtime_classes

    def admit(self, pod: Manifest) -> None:
        """Change a pod as the API server's admission does."""
        spec = pod["spec"]
        for limits in self.limit_ranges.get(str(pod["metadata"].get("namespace") or "default"), ()):
            for name in ("containers", "initContainers"):
                for container in mappings_in(spec, name):
                    self.done["LimitRange"] += set_defaults(container, limits)
        if name := spec.get("runtimeClassName"):
            if runtime_class := self.runtime_classes.get(str(name)):
                apply_runtime_class(spec, runtime_class)
                self.done["RuntimeClass"] += 1
            else:
                self.missing[str(name)] += 1

    def notes(self) -> Iterator[Message]:
        """Yield sentences about the changes, and about classes that are missing from the dump."""
        if number := self.done["LimitRange"]:
            yield Message("Containers that received defaults from a LimitRange: {number:,}.", number=number)
        if number := self.done["RuntimeClass"]:
            yield Message("Pods to which their RuntimeClass was applied: {number:,}.", number=number)
        for name, number in sorted(self.missing.items()):
            yield Message(
                "RuntimeClass {name} is not in the text. Pods whose overhead is therefore not counted: {number:,}.",
                name=name,
                number=number,
            )


def set_defaults(container: Manifest, limits: Manifest) -> bool:
    """Set the missing requests and limits of a container. Return whether it got a request that it did not have.

    A request that only repeats the container's own limit does not count.
    """
    default = {**part(limits, "max"), **part(limits, "default")}
    default_request = {**part(limits, "min"), **default, **part(limits, "defaultRequest")}
    resources = {**part(container, "resources")}
    given_limits, given_requests = part(resources, "limits"), part(resources, "requests")
    requests = {**default_request, **given_limits, **given_requests}
    resources = {**resources, "limits": {**default, **given_limits}, "requests": requests}
    changed = requests != {**given_limits, **given_requests}
    container["resources"] = {name: value for name, value in resources.items() if value != {}}
    return changed


def apply_runtime_class(spec: Manifest, runtime_class: Manifest) -> None:
    """Set the overhead, node selector and tolerations of the class."""
    overhead, scheduling = part(part(runtime_class, "overhead"), "podFixed"), part(runtime_class, "scheduling")
    if overhead:
        spec["overhead"] = overhead
    if selector := part(scheduling, "nodeSelector"):
        spec["nodeSelector"] = {**part(spec, "nodeSelector"), **selector}
    if tolerations := mappings_in(scheduling, "tolerations"):
        own = mappings_in(spec, "tolerations")
        spec["tolerations"] = [*own, *(toleration for toleration in tolerations if toleration not in own)]
