"""The moment of an attempt, and what would be decided there with edits."""
