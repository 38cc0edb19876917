"""A text to its objects, without what scheduling does not read: what every door does first, the browser too.

`static/js/intake/` is the same in the browser, by the same table (`reading_table`); a test holds the two to the same
output.
"""
