"""SchedulerPlugin documents: their expressions, what these may read, and the values for them."""
