"""Plugins of one short rule each."""
