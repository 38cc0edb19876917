"""One pod's way: scheduling cycle, binding cycle, failure (kube-scheduler: pkg/scheduler)."""
