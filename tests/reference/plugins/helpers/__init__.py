"""What several plugins use."""
