"""Recorded runs of kube-scheduler 1.34.1, and the comparison with them."""
