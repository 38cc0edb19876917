"""VolumeBinding (kube-scheduler: plugins/volumebinding)."""
