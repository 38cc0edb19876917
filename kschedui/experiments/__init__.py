"""Experiments: their start, their batches of cells, which workers of their own queue run, and their results."""
