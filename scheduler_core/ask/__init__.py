"""Hypothetical changes to a scenario: judged, compared and searched for, each evaluated by the simulation itself."""
