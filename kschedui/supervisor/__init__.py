"""Runs the whole of kschedui on one machine: broker, worker and web server, none of which outlives it."""
