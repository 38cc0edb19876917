"""Runs a command, and ends it when the process that requested it has ended, for whatever reason.

    python guard.py LIFELINE GRACE LOG COMMAND...

LIFELINE is the read end of a pipe whose write end only the supervisor holds: it closes when the supervisor exits, even
by `kill -9`. The command gets its own process group, so that its children end with it. The guard prints the group's
number on standard output; the standard output of the command is written to the file LOG. On SIGTERM, or when the
lifeline closes, the group gets SIGTERM and, after GRACE seconds, SIGKILL. The exit status is the command's.

It uses only the standard library and is never imported, so it starts in a few milliseconds with `python -I -S`.
"""

import contextlib
import os
import select
import signal
import subprocess
import sys
import time

ORPHAN_GRACE_SECONDS = 2.0


def main(lifeline: int, grace: float, log: str, command: list[str]) -> int:
    """Start the command, and wait for its end or a reason to end it. Return its exit status, 128 + N for signal N."""
    wakeup, wakeup_write = os.pipe()
    os.set_blocking(wakeup_write, False)
    signal.set_wakeup_fd(wakeup_write)
    stopping: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: stopping.append(number))
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with open(log, "w") as output:
            child = subprocess.Popen(command, stdout=output, process_group=0)  # noqa: S603 - the guard's own arguments
    except OSError as error:
        print(f"{error.filename or command[0]}: {error.strerror}", file=sys.stderr)
        return 127
    print(child.pid, flush=True)
    while child.poll() is None:
        readable, _, _ = select.select([lifeline, wakeup], [], [])
        if wakeup in readable:
            os.read(wakeup, 64)
        if lifeline in readable:
            end(child, min(grace, ORPHAN_GRACE_SECONDS))
        elif stopping:
            end(child, grace)
    signal_group(child, signal.SIGKILL)  # what the command left behind
    return child.returncode if child.returncode >= 0 else 128 - child.returncode


def end(child: "subprocess.Popen[bytes]", grace: float) -> None:
    """Ask the command to stop, then kill it."""
    signal_group(child, signal.SIGTERM)
    deadline = time.monotonic() + grace
    while child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    signal_group(child, signal.SIGKILL)
    child.wait()


def signal_group(child: "subprocess.Popen[bytes]", number: signal.Signals) -> None:
    """Send a signal to the command and all processes that it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, number)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), float(sys.argv[2]), sys.argv[3], sys.argv[4:]))
