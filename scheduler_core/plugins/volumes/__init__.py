"""The plugins that read a pod's volumes: VolumeRestrictions, VolumeZone, NodeVolumeLimits and VolumeBinding."""
