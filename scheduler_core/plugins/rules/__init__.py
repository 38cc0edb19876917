"""Plugins whose rules are CEL expressions of the scenario (SchedulerPlugin)."""
