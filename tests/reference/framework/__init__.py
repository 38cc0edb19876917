"""What a plain plugin is, what it may look at, and the events that it is asked about."""
