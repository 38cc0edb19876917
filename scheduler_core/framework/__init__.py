"""kube-scheduler's scheduling framework: the interfaces of plugins (`interface`), and their `runtime`."""
