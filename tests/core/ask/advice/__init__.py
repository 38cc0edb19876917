"""Tests of advice by exhaustive search: small clusters, all possible edits, and the smallest that work."""
