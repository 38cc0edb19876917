"""The API server as the scheduler meets it: what is written, what may fail, what informers tell (eventhandlers.go)."""
