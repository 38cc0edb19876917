"""The engine's version: it changes whenever the same scenario may give another trace."""

ENGINE_VERSION = "0.6.0"
