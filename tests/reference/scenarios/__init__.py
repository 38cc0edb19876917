"""Random scenarios for the fuzz test."""
