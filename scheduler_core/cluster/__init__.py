"""The cluster, as in kube-scheduler's cache and snapshot. Nodes and pods are columns, which only `Cluster` writes."""
