"""Pending pods: kube-scheduler's message in words, and the reason that each pod of a run is pending."""
