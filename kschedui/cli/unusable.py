"""The error that ends a command with exit status 2."""


class Unusable(Exception):
    """The command line or the input cannot be used; the text is for people."""
