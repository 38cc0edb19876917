"""A run: stored, worked on, ended."""
