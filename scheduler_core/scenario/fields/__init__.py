"""The tables: which fields exist in which document, and of which type."""
