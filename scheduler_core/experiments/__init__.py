"""Experiments: one scenario run for every combination of what is varied, each run summed up as a row of measures."""
