"""Volumes and claims as Reserve assumed them, before the API server has them (volumebinding/assume_cache.go)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec
from msgspec.structs import replace

from scheduler_core.apis.core import SELECTED_NODE, PersistentVolume, PersistentVolumeClaim
from scheduler_core.plugins.volumes.listers import Storage
from scheduler_core.plugins.volumes.matching import claim_class, claim_key


class PodVolumes(msgspec.Struct, frozen=True):
    """The volumes for a pod on a node: existing ones, and claims to provision. With `reasons`, the node is rejected."""

    bindings: tuple[tuple[PersistentVolumeClaim, PersistentVolume], ...] = ()
    provisions: tuple[PersistentVolumeClaim, ...] = ()
    reasons: tuple[str, ...] = ()


class AssumeCache(msgspec.Struct):
    """The decisions of Reserve that are not yet written to the API server (PVAssumeCache and PVCAssumeCache).

    Each entry is (the stored object, the assumed object). When the cluster has another stored object, the assumption is
    dropped, as after an informer's update in kube-scheduler.
    """

    volumes: dict[str, tuple[PersistentVolume, PersistentVolume]] = {}
    claims: dict[str, tuple[PersistentVolumeClaim, PersistentVolumeClaim]] = {}

    def volume(self, storage: Storage, name: str) -> PersistentVolume | None:
        """Return the volume as the binder sees it, None if it does not exist."""
        stored = storage.persistent_volume(name)
        base, assumed = self.volumes.get(name, (None, None))
        return assumed if assumed is not None and base is stored else stored

    def claim(self, storage: Storage, key: str) -> PersistentVolumeClaim | None:
        """Return the claim as the binder sees it, None if it does not exist."""
        stored = storage.persistent_volume_claim(key)
        base, assumed = self.claims.get(key, (None, None))
        return assumed if assumed is not None and base is stored else stored

    def assume_volume(self, storage: Storage, assumed: PersistentVolume) -> None:
        """Replace the volume in the binder's view."""
        stored = storage.persistent_volume(assumed.name)
        assert stored is not None
        self.volumes[assumed.name] = (stored, assumed)

    def assume_claim(self, storage: Storage, assumed: PersistentVolumeClaim) -> None:
        """Replace the claim in the binder's view."""
        stored = storage.persistent_volume_claim(claim_key(assumed))
        assert stored is not None
        self.claims[claim_key(assumed)] = (stored, assumed)

    def write_error(self, storage: Storage, volumes: PodVolumes) -> str:
        """Return the error with which the API server rejects the assumed writes, "" if it accepts them.

        It rejects them if one of the objects was updated or deleted since it was assumed.
        """
        for _, pv in volumes.bindings:
            stored = storage.persistent_volume(pv.name)
            if stored is None or stored is not self.volumes[pv.name][0]:
                return _refusal("persistentvolumes", pv.name, exists=stored is not None)
        for claim in volumes.provisions:
            persistent_volume_claim = storage.persistent_volume_claim(claim_key(claim))
            if persistent_volume_claim is None or persistent_volume_claim is not self.claims[claim_key(claim)][0]:
                return _refusal("persistentvolumeclaims", claim.name, exists=persistent_volume_claim is not None)
        return ""

    def volumes_for(self, storage: Storage, claim: PersistentVolumeClaim) -> Iterator[PersistentVolume]:
        """Yield the volumes of the claim's class that have no claim or name this one."""
        for stored in storage.persistent_volumes_for(claim_key(claim), claim_class(claim)):
            base, assumed = self.volumes.get(stored.name, (None, None)) if self.volumes else (None, None)
            yield assumed if assumed is not None and base is stored else stored


def _refusal(resource: str, name: str, *, exists: bool) -> str:
    """Return the API server's error for an update of an object that was deleted, or updated since it was read."""
    if not exists:
        return f'{resource} "{name}" not found'
    conflict = "the object has been modified; please apply your changes to the latest version and try again"
    return f'Operation cannot be fulfilled on {resource} "{name}": {conflict}'


def with_selected_node(claim: PersistentVolumeClaim, node_name: str) -> PersistentVolumeClaim:
    """Return the claim with its selected node."""
    annotations: Mapping[str, str] = {**claim.annotations, SELECTED_NODE: node_name}
    return replace(claim, annotations=annotations)


def with_claim(pv: PersistentVolume, claim: PersistentVolumeClaim) -> PersistentVolume:
    """Return the volume reserved for the claim (`GetBindVolumeToClaim`); the same object if it already is."""
    if pv.claim_ref == claim_key(claim) and pv.claim_uid == claim.uid:
        return pv
    return replace(pv, claim_ref=claim_key(claim), claim_uid=claim.uid)
