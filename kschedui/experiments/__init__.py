"""Experiments: requested, run in batches of cells by the workers of their own queue, and their results."""
