"""Plugins that are one file each."""
