"""The answer of an autoscaler to pods that wait, and its reasons not to remove a node."""
