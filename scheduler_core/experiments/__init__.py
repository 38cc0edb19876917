"""Experiments: a scenario is run for every combination of levels; each run is a row of measures."""
