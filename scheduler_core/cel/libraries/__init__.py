"""The functions that expressions can call, one file per library."""
