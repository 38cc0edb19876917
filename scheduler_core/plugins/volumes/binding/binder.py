"""The binder of VolumeBinding: sorts a pod's claims, finds volumes for them on a node, and assumes the result.

The rules are those of kube-scheduler's volumebinding/binder.go: `GetPodVolumeClaims`, `FindPodVolumes`,
`AssumePodVolumes`. A node is represented by its labels, its name and its CSINode, so that all nodes that are equal for
the claims share one result.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from scheduler_core.apis.core import (
    SELECTED_NODE,
    CSINode,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    StorageClass,
)
from scheduler_core.plugins.volumes.binding.assume_cache import AssumeCache, PodVolumes
from scheduler_core.plugins.volumes.csi_migration import TranslationError, migratable, translated_node_affinity
from scheduler_core.plugins.volumes.listers import Storage
from scheduler_core.plugins.volumes.matching import (
    NO_PROVISIONER,
    Candidates,
    Labels,
    candidates,
    claim_class,
    claim_key,
    enough_capacity,
    fully_bound,
    reachable_after_migration,
    topology_allowed,
)

NODE_CONFLICT = "node(s) didn't match PersistentVolume's node affinity"
NODE_AFFINITY_CONFLICT = "node(s) had volume node affinity conflict"  # in older releases
BIND_CONFLICT = "node(s) didn't find available persistent volumes to bind"
NOT_ENOUGH_SPACE = "node(s) did not have enough free storage"
VOLUME_NOT_FOUND = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"


class PodVolumeClaims(msgspec.Struct, frozen=True):
    """A pod's claims by state: bound, to be bound with the pod, or required to be bound already (`PodVolumeClaims`)."""

    bound: tuple[PersistentVolumeClaim, ...]
    delayed: tuple[PersistentVolumeClaim, ...]
    immediate: tuple[PersistentVolumeClaim, ...]


class BinderError(Exception):
    """FindPodVolumes failed; the text is the message of the status (code Error)."""


def claims_of(pod: Pod, storage: Storage, assumed: AssumeCache) -> PodVolumeClaims:
    """Return the pod's claims by state; all must exist. A claim that names its volume but is not bound is immediate."""
    kinds: dict[str, list[PersistentVolumeClaim]] = {"bound": [], "delayed": [], "immediate": []}
    for volume in pod.volumes:
        if volume.claim is None:
            continue
        claim = assumed.claim(storage, f"{pod.namespace}/{volume.claim}")
        assert claim is not None
        if fully_bound(claim):
            kinds["bound"].append(claim)
        elif _delays_binding(storage.storage_class(claim_class(claim))) and not claim.volume_name:
            kinds["delayed"].append(claim)
        else:
            kinds["immediate"].append(claim)
    return PodVolumeClaims(tuple(kinds["bound"]), tuple(kinds["delayed"]), tuple(kinds["immediate"]))


def _delays_binding(storage_class: StorageClass | None) -> bool:
    """Return whether the class delays binding; a class that does not exist does not (`IsDelayBindingMode`)."""
    return storage_class is not None and storage_class.volume_binding_mode == "WaitForFirstConsumer"


class VolumeSearch(msgspec.Struct, frozen=True):
    """The input of FindPodVolumes for one pod, for any node."""

    storage: Storage
    bound: tuple[tuple[PersistentVolumeClaim, PersistentVolume | None], ...]
    selected: tuple[PersistentVolumeClaim, ...]  # claims with a selected node
    free: tuple[Candidates, ...]  # the smallest request first

    @staticmethod
    def prepare(claims: PodVolumeClaims, storage: Storage, assumed: AssumeCache) -> VolumeSearch:
        selected = tuple(claim for claim in claims.delayed if SELECTED_NODE in claim.annotations)
        free = sorted(
            (claim for claim in claims.delayed if SELECTED_NODE not in claim.annotations),
            key=lambda delayed_claim: delayed_claim.request,
        )
        return VolumeSearch(
            storage,
            tuple((claim, assumed.volume(storage, claim.volume_name)) for claim in claims.bound),
            selected,
            tuple(candidates(claim, assumed.volumes_for(storage, claim)) for claim in free),
        )

    @property
    def by_name(self) -> bool:
        """Return whether the node's name matters: a claim has a selected node."""
        return bool(self.selected)

    @property
    def by_csi_node(self) -> bool:
        """Return whether the node's CSINode matters: a CSI driver may serve a bound in-tree volume."""
        return any(pv is not None and migratable(pv) is not None for _, pv in self.bound)

    def label_keys(self) -> list[str]:
        """Return the keys of all node labels on which a result can depend, sorted."""
        keys: set[str] = set()
        for _, pv in self.bound:
            if pv is not None:
                keys |= _affinity_keys(pv)
        for candidate in self.free:
            for pv in (*candidate.reserved, *candidate.available):
                keys |= _affinity_keys(pv)
        for claim in (*self.selected, *(candidate.claim for candidate in self.free)):
            keys |= provision_keys(claim, self.storage)
        return sorted(keys)

    def find(self, labels: Labels, name: str, csi_node: CSINode | None) -> PodVolumes:
        """Return the volumes for the pod on the node, and the reasons that the node is rejected (`FindPodVolumes`).

        Without reasons, the node passes. Raises BinderError.
        """
        conflict, missing = self._check_bound(labels, csi_node)
        reasons = [NODE_CONFLICT] if conflict else []
        if any(claim.annotations[SELECTED_NODE] != name for claim in self.selected):
            pod_volumes = PodVolumes(reasons=(BIND_CONFLICT,))
        else:
            pod_volumes = self._find_unbound(labels)
        reasons += pod_volumes.reasons
        if missing:
            reasons.append(VOLUME_NOT_FOUND)
        return replace(pod_volumes, reasons=tuple(reasons))

    def _check_bound(self, labels: Labels, csi_node: CSINode | None) -> tuple[bool, bool]:
        """Return whether a bound volume is out of reach, and whether one does not exist.

        The first problem ends the check. Raises BinderError if a volume cannot be translated.
        """
        for _, pv in self.bound:
            if pv is None:
                return False, True
            try:
                if not reachable_after_migration(pv, labels, csi_node):
                    return True, False
            except TranslationError as error:
                raise BinderError(f"could not translate pv: {error}") from error
        return False, False

    def _find_unbound(self, labels: Labels) -> PodVolumes:
        """Return volumes for the unbound claims (`findMatchingVolumes`), and the claims to provision volumes for.

        If no volume can be provisioned for one of them, the result contains the reason.
        """
        chosen: dict[str, None] = {}
        bindings, unmatched = [], list(self.selected)
        for candidate in self.free:
            pv = candidate.choose(labels, chosen)
            if pv is None:
                unmatched.append(candidate.claim)
            else:
                chosen[pv.name] = None
                bindings.append((candidate.claim, pv))
        for claim in unmatched:
            reason = why_not_provisioned(claim, self.storage, labels)
            if reason:
                return PodVolumes(tuple(bindings), reasons=(reason,))
        return PodVolumes(tuple(bindings), tuple(unmatched))


def why_not_provisioned(claim: PersistentVolumeClaim, storage: Storage, labels: Labels) -> str:
    """Return the reason that no volume can be provisioned for these labels, "" if one can (`checkVolumeProvisions`).

    Raises BinderError if the claim has no class or the class does not exist.
    """
    name = claim_class(claim)
    if not name:
        raise BinderError(f'no class for claim "{claim_key(claim)}"')
    storage_class = storage.storage_class(name)
    if storage_class is None:
        raise BinderError(f'failed to find storage class "{name}"')
    if storage_class.provisioner in ("", NO_PROVISIONER) or not topology_allowed(storage_class, labels):
        return BIND_CONFLICT
    return "" if has_capacity(claim, storage_class, storage, labels) else NOT_ENOUGH_SPACE


def has_capacity(claim: PersistentVolumeClaim, storage_class: StorageClass, storage: Storage, labels: Labels) -> bool:
    """Return whether the driver has capacity for the claim or does not publish it (`hasEnoughCapacity`)."""
    driver = storage.csi_driver(storage_class.provisioner)
    if driver is None or not driver.storage_capacity:
        return True
    return capacity_for(claim, storage_class, storage, labels) is not None


def capacity_for(
    claim: PersistentVolumeClaim, storage_class: StorageClass, storage: Storage, labels: Labels
) -> CSIStorageCapacity | None:
    """Return the first published capacity of the class that is sufficient for the claim.

    None if there is none, or the driver does not publish its capacity.
    """
    driver = storage.csi_driver(storage_class.provisioner)
    if driver is None or not driver.storage_capacity:
        return None
    return next(
        (
            capacity
            for capacity in storage.csi_storage_capacities()
            if capacity.storage_class == storage_class.name and enough_capacity(capacity, claim.request, labels)
        ),
        None,
    )


def _affinity_keys(pv: PersistentVolume) -> set[str]:
    affinities = [pv.node_affinity]
    plugin = migratable(pv)
    if plugin is not None:
        affinities.append(translated_node_affinity(pv, plugin))
    return {
        requirement.key
        for affinity in affinities
        if affinity is not None
        for term in affinity.terms
        for requirement in term.match_expressions
    }


def provision_keys(claim: PersistentVolumeClaim, storage: Storage) -> set[str]:
    """Return the keys of the node labels that determine where the claim's class can provision."""
    storage_class = storage.storage_class(claim_class(claim))
    if storage_class is None:
        return set()
    keys = {key for term in storage_class.allowed_topologies for key, _ in term}
    driver = storage.csi_driver(storage_class.provisioner)
    if driver is not None and driver.storage_capacity:
        for capacity in storage.csi_storage_capacities():
            if capacity.storage_class == storage_class.name and capacity.node_topology is not None:
                keys |= {requirement.key for requirement in capacity.node_topology.requirements}
    return keys
