"""Runs all of kschedui on one machine: broker, workers and web server, which all end with the supervisor."""
