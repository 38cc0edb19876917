"""Analysis pages: comparison, capacity, operations, autoscaling, experiments, pending pods, replay."""
