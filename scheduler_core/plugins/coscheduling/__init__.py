"""Coscheduling (kubernetes-sigs/scheduler-plugins)."""
