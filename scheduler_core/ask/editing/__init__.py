"""Edits of a scenario: as data, applied to objects of a cluster, and applied to its text."""
