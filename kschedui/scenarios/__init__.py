"""Scenarios: storage, sharing, import; and the library of lessons."""
