"""The Kubernetes objects and values that the engine works with. Imports nothing else of the engine."""
