"""The rules that hold for every request."""
