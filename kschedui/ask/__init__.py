"""The questions of scheduler_core.ask, with answers in words."""
