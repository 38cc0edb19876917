"""InterPodAffinity (kube-scheduler: plugins/interpodaffinity)."""
