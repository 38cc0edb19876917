"""Builds PersistentVolumes, PersistentVolumeClaims, StorageClasses, the CSI kinds and VolumeAttachments.

Sources: core/validation `ValidatePersistentVolumeSpec`, `ValidatePersistentVolumeClaimSpec`; storage/validation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scheduler_core.apis.container_resources import amount
from scheduler_core.apis.core import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    VolumeAttachment,
)
from scheduler_core.apis.messages import Message
from scheduler_core.apis.quantity import parse_nano
from scheduler_core.scenario.fields.names import check_metadata, dns_subdomain, qualified_name, text_map
from scheduler_core.scenario.fields.volume_fields import PERSISTENT_VOLUME_SOURCES
from scheduler_core.scenario.objects.admission import Admission
from scheduler_core.scenario.objects.label_selectors import label_selector, node_selector
from scheduler_core.scenario.objects.pods import controller
from scheduler_core.scenario.reading.problems import Path, Problems, duplicate, forbidden, invalid, required

Manifest = Mapping[str, Any]

BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
BETA_STORAGE_CLASS = "volume.beta.kubernetes.io/storage-class"  # takes precedence over storageClassName
MIGRATED_PLUGINS = "storage.alpha.kubernetes.io/migrated-plugins"
_DEFAULT_CLASS = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")


def build_volume(data: Manifest, problems: Problems, admission: Admission) -> PersistentVolume:
    """Build a volume, with a warning if it can be matched with no claim because its phase is absent."""
    metadata, spec, status = _parts(data, problems)
    annotations = text_map(metadata.get("annotations"))
    capacity = _storage(spec.get("capacity"), ("spec", "capacity"), problems)
    _check_modes_and_names(spec, problems)
    sources = {name: spec[name] for name in PERSISTENT_VOLUME_SOURCES if spec.get(name) is not None}
    if not sources:
        problems.error(("spec",), required(Message("must specify a volume type, such as csi or local")))
    for name in list(sources)[1:]:
        problems.error(("spec", name), forbidden(Message("may not specify more than 1 volume type")))
    affinity = (spec.get("nodeAffinity") or {}).get("required")
    selector = None
    if affinity is not None:
        selector = node_selector(affinity, ("spec", "nodeAffinity", "required"), problems)
    elif "local" in sources:
        problems.error(("spec", "nodeAffinity"), required(Message("Local volume requires node affinity")))
    claim = spec.get("claimRef") or {}
    if not status.get("phase") and not claim:
        problems.warn(
            ("status", "phase"), Message("absent, so Pending: only an Available volume is matched with claims")
        )
    return PersistentVolume(
        name=metadata.get("name") or "",
        labels=text_map(metadata.get("labels")),
        annotations=annotations,
        capacity=capacity,
        access_modes=tuple(spec.get("accessModes") or ()),
        storage_class=annotations.get(BETA_STORAGE_CLASS) or spec.get("storageClassName") or "",
        volume_mode=spec.get("volumeMode") or "Filesystem",
        node_affinity=selector,
        claim_ref=f"{claim.get('namespace') or 'default'}/{claim['name']}" if claim.get("name") else "",
        claim_uid=claim.get("uid") or "",
        source=sources,
        phase=status.get("phase") or "Pending",  # the API server's default; only Available volumes are matched
        attributes_class=spec.get("volumeAttributesClassName") or "",
        terminating=bool(metadata.get("deletionTimestamp")),
        manifest=data,
    )


def build_claim(data: Manifest, problems: Problems, admission: Admission) -> PersistentVolumeClaim:
    """Build a claim. With a volumeName it counts as bound, unless it is Lost without the annotation bind-completed."""
    metadata, spec, status = _parts(data, problems)
    annotations = text_map(metadata.get("annotations"))
    resources = ("spec", "resources", "requests")
    request = _storage((spec.get("resources") or {}).get("requests"), resources, problems)
    _check_modes_and_names(spec, problems)
    selector = spec.get("selector")
    volume_name = spec.get("volumeName") or ""
    phase = status.get("phase") or "Pending"
    bound = bool(volume_name) and (phase in ("Pending", "Bound") or BIND_COMPLETED in annotations)
    return PersistentVolumeClaim(
        name=metadata.get("name") or "",
        namespace=metadata.get("namespace") or "default",
        uid=admission.uid(metadata),
        annotations=annotations,
        labels=text_map(metadata.get("labels")),
        request=request,
        access_modes=tuple(spec.get("accessModes") or ()),
        storage_class=admission.storage_class(annotations.get(BETA_STORAGE_CLASS) or spec.get("storageClassName")),
        volume_mode=spec.get("volumeMode") or "Filesystem",
        selector=label_selector(selector, ("spec", "selector"), problems) if selector is not None else None,
        volume_name=volume_name,
        bound=bound,
        phase="Bound" if bound else phase,
        owner=controller(metadata),
        attributes_class=spec.get("volumeAttributesClassName") or "",
        terminating=bool(metadata.get("deletionTimestamp")),
        manifest=data,
    )


def build_storage_class(data: Manifest, problems: Problems, admission: Admission) -> StorageClass:
    """Build a class and add it to the known ones (`ValidateStorageClass`)."""
    metadata, _, _ = _parts(data, problems)
    annotations = text_map(metadata.get("annotations"))
    if not data.get("provisioner"):
        problems.error(("provisioner",), required())
    storage_class = StorageClass(
        name=metadata.get("name") or "",
        provisioner=data.get("provisioner") or "",
        volume_binding_mode=data.get("volumeBindingMode") or "Immediate",
        allowed_topologies=tuple(
            _topology(term, ("allowedTopologies", index), problems)
            for index, term in enumerate(data.get("allowedTopologies") or ())
        ),
        is_default=any(annotations.get(key) == "true" for key in _DEFAULT_CLASS),
        creation_timestamp=admission.creation(metadata),
        manifest=data,
    )
    admission.storage_classes[storage_class.name] = storage_class
    return storage_class


def _topology(term: Manifest, path: Path, problems: Problems) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Build a topology term (`ValidateTopologySelectorTerm`)."""
    pairs: list[tuple[str, tuple[str, ...]]] = []
    for index, entry in enumerate(term.get("matchLabelExpressions") or ()):
        key, values, at = (
            entry.get("key") or "",
            tuple(entry.get("values") or ()),
            (*path, "matchLabelExpressions", index),
        )
        if reason := qualified_name(key):
            problems.error((*at, "key"), invalid(key, reason))
        if any(key == other for other, _ in pairs):
            problems.error((*at, "key"), duplicate(key))
        if not values:
            problems.error((*at, "values"), required())
        pairs.append((key, values))
    return tuple(pairs)


def build_csi_node(data: Manifest, problems: Problems, admission: Admission) -> CSINode:
    """Build a CSINode with the limits of its drivers and the in-tree plugins that are migrated."""
    metadata, spec, _ = _parts(data, problems)
    limits: dict[str, int | None] = {}
    for index, driver in enumerate(spec.get("drivers") or ()):
        name, path = driver.get("name") or "", ("spec", "drivers", index)
        count = (driver.get("allocatable") or {}).get("count")
        if not name:
            problems.error((*path, "name"), required())
        if name in limits:
            problems.error((*path, "name"), duplicate(name))
        if count is not None and count < 0:
            problems.error(
                (*path, "allocatable", "count"), invalid(count, Message("must be greater than or equal to 0"))
            )
        limits[name] = count
    migrated = text_map(metadata.get("annotations")).get(MIGRATED_PLUGINS, "")
    return CSINode(metadata.get("name") or "", limits, frozenset(filter(None, migrated.split(","))), data)


def build_csi_driver(data: Manifest, problems: Problems, admission: Admission) -> CSIDriver:
    """Build a CSIDriver; absent fields are false."""
    metadata, spec, _ = _parts(data, problems)
    return CSIDriver(
        metadata.get("name") or "",
        bool(spec.get("storageCapacity")),
        bool(spec.get("preventPodSchedulingIfMissing")),
        data,
    )


def build_capacity(data: Manifest, problems: Problems, admission: Admission) -> CSIStorageCapacity:
    """Build a CSIStorageCapacity; without nodeTopology it matches no node."""
    metadata, _, _ = _parts(data, problems)
    if not data.get("storageClassName"):
        problems.error(("storageClassName",), required())
    topology = data.get("nodeTopology")
    return CSIStorageCapacity(
        name=metadata.get("name") or "",
        namespace=metadata.get("namespace") or "default",
        storage_class=data.get("storageClassName") or "",
        node_topology=label_selector(topology, ("nodeTopology",), problems) if topology is not None else None,
        capacity=_bytes(data.get("capacity"), ("capacity",), problems),
        maximum_volume_size=_bytes(data.get("maximumVolumeSize"), ("maximumVolumeSize",), problems),
        manifest=data,
    )


def build_attachment(data: Manifest, problems: Problems, admission: Admission) -> VolumeAttachment:
    """Build a VolumeAttachment of a PersistentVolume, or of an inline volume (`ValidateVolumeAttachment`)."""
    metadata, spec, _ = _parts(data, problems)
    for field in ("attacher", "nodeName"):
        if not spec.get(field):
            problems.error(("spec", field), required())
    source = spec.get("source") or {}
    if bool(source.get("persistentVolumeName")) == bool(source.get("inlineVolumeSpec")):
        reason = Message("must specify exactly one of inlineVolumeSpec and persistentVolumeName")
        problems.error(("spec", "source"), required(reason))
    return VolumeAttachment(
        name=metadata.get("name") or "",
        attacher=spec.get("attacher") or "",
        node_name=spec.get("nodeName") or "",
        volume_name=source.get("persistentVolumeName") or "",
        manifest=data,
    )


def _parts(data: Manifest, problems: Problems) -> tuple[Manifest, Manifest, Manifest]:
    metadata = data.get("metadata") or {}
    check_metadata(metadata, ("metadata",), problems)
    return metadata, data.get("spec") or {}, data.get("status") or {}


def _storage(data: Manifest | None, path: Path, problems: Problems) -> int:
    """Return the `storage` of a resource list in bytes, rounded up; 0 if it is missing. It must be positive."""
    quantity = (data or {}).get("storage")
    if quantity is None:
        problems.error((*path, "storage"), required())
        return 0
    if parse_nano(str(quantity)) <= 0:
        problems.error((*path, "storage"), invalid(quantity, Message("must be greater than zero")))
    return amount("storage", str(quantity))


def _bytes(quantity: Any, path: Path, problems: Problems) -> int | None:
    """Return a quantity in bytes, rounded up; None if it is None. It must not be negative."""
    if quantity is None:
        return None
    if parse_nano(str(quantity)) < 0:
        problems.error(path, invalid(quantity, Message("must be greater than or equal to 0")))
    return amount("storage", str(quantity))


def _check_modes_and_names(spec: Manifest, problems: Problems) -> None:
    """Check the access modes of a volume or claim, and the names of its volume and class."""
    modes = spec.get("accessModes") or ()
    if not modes:
        problems.error(("spec", "accessModes"), required(Message("at least 1 access mode is required")))
    if "ReadWriteOncePod" in modes and len(modes) > 1:
        reason = Message("may not use ReadWriteOncePod with other access modes")
        problems.error(("spec", "accessModes"), forbidden(reason))
    for field in ("volumeName", "storageClassName"):
        if (name := spec.get(field)) and (unfit := dns_subdomain(name)):
            problems.error(
                ("spec", field), invalid(name, Message("a lowercase RFC 1123 subdomain {reason}", reason=unfit))
            )
