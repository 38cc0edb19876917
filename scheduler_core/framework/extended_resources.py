"""The DeviceClass of each extended resource (deviceclass/extendedresourcecache/extendedresourcecache.go)."""

from __future__ import annotations

from typing import cast

from scheduler_core.apis.core import Pod
from scheduler_core.apis.devices import DEVICE_CLASS_PREFIX, DeviceClass
from scheduler_core.cluster.cluster import Cluster
from scheduler_core.releases import Release


class ExtendedResources:
    """The DeviceClass of each extended resource.

    Of two classes for one resource, the younger is used, then the first by name. As in kube-scheduler, a class that
    does not replace the other one is not added at all, an update of a class that keeps its resource is ignored while
    the resource has a class, and the removal of one of two classes leaves the resource without a class.
    """

    def __init__(self, cluster: Cluster, release: Release) -> None:
        self._cluster = cluster
        self._enabled = release.has_on("DRAExtendedResource")
        self._seen = 0
        self._known: dict[str, DeviceClass] = {}
        self._classes: dict[str, DeviceClass] = {}

    def class_of(self, resource: str) -> DeviceClass | None:
        """Return the DeviceClass that provides the resource, by explicit or implicit name; None if there is none."""
        self._follow()
        return self._classes.get(resource)

    def requested_by(self, pod: Pod) -> bool:
        """Return whether the pod requests more than 0 of a resource that has a class."""
        self._follow()
        return bool(self._classes) and any(amount and name in self._classes for name, amount in pod.requests.items())

    def __bool__(self) -> bool:
        """Return whether any resource has a class; False without the feature gate DRAExtendedResource."""
        self._follow()
        return bool(self._classes)

    def _follow(self) -> None:
        if not self._enabled or (version := self._cluster.version("DeviceClass")) == self._seen:
            return
        for name in self._cluster.changed("DeviceClass", self._seen):
            new = cast("DeviceClass | None", self._cluster.get("DeviceClass", name))
            old = self._known.pop(name, None)
            if new is None:
                self._remove(old)
                continue
            self._known[name] = new
            self._put(old, new)
        self._seen = version

    def _put(self, old: DeviceClass | None, new: DeviceClass) -> None:
        """Add a class for its resource (`updateResourceName2class`)."""
        other = self._classes.get(new.extended_resource_name) if new.extended_resource_name else None
        if other is not None and _rank(new) >= _rank(other):
            return
        self._remove(old)
        if new.extended_resource_name:
            self._classes[new.extended_resource_name] = new
        self._classes[DEVICE_CLASS_PREFIX + new.name] = new

    def _remove(self, old: DeviceClass | None) -> None:
        if old is not None:
            self._classes.pop(DEVICE_CLASS_PREFIX + old.name, None)
            if old.extended_resource_name:
                self._classes.pop(old.extended_resource_name, None)


def _rank(device_class: DeviceClass) -> tuple[float, str]:
    """Return a sort key, the lowest first: the youngest class, then the first by name."""
    return -device_class.creation_timestamp, device_class.name
