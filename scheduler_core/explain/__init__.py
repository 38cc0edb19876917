"""Explanations of an attempt, with the numbers filled in."""
