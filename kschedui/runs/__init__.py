"""Runs: storage, processing, and their end."""
