"""A recording replayed: the decisions of a cluster's own scheduler beside the simulated ones."""
