"""Hypothetical changes to a scenario: evaluated, compared and searched for, always by the simulation itself."""
