"""Pending pods: kube-scheduler's message in words, and the reason why each pod of a run is pending."""
