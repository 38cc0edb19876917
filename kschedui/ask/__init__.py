"""Answers of scheduler_core.ask in words."""
