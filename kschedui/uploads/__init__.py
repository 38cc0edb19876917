"""Large requests: kept, and answered by a worker exactly as a small one is answered at once."""
