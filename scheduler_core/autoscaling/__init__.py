"""Actors that add, remove and replace nodes and pods: Cluster Autoscaler, Karpenter, descheduler.

They read the same objects as controllers, and simulate the scheduler on copies of the cluster.
"""
