"""Experiments: runs of a scenario with every combination of levels. Each run is a row of measures."""
