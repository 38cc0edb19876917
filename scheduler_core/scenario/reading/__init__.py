"""Parses text to plain data, with located problems."""
