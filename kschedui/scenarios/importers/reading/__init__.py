"""Reads a text as objects without what scheduling does not read: the first step of every import.

`static/js/intake/` does the same in the browser, by the same table (`reading_table`); a test compares what they keep.
"""
