"""Questions about a moment of a run: what if, the smallest change, how many fit."""
