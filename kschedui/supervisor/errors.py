"""Errors that prevent kschedui from starting, or stop it."""


class StartError(Exception):
    """An error with one sentence for the person who typed the command."""
