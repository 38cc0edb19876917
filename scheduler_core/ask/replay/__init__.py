"""Replay of a recording: the observed decisions of a cluster's scheduler compared with the simulated ones."""
