"""A Redis server for a test, where its program is installed."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kschedui.supervisor.ports import answers_tcp, free_port, wait_until

SECONDS = 120  # to start or stop; reached only if something is broken


@pytest.fixture
def redis_url(tmp_path: Path) -> Iterator[str]:
    with redis_server(tmp_path) as url:
        yield url


@contextmanager
def redis_server(folder: Path) -> Iterator[str]:
    """Yield the URL of a new server that works in the folder. Skip the test if Redis is not installed."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("Redis is not installed")
    port = free_port()
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
    server = subprocess.Popen([program, *options], stdout=subprocess.DEVNULL)
    assert wait_until(lambda: answers_tcp(port), SECONDS)
    try:
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        server.terminate()
        server.wait(SECONDS)
