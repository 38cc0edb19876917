"""The cluster as kube-scheduler's cache and snapshot know it: nodes and pods as columns, written by `Cluster` only."""
