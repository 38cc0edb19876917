"""Questions about a run or a scenario: what if, smallest change, capacity, operations, challenge, comparison, replay.

The simulation itself evaluates them.
"""
