"""Experiments: a scenario is run for every combination of levels, and each run becomes a row of measures."""
