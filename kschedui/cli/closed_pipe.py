"""Handles output to a pipe that the reader has closed, as in `kschedui simulate FILE | head`."""

import os
import sys


def discard_output() -> None:
    """Discard buffered output; otherwise Python would write it at exit and report an error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
