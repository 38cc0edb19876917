"""Questions about a run or a scenario (`scheduler_core.ask`): answers in words, and a cache for the next question."""
