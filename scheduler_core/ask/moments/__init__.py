"""The state of a run right before an attempt, and decisions in that state with edits applied."""
