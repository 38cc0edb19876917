"""Kubernetes objects and values as the engine holds them; imports nothing else of it."""
