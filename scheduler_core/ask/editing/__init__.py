"""Edits of a scenario: as data, as objects of a cluster, and as lines of its text."""
