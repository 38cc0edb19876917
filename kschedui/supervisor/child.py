"""The child processes of the supervisor, and the guard that ends them if the supervisor is killed."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

GUARD = [sys.executable, "-I", "-S", str(Path(__file__).with_name("guard.py"))]
ROOT = Path(__file__).resolve().parents[2]  # where `kschedui` can be imported from


class Guard:
    """A process that ends all children when this process has ended, for whatever reason. See guard.py."""

    def __init__(self) -> None:
        self.groups: set[int] = set()
        self.process = self._start()

    def _start(self) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(GUARD, stdin=subprocess.PIPE, process_group=0)  # noqa: S603 - a program of ours

    @property
    def pipe(self) -> int:
        """Return the file descriptor that the guard reads from."""
        assert self.process.stdin is not None
        return self.process.stdin.fileno()

    def look(self) -> None:
        """Start the guard again if it was killed."""
        if self.process.poll() is not None:
            self._close_pipe()
            self.process = self._start()
            self._tell(self.groups)

    def forget(self, group: int) -> None:
        """Tell the guard that a group has ended, since other processes may get its number."""
        self.groups.discard(group)
        self._tell([-group])

    def close(self) -> None:
        """End the guard, which ends the groups that it was not told to forget."""
        self._close_pipe()
        self.process.wait()

    def _tell(self, numbers: Iterable[int]) -> None:
        with contextlib.suppress(OSError):  # it was killed: `look` starts it again
            os.write(self.pipe, b"".join(b"%d\n" % number for number in numbers))

    def _close_pipe(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()


class Program(msgspec.Struct, frozen=True):
    """A program to run.

    `grace` is the number of seconds between SIGTERM and SIGKILL; `log` receives its standard output.
    """

    name: str
    command: Sequence[str]
    env: Mapping[str, str]
    log: Path
    grace: float
    stdin: str = ""


class Child:
    """A running program, which leads a process group. Raises OSError if it cannot be started."""

    def __init__(self, program: Program, guard: Guard) -> None:
        self.program = program
        self.guard = guard
        self.deadline: float | None = None  # for the end of the program, once it was asked to stop
        with open(program.log, "w") as output:
            self.process = subprocess.Popen(  # noqa: S603 - a program of ours
                [*GUARD, str(guard.pipe), *program.command],
                cwd=ROOT,
                env=dict(program.env),
                stdin=subprocess.PIPE,
                stdout=output,
                pass_fds=[guard.pipe],
                # Ctrl-C in the terminal reaches the supervisor alone, which stops things in order. Not a new session:
                # Linux gives sessions the same processor time, whatever the niceness of processes in them (sched(7)).
                process_group=0,
                text=True,
            )
        guard.groups.add(self.group)
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(program.stdin)
            self.process.stdin.close()

    @property
    def group(self) -> int:
        """Return the id of the process group, which is that of its first process."""
        return self.process.pid

    def poll(self) -> int | None:
        """Return the program's exit status, 128 + N for signal N; None while it runs.

        If it has ended, the remaining processes of its group are killed.
        """
        status = self.process.poll()
        if status is None:
            return None
        if self.group in self.guard.groups:
            self._signal(signal.SIGKILL)
            self.guard.forget(self.group)
        return status if status >= 0 else 128 - status

    def begin_stop(self) -> None:
        """Ask the program to stop, without waiting."""
        if self.deadline is None and self.poll() is None:
            self.deadline = time.monotonic() + self.program.grace
            self._signal(signal.SIGTERM)

    def stop(self) -> None:
        """Stop the program and wait; afterwards, no process of it is left."""
        self.begin_stop()
        if self.deadline is not None:
            try:
                self.process.wait(max(0.0, self.deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                self._signal(signal.SIGKILL)
                self.process.wait()
        self.poll()

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.group, number)
