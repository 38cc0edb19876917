"""The moment of an attempt, and decisions at that moment with edits."""
