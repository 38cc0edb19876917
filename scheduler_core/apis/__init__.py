"""The Kubernetes objects and values that the engine works with. It imports no other package of the engine."""
