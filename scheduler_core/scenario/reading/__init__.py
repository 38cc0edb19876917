"""Text to plain data, with located problems."""
