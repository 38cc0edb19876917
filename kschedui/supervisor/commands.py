"""The command lines of the four programs that make up a running kschedui."""

import os
import sys
from pathlib import Path

# Celery finishes what it does for `worker_soft_shutdown_timeout`, then gives its unfinished tasks back to the broker.
WORKER_ENV = {
    "KSCHEDUI_SQLITE_SECONDS": "20",  # no visitor waits for a worker
    "REMAP_SIGTERM": "SIGQUIT",
    "PYTHONWARNINGS": "ignore:You're running the worker with superuser",  # Celery's twelve lines to root
}
MAX_WORKER_PROCESSES = 4


def broker_command(binary: Path | None = None) -> list[str]:
    """Return the command of the Redis-compatible server, which reads its configuration from standard input
    (`broker_config`). `binary`: the server's program, by default that of the package for this machine.

    Raises StartError if there is no such binary for this machine.
    """
    if binary is None:
        from .broker import broker_binary  # with a client of Redis, which the supervisor does without

        binary = broker_binary()
    return [str(binary), "-"]


def broker_config(port: int, password: str) -> str:
    """Return the configuration: loopback only, with a password that no process list shows, and without persistence."""
    lines = [
        "bind 127.0.0.1",
        f"port {port}",
        f"requirepass {password}",
        'save ""',
        "appendonly no",
        "maxmemory-policy noeviction",
        "daemonize no",
        "loglevel warning",
        "hz 1",  # its housekeeping, which is the largest cost while the site is idle
    ]
    return "\n".join(lines) + "\n"


def workers_command(runs: int = 0, experiments: int = 0) -> list[str]:
    """Return the command of Celery workers with pools of up to this many processes; 0: no such worker.

    The worker for runs has one more process, for short runs (`kschedui/runs/long_run_slots.py`).
    """
    sizes = {"runs": runs and runs + 1, "experiments": experiments}
    return [sys.executable, "-m", "kschedui.workers", *(f"{queue}={size}" for queue, size in sizes.items() if size)]


def pool_size() -> int:
    """Return the number of processes in a worker pool: one for each processor, at most MAX_WORKER_PROCESSES."""
    return min(MAX_WORKER_PROCESSES, os.cpu_count() or 1)


def web_command(host: str, port: int) -> list[str]:
    """Return the command of the ASGI server. Per-message deflate is off, since chunks are already compressed."""
    address = ["--host", host, "--port", str(port)]
    http = ["--http", "kschedui.web.http.request_head:ShortHead"]
    websocket = ["--ws-per-message-deflate", "false", "--ws-max-size", "65536"]
    quiet = [
        "--lifespan",
        "off",
        "--no-server-header",
        "--no-access-log",
        "--log-level",
        "warning",
        "--timeout-graceful-shutdown",
        "3",
    ]
    return [sys.executable, "-m", "uvicorn", "kschedui.asgi:application", *address, *http, *websocket, *quiet]
