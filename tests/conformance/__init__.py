"""Recorded runs of kube-scheduler, of controllers and of autoscalers, and the comparison with them."""
