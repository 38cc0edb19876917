"""Runs: their storage, their simulation by workers, and their end."""
