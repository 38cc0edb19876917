"""The API server: writes of the scheduler, injected faults, and watch events (eventhandlers.go)."""
