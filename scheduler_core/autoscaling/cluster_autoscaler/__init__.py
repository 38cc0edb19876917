"""Cluster Autoscaler (kubernetes/autoscaler, cluster-autoscaler, 1.36)."""
