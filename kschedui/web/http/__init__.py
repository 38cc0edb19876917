"""HTTP rules and middleware for every request."""
