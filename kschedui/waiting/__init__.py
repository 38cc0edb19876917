"""Pods that wait: what kube-scheduler's message says, in words, and what blocks each of a run's waiting pods."""
