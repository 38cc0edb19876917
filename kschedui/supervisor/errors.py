"""What keeps kschedui from starting, or stops it."""


class StartError(Exception):
    """Its text is one sentence for the person who typed the command."""
