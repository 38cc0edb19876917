"""A scenario: stored, shared, read in; and the library of lessons."""
