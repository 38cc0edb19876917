"""Questions about a whole cluster: an operator's work, carried out in a simulation that goes on from a run's end."""
