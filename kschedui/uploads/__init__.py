"""Large requests: stored, and answered by a worker exactly as a small one is answered immediately."""
