"""Runs a profile's plugins at each extension point (kube-scheduler: framework/runtime)."""
