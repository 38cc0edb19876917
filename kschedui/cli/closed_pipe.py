"""The end of a command whose output nobody reads any more, as in `kschedui simulate FILE | head`."""

import os
import sys


def discard_output() -> None:
    """Send what is still to be written to nowhere: Python writes it at the exit, and would complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
