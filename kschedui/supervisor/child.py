"""A child process of the supervisor, behind its guard."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

GUARD = Path(__file__).with_name("guard.py")
ROOT = Path(__file__).resolve().parents[2]  # where `kschedui` can be imported from


class Lifeline:
    """A pipe whose write end is open in this process only; when it closes, the guards know that it has ended."""

    def __init__(self) -> None:
        self.read_end, self.write_end = os.pipe()  # neither is inherited unless passed on by name

    def close(self) -> None:
        """End every guard that is still waiting."""
        for end in (self.read_end, self.write_end):
            if end >= 0:
                os.close(end)
        self.read_end = self.write_end = -1


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
    """A running program. `group` is its process group."""

    def __init__(self, program: Program, lifeline: Lifeline) -> None:
        self.program = program
        guard = [sys.executable, "-I", "-S", str(GUARD), str(lifeline.read_end), str(program.grace), str(program.log)]
        self.guard = subprocess.Popen(  # noqa: S603 - a program of ours
            [*guard, *program.command],
            cwd=ROOT,
            env=dict(program.env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=[lifeline.read_end],
            # Ctrl-C in the terminal reaches the supervisor alone, which stops things in order. Not a new session:
            # Linux gives sessions the same processor time, whatever the niceness of processes in them (sched(7)).
            process_group=0,
            text=True,
        )
        assert self.guard.stdin is not None
        assert self.guard.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self.guard.stdin.write(program.stdin)
            self.guard.stdin.close()
        self.group = int(self.guard.stdout.readline() or 0)
        self.guard.stdout.close()

    def poll(self) -> int | None:
        """Return the program's exit status, None while it runs."""
        return self.guard.poll()

    def begin_stop(self) -> None:
        """Ask the program to stop, without waiting."""
        if self.poll() is None:
            self.guard.terminate()

    def stop(self) -> None:
        """Stop the program and wait; afterwards, no process of it is left, even if its guard was killed before."""
        self.begin_stop()
        try:
            self.guard.wait(self.program.grace + 2)
        except subprocess.TimeoutExpired:
            self.guard.kill()
            self.guard.wait()
        if self.group and self.guard.returncode < 0:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.group, signal.SIGKILL)
