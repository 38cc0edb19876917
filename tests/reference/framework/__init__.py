"""The base class of the plugins and its inputs: a pod's requests, storage objects, and events for queueing hints."""
