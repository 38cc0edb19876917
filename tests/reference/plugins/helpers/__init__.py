"""Functions that several plugins use."""
