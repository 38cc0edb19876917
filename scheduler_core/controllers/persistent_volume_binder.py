"""persistentvolume-binder-controller (pkg/controller/volume/persistentvolume/pv_controller.go): static binding.

Claims that do not wait for their first consumer are bound to the smallest matching volume. A claim without a matching
volume is checked again every 15 s.
"""

from __future__ import annotations

from msgspec.structs import replace

from scheduler_core.apis.core import PersistentVolume, PersistentVolumeClaim, StorageClass
from scheduler_core.controllers.api import Api
from scheduler_core.controllers.causes import because
from scheduler_core.scenario.objects.admission import claimed

RESYNC_SECONDS = 15.0
NO_VOLUME = "no persistent volumes available for this claim and no storage class is set"


def reconcile(key: str, api: Api) -> None:
    """Bind a claim unless it waits for a consumer, or make a new volume Available (key "volume NAME").

    If no volume fits the claim, try again after RESYNC_SECONDS.
    """
    if key.startswith("volume "):
        volume = api.cluster.get("PersistentVolume", key.removeprefix("volume "))
        if isinstance(volume, PersistentVolume) and volume.phase == "Pending" and not volume.claim_ref:
            api.apply_object(replace(volume, phase="Available"), "update", None)
        return
    claim = api.cluster.get("PersistentVolumeClaim", key)
    if not isinstance(claim, PersistentVolumeClaim) or claim.bound or _waits(claim, api):
        return
    smallest = _smallest(claim, api)
    if smallest is None:
        api.record(claim, "FailedBinding", NO_VOLUME, source="persistentvolume-controller")
        api.later(RESYNC_SECONDS, key)
        return
    cause = because("volume-found", claim=claim.name, volume=smallest.name)
    bound = replace(claim, volume_name=smallest.name, bound=True, phase="Bound")
    api.apply_object(claimed(smallest, bound), "update", cause)
    api.apply_object(bound, "update", cause)


def complete(claim: PersistentVolumeClaim, api: Api) -> None:
    """Set the claimRef of the volume to which a claim is already bound (syncBoundClaim)."""
    volume = api.cluster.get("PersistentVolume", claim.volume_name)
    if isinstance(volume, PersistentVolume) and (bound := claimed(volume, claim)) != volume:
        api.apply_object(bound, "update", because("claim-bound", claim=claim.name, volume=volume.name))


def _waits(claim: PersistentVolumeClaim, api: Api) -> bool:
    """Return whether the claim is bound only when a pod that uses it is scheduled."""
    item = api.cluster.get("StorageClass", claim.storage_class or "")
    return isinstance(item, StorageClass) and item.volume_binding_mode == "WaitForFirstConsumer"


def _smallest(claim: PersistentVolumeClaim, api: Api) -> PersistentVolume | None:
    """Return the volume reserved for the claim, else the smallest that fits; None without one (FindMatchingVolume)."""
    key = f"{claim.namespace}/{claim.name}"
    volumes = [item for item in api.cluster.objects("PersistentVolume") if isinstance(item, PersistentVolume)]
    for volume in volumes:
        if volume.claim_ref == key or (claim.volume_name and volume.name == claim.volume_name):
            return volume
    fitting = [volume for volume in volumes if _fits(volume, claim)]
    return min(fitting, key=lambda volume: volume.capacity, default=None)


def _fits(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    return (
        not volume.claim_ref
        and not volume.terminating
        and volume.phase in ("Available", "Pending")
        and volume.capacity >= claim.request
        and volume.storage_class == (claim.storage_class or "")
        and volume.volume_mode == claim.volume_mode
        and set(claim.access_modes) <= set(volume.access_modes)
        and (claim.selector is None or claim.selector.matches(volume.labels))
    )
