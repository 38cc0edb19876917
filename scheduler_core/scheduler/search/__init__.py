"""Which node: those that fit, extenders, the best of them, and why none (schedule_one.go: schedulePod)."""
