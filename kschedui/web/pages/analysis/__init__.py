"""Analysis pages: comparison, capacity, operations, experiments, pending pods, replay."""
