"""The engine's version. It changes whenever the trace of a scenario may change."""

ENGINE_VERSION = "0.13.0"
