"""Virtual time: what happens when, and the parts put together."""
