"""The interface of a plain plugin, its inputs, and the events for its queueing hints."""
