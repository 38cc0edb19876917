"""Virtual time, and the assembly of a scheduler."""
