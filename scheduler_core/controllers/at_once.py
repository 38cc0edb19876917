"""Runs the controllers that respond to a change as soon as it is delivered, if the scenario contains their objects."""

from __future__ import annotations

from collections.abc import Iterable

from scheduler_core.apis.core import KubernetesObject, PersistentVolumeClaim
from scheduler_core.apis.devices import DeviceClass, ResourceClaim, ResourceClaimTemplate
from scheduler_core.cluster.cluster import kind_of
from scheduler_core.controllers import resourceclaim
from scheduler_core.controllers.api import Api, Change
from scheduler_core.controllers.causes import because
from scheduler_core.controllers.table import CONTROLLERS
from scheduler_core.scenario.objects.kinds import DRA_GATE
from scheduler_core.scenario.types import Scenario

# Without one of these no ResourceClaim can come to exist; that of an extended resource needs a DeviceClass.
_CLAIMS = (ResourceClaim, ResourceClaimTemplate, DeviceClass)
_CONTROLLERS = tuple(controller for controller in CONTROLLERS if controller.at_once)


def has_work_at_once(scenario: Scenario) -> bool:
    """Return whether these controllers may have something to do. A recording already contains their writes."""
    if scenario.observed:
        return False
    events = [event.object for event in scenario.events]
    if any(isinstance(item, PersistentVolumeClaim) for item in events):  # those of the start are bound as they are read
        return True
    served = scenario.release.has_on(DRA_GATE)
    return served and any(isinstance(item, _CLAIMS) for items in (scenario.objects, events) for item in items)


class AtOnce:
    """The controllers that respond immediately."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def start(self, objects: Iterable[KubernetesObject]) -> None:
        """Notify the controllers of the objects that exist at the start."""
        self._api.is_starting = True
        for item in list(objects):
            self._notify(Change(kind_of(item), "added", item))
        self._api.is_starting = False

    def watch(self, kind: str, old: KubernetesObject | None, new: KubernetesObject | None) -> None:
        """Handle a change that was delivered to the scheduler."""
        self._notify(Change.between(kind, old, new))

    def delete(self, claim: ResourceClaim) -> None:
        """Delete a claim at the request of a user."""
        resourceclaim.delete(claim, self._api, because("requested"))

    def _notify(self, change: Change) -> None:
        api = self._api
        for controller in _CONTROLLERS:
            for key in controller.wakes(change, api):
                actor, api.actor = api.actor, controller.name
                controller.reconcile(key, api)
                api.actor = actor
