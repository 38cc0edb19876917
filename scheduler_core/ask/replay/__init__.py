"""Replay of a recording: the observed decisions of a cluster's scheduler beside the simulated ones."""
