"""NodeResourcesFit and NodeResourcesBalancedAllocation (kube-scheduler: plugins/noderesources)."""
