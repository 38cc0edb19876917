"""NodeAffinity (kube-scheduler: plugins/nodeaffinity)."""
