"""In-tree volumes that a CSI driver now serves, and how the scheduler interprets them.

The rules are those of csi-translation-lib (`translate.go`, `plugins/*.go`): the CSI driver of each in-tree source, the
driver's name for the volume, and the topology key under which the driver's nodes have their zone. The CSINode
annotation `storage.alpha.kubernetes.io/migrated-plugins` lists the plugins for which a node uses the driver.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from scheduler_core.apis.core import CSINode, Manifest, PersistentVolume
from scheduler_core.apis.selectors import NodeSelector, NodeSelectorTerm, SelectorRequirement
from scheduler_core.releases import Release

ZONE, ZONE_BETA = "topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"
REGION, REGION_BETA = "topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region"
MULTI_ZONE_DELIMITER = "__"  # "us-east-1a__us-east-1b" in a volume's zone label

_GCE_ZONAL, _GCE_REGIONAL = "projects/UNSPECIFIED/zones/{}/disks/{}", "projects/UNSPECIFIED/regions/{}/disks/{}"
_AWS_VOLUME = re.compile(r"vol-[^/]*")
_AZURE_SECRET = ("azure-storage-account-", "-secret")  # prefix and suffix of the account's name


class TranslationError(Exception):
    """The in-tree volume cannot be translated to a CSI volume; the text is the error of csi-translation-lib."""


class InTreePlugin(msgspec.Struct, frozen=True):
    """An in-tree volume plugin and its successor; `topology_key` "" if zones are not translated.

    `counted`: NodeVolumeLimits and VolumeBinding support its migration (`isCSIMigrationOn`).
    """

    source: str
    name: str
    driver: str
    topology_key: str = ""
    counted: bool = True


IN_TREE_PLUGINS = (
    InTreePlugin("gcePersistentDisk", "kubernetes.io/gce-pd", "pd.csi.storage.gke.io", "topology.gke.io/zone"),
    InTreePlugin("awsElasticBlockStore", "kubernetes.io/aws-ebs", "ebs.csi.aws.com", "topology.ebs.csi.aws.com/zone"),
    InTreePlugin(
        "cinder", "kubernetes.io/cinder", "cinder.csi.openstack.org", "topology.cinder.csi.openstack.org/zone"
    ),
    InTreePlugin("azureDisk", "kubernetes.io/azure-disk", "disk.csi.azure.com"),
    InTreePlugin("azureFile", "kubernetes.io/azure-file", "file.csi.azure.com", counted=False),
    InTreePlugin("vsphereVolume", "kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com", counted=False),
    InTreePlugin("portworxVolume", "kubernetes.io/portworx-volume", "pxd.portworx.com"),
)
BY_SOURCE = {plugin.source: plugin for plugin in IN_TREE_PLUGINS}
BY_NAME = {plugin.name: plugin for plugin in IN_TREE_PLUGINS}


def migratable(pv: PersistentVolume) -> InTreePlugin | None:
    """Return the in-tree plugin of a volume that a CSI driver could serve, None if there is none (`IsPVMigratable`)."""
    return next((plugin for plugin in IN_TREE_PLUGINS if plugin.source in pv.source), None)


class Migrations(msgspec.Struct, frozen=True):
    """The in-tree volumes that count as those of their CSI driver (nodevolumelimits/utils.go `isCSIMigrationOn`).

    `named`: sources whose plugin the node's CSINode must list; `off`: sources that are never migrated.
    """

    named: frozenset[str] = frozenset()
    off: frozenset[str] = frozenset()

    @staticmethod
    def of(release: Release) -> Migrations:
        off = {"portworxVolume"} if release.gate_is_off("CSIMigrationPortworx") else set()
        if release.rules.generic_scheduler:  # the gates CSIMigration* are off
            off = set(BY_SOURCE)
        return Migrations(frozenset(release.rules.migrations_that_csi_nodes_name.split()), frozenset(off))

    def is_migrated(self, plugin: InTreePlugin, csi_node: CSINode | None) -> bool:
        """Return whether the CSI driver serves the plugin's volumes on the node."""
        if csi_node is None or not plugin.counted or plugin.source in self.off:
            return False
        return plugin.source not in self.named or plugin.name in csi_node.migrated


def migrated_for_binding(plugin: InTreePlugin, csi_node: CSINode | None) -> bool:
    """Return whether the CSI driver serves the plugin's volumes on the node (binder.go isPluginMigratedToCSIOnNode)."""
    return csi_node is not None and plugin.counted and plugin.name in csi_node.migrated


def volume_handle(plugin: InTreePlugin, source: Manifest, pv: PersistentVolume | None = None) -> str:
    """Return the driver's name for the volume; `pv` None: the volume is in the pod itself.

    Raises TranslationError where csi-translation-lib returns an error.
    """
    match plugin.source:
        case "awsElasticBlockStore":
            return _aws_volume_id(str(source.get("volumeID", "")))
        case "gcePersistentDisk":
            return _gce_volume_id(str(source.get("pdName", "")), pv)
        case "azureDisk":
            return _azure_disk_uri(source)
        case "azureFile":
            return _azure_file_id(source, pv)
        case "vsphereVolume":
            return str(source.get("volumePath", ""))
        case _:
            return str(source.get("volumeID", ""))


def translated_node_affinity(pv: PersistentVolume, plugin: InTreePlugin) -> NodeSelector | None:
    """Return the volume's affinity with the driver's topology key (`translateTopologyFromInTreeToCSI`).

    None if the volume has neither an affinity nor a zone label that is translated.
    """
    affinity = pv.node_affinity
    if not plugin.topology_key:
        return affinity
    zone, region = _topology_labels(pv)
    if _has_values(affinity, zone):
        affinity = _renamed(affinity, zone, plugin.topology_key)
    elif zone in pv.labels:
        affinity = _with_zones(affinity, plugin.topology_key, pv.labels[zone].split(MULTI_ZONE_DELIMITER))
    if region == REGION_BETA and _has_values(affinity, REGION_BETA):
        return _renamed(affinity, REGION_BETA, REGION)
    return affinity


def _requirements(affinity: NodeSelector | None) -> Iterator[SelectorRequirement]:
    for term in affinity.terms if affinity is not None else ():
        yield from term.match_expressions


def _has_values(affinity: NodeSelector | None, key: str) -> bool:
    return any(requirement.key == key and requirement.values for requirement in _requirements(affinity))


def _topology_labels(pv: PersistentVolume) -> tuple[str, str]:
    """Return the zone and region keys that the volume uses: its affinity before its labels, GA before beta."""
    keys = {requirement.key for requirement in _requirements(pv.node_affinity)}
    for names in (keys, pv.labels):
        if ZONE in names:
            return ZONE, REGION
        if ZONE_BETA in names:
            return ZONE_BETA, REGION_BETA
    return ZONE, REGION


def _renamed(affinity: NodeSelector | None, old: str, new: str) -> NodeSelector | None:
    if affinity is None:
        return None

    def rename(term: NodeSelectorTerm) -> NodeSelectorTerm:
        return replace(
            term, match_expressions=tuple(replace(r, key=new) if r.key == old else r for r in term.match_expressions)
        )

    return NodeSelector(tuple(map(rename, affinity.terms)))


def _with_zones(affinity: NodeSelector | None, key: str, zones: list[str]) -> NodeSelector | None:
    """Return the affinity with one of the zones required in every term (`addTopology`).

    Without a valid zone, the affinity is returned unchanged, even if it is None.
    """
    values = tuple(sorted({zone.strip() for zone in zones} - {""}))
    if not values:
        return affinity
    terms = affinity.terms if affinity is not None and affinity.terms else (NodeSelectorTerm(),)
    requirement = SelectorRequirement(key, "In", values)
    return NodeSelector(
        tuple(replace(term, match_expressions=(*term.match_expressions, requirement)) for term in terms)
    )


def _aws_volume_id(volume_id: str) -> str:
    if not volume_id.startswith("aws://"):
        return volume_id
    path = re.split(r"[?#]", volume_id.removeprefix("aws://"))[0].partition("/")[2].strip("/")
    if not _AWS_VOLUME.fullmatch(path):
        raise TranslationError(
            f"failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume ({volume_id})"
        )
    return path


def _gce_volume_id(name: str, pv: PersistentVolume | None) -> str:
    label = (pv.labels.get(ZONE_BETA) or pv.labels.get(ZONE, "")) if pv is not None else ""
    zones = label.split(MULTI_ZONE_DELIMITER)
    if len(zones) == 1:
        return _GCE_ZONAL.format(zones[0] or "UNSPECIFIED", name)
    return _GCE_REGIONAL.format(_gce_region(zones), name)


def _gce_region(zones: list[str]) -> str:
    regions = set()
    for zone in zones:
        parts = zone.split("-")
        if len(parts) != 3:
            raise TranslationError(
                "failed to get region from zones: zone in unexpected format, "
                f"expected: {{locale}}-{{region}}-{{zone}}, got: {zone}"
            )
        regions.add("-".join(parts[:2]))
    if len(regions) != 1:
        regions_text = " ".join(f"{region}:{{}}" for region in sorted(regions))
        raise TranslationError(
            f"failed to get region from zones: multiple or no regions gotten from zones, got: map[{regions_text}]"
        )
    return regions.pop()


def _azure_disk_uri(source: Manifest) -> str:
    kind = source.get("kind")
    if kind is not None and str(kind).lower() != "managed":
        raise TranslationError(f"kind({kind}) is not supported in csi migration")
    return str(source.get("diskURI", ""))


def _azure_file_id(source: Manifest, pv: PersistentVolume | None) -> str:
    secret = str(source.get("secretName", ""))
    account = secret.partition(_AZURE_SECRET[0])[2].rpartition(_AZURE_SECRET[1])[0] or secret
    share = str(source.get("shareName", ""))
    if pv is None:
        return f"#{account}#{share}"  # not counted, since NodeVolumeLimits does not support its migration
    group = pv.annotations.get("kubernetes.io/azure-file-resource-group", "")
    namespace = str(source.get("secretNamespace") or pv.claim_ref.partition("/")[0])
    if not namespace:
        raise TranslationError("could not find a secret namespace in PersistentVolumeSource or ClaimRef")
    return f"{group}#{account}#{share}#{pv.name}#{namespace}"
