"""Parses text to plain data, and collects errors and warnings with their places in the text."""
