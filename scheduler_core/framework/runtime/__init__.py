"""How a profile's plugins are run at each extension point (kube-scheduler: framework/runtime)."""
