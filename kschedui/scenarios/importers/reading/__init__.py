"""Parses a text to objects without the fields that scheduling does not read: the first step of every import.

`static/js/intake/` does the same in the browser, with the same table (`reading_table`); a test compares the results.
"""
