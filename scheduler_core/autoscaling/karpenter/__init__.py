"""Karpenter: launches nodes for pending pods, and replaces or removes nodes to save money."""
