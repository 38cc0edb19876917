"""Explanations of an attempt, with the actual numbers."""
