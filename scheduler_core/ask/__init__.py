"""Hypothetical changes to a scenario. The simulation itself evaluates, compares and searches for them."""
