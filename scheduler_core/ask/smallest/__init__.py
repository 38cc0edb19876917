"""The smallest change that makes a pod fit, or a node win."""
