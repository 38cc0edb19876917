"""Ends the processes of a supervisor that has ended, for whatever reason.

    python guard.py                     read process groups from standard input, and end them when it is closed
    python guard.py PIPE COMMAND...     tell the guard, through its standard input, of this process; become the command

Only the supervisor keeps the guard's standard input open, so it is closed when the supervisor exits, even by `kill -9`.
A line of it is the number of a process group, with a minus once that has ended. A program tells the number of its own
group and then closes its PIPE, so that no program can be missed, however early the supervisor exits.

It uses only the standard library and is never imported, so it starts in a few milliseconds with `python -I -S`.
"""

import contextlib
import os
import signal
import sys
import time

GRACE_SECONDS = 2.0  # between SIGTERM and SIGKILL


def watch() -> None:
    """Wait until the supervisor has ended, then end the groups that are left."""
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    groups: set[int] = set()
    for line in sys.stdin:
        group = int(line)
        if group > 0:
            groups.add(group)
        else:
            groups.discard(-group)
    deadline = time.monotonic() + GRACE_SECONDS
    number: int = signal.SIGTERM
    while groups := {group for group in groups if signal_group(group, number)}:
        number = signal.SIGKILL if time.monotonic() > deadline else 0
        time.sleep(0.02)


def signal_group(group: int, number: int) -> bool:
    """Send a signal to a process group; 0 sends nothing. Return whether the group may still run: not after SIGKILL."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    except PermissionError:  # macOS: of a group that only has processes which have ended
        return False
    return number != signal.SIGKILL


def become(pipe: int, command: list[str]) -> None:
    """Tell the guard of this process, which leads a group, and run the command in it."""
    with contextlib.suppress(OSError):  # the guard was killed: the supervisor tells the next one
        os.write(pipe, b"%d\n" % os.getpid())
    os.close(pipe)
    try:
        os.execvp(command[0], command)  # noqa: S606 - the supervisor's own arguments
    except OSError as error:
        sys.exit(f"{command[0]}: {error.strerror}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        become(int(sys.argv[1]), sys.argv[2:])
    else:
        watch()
