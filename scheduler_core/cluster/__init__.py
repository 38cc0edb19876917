"""The cluster as in kube-scheduler's cache and snapshot: nodes and pods as columns that only `Cluster` writes."""
