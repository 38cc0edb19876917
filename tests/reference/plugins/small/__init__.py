"""Plugins with a single short rule."""
