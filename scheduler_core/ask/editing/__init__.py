"""Edits of a scenario, and their application to the objects of a cluster and to the scenario's text."""
