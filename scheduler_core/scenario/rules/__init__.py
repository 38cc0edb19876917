"""SchedulerPlugin documents: their expressions, the variables of these, and their values."""
