"""Advice against trying everything: small clusters, every edit that there is, and what the smallest of them are."""
