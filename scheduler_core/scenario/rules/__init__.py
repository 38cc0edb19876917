"""SchedulerPlugin documents: their expressions, and the variables of the expressions with their values."""
