"""Actors that add, remove and repair: Cluster Autoscaler, Karpenter, descheduler. They read what controllers read, and
simulate the scheduler on copies of the cluster."""
