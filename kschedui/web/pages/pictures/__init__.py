"""Pictures of runs: on cards, and as files for link previews."""
