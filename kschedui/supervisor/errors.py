"""Errors that prevent kschedui from starting, or stop it."""


class StartError(Exception):
    """An error whose text is one sentence for the user."""
