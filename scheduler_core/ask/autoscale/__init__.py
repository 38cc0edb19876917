"""What an autoscaler would do for pods that wait, and why it does not remove a node."""
