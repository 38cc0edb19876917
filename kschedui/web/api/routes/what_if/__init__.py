"""Questions about a moment of a run: what-if, smallest change, capacity."""
