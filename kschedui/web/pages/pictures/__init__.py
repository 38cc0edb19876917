"""Pictures of runs: on cards, and alone for links that are shown elsewhere."""
