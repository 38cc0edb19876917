"""The running system: broker, workers and web server, started in order and stopped in reverse."""

import os
import secrets
import sys
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from .child import Child, Guard, Program
from .commands import WORKER_ENV, broker_command, broker_config, web_command, workers_command
from .errors import StartError
from .ports import answers_http, answers_tcp, free_port, wait_until
from .temporary_folder import TemporaryFolder

START_SECONDS = 60.0  # generous: a first start compiles every module on a slow disk
BROKER_START_SECONDS = 15.0
BROKER_TRIES = 3
MANAGE_ENV = {"DJANGO_SETTINGS_MODULE": "kschedui.settings"}


class Stack:
    """The processes of kschedui on one machine.

    `env` is the environment of every child; `start_broker` adds REDIS_URL to it. Use as a context manager.

    `logs` is a folder for the standard output of the children; their standard error is that of this process.
    """

    def __init__(self, env: Mapping[str, str], logs: Path) -> None:
        self.logs = logs
        self.guard = Guard()
        self.temporary = TemporaryFolder()
        self.env = {**os.environ, **env, "PYTHONUNBUFFERED": "1", "TMPDIR": str(self.temporary.path)}
        self.children: dict[str, Child] = {}
        self.url = ""
        self.worker_alive: Path | None = None

    def __enter__(self) -> "Stack":
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.stop()

    def start_broker(self, binary: Path | None = None) -> str:
        """Start the embedded broker on a free port and return its URL. If it does not start, another port is tried.

        `binary` is its program, by default that of the package for this machine. Raises StartError.
        """
        password, command = secrets.token_urlsafe(24), broker_command(binary)
        for _ in range(BROKER_TRIES):
            port = free_port()
            broker = self._start("broker", command, {}, grace=3, stdin=broker_config(port, password))
            if wait_until(partial(up_or_ended, broker, port), BROKER_START_SECONDS) and broker.poll() is None:
                self.env["REDIS_URL"] = f"redis://:{password}@127.0.0.1:{port}/0"
                return self.env["REDIS_URL"]
            self.children.pop("broker").stop()
        raise StartError("The embedded broker did not start; set REDIS_URL to use a Redis server of your own.")

    def start_workers(self, runs: int = 0, experiments: int = 0) -> Child:
        """Start Celery workers with pools of up to this many processes; 0: no such worker.

        `wait` also waits until the worker for runs takes tasks.
        """
        env = dict(WORKER_ENV)
        if runs:
            self.worker_alive = self.logs / "worker.alive"
            self.worker_alive.unlink(missing_ok=True)
            env["KSCHEDUI_WORKER_ALIVE_FILE"] = str(self.worker_alive)
        name = "worker" if runs else "experiments"
        return self._start(name, workers_command(runs, experiments), env, grace=8)

    def start_web(self, host: str, port: int) -> Child:
        """Start the ASGI server; `wait` waits until it responds."""
        self.url = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        return self._start("web", web_command(host, port), {}, grace=5)

    def run(self, command: str, *options: str) -> None:
        """Run a command of manage.py in a process of its own. Raises StartError if it does not succeed."""
        process = self._start(command, [sys.executable, "-m", "django", command, *options], MANAGE_ENV, grace=5)
        while process.poll() is None:
            time.sleep(0.05)
        del self.children[command]
        if process.poll():
            raise StartError(f"`manage.py {command}` did not succeed: see above.")

    def wait(self, seconds: float = START_SECONDS) -> str:
        """Return the address when web server and workers are ready.

        Raises StartError if one is not ready within `seconds`, or if a child ended.
        """
        if not wait_until(lambda: self.ended() is not None or self._is_up(), seconds):
            raise StartError(f"The web server or the worker was not ready within {seconds:.0f} seconds.")
        self.require_running()
        return self.url

    def _is_up(self) -> bool:
        if self.worker_alive and not self.worker_alive.exists():
            return False
        local = self.url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")
        return not self.url or answers_http(f"{local}/healthz")

    def ended(self) -> Child | None:
        """Return a child that is no longer running, None if all run."""
        return next((child for child in self.children.values() if child.poll() is not None), None)

    def require_running(self) -> None:
        """Check that no child has ended. Raises StartError."""
        child = self.ended()
        if child is not None:
            name, status = child.program.name, child.poll()
            raise StartError(
                f"The {name} ended unexpectedly (exit status {status}): see above and {self.logs}/{name}.log."
            )

    def stop(self) -> None:
        """Stop all children; the broker last, since the worker returns its unfinished tasks to it."""
        for name, child in self.children.items():
            if name != "broker":
                child.begin_stop()
        for child in reversed(self.children.values()):
            child.stop()
        self.children.clear()
        self.guard.close()
        self.temporary.close()

    def _start(self, name: str, command: list[str], env: Mapping[str, str], *, grace: float, stdin: str = "") -> Child:
        program = Program(name, command, {**self.env, **env}, self.logs / f"{name}.log", grace, stdin)
        child = Child(program, self.guard)
        self.children[name] = child
        return child


def up_or_ended(broker: Child, port: int) -> bool:
    """Return whether the wait is over: the child is listening, or has ended."""
    return broker.poll() is not None or answers_tcp(port)
