"""Plugins for pods that are scheduled together: GangScheduling, and the placements of a group."""
