"""The descheduler (kubernetes-sigs/descheduler, 1.36 line)."""
