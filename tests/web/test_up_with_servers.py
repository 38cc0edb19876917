"""`manage.py up` with REDIS_URL and DATABASE_URL: the same path, other addresses; on real Redis and PostgreSQL servers.

Skipped where their programs are not installed (Debian: apt install redis-server postgresql); .ci/run installs them.
"""

import getpass
import glob
import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from kschedui.supervisor.ports import answers_tcp, free_port, wait_until
from tests.processes import descendants, still_running

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 120  # nobody waits so long unless something is broken


def server_user() -> str:
    """PostgreSQL refuses to run as root; Debian's package brings the user postgres."""
    if os.geteuid() != 0:
        return getpass.getuser()
    try:
        return pwd.getpwnam("postgres").pw_name
    except KeyError:
        pytest.skip("PostgreSQL does not run as root, and there is no user postgres")


@pytest.fixture
def postgres_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    initdb = shutil.which("initdb") or next(iter(sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))), None)
    if initdb is None:
        pytest.skip("PostgreSQL is not installed")
    user = server_user()
    folder = tmp_path_factory.mktemp("postgres")
    for path in (folder, *list(folder.parents)[:2]):
        path.chmod(0o755)
    shutil.chown(folder, user)
    data = folder / "data"
    command = [initdb, "--pgdata", str(data), "--username", "kschedui", "--auth", "trust", "--no-sync"]
    subprocess.run(command, cwd=folder, user=user, check=True, capture_output=True)
    port = free_port()
    options = ["-D", str(data), "-p", str(port), "-h", "127.0.0.1", "-k", "", "-F"]
    server = subprocess.Popen(
        [Path(initdb).with_name("postgres"), *options], cwd=folder, user=user, stderr=subprocess.DEVNULL
    )
    assert wait_until(lambda: answers_tcp(port), SECONDS)
    yield f"postgres://kschedui@127.0.0.1:{port}/postgres"
    server.send_signal(signal.SIGINT)
    server.wait(SECONDS)


@pytest.fixture
def redis_url(tmp_path: Path) -> Iterator[str]:
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("Redis is not installed")
    port = free_port()
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp_path)]
    server = subprocess.Popen([program, *options], stdout=subprocess.DEVNULL)
    assert wait_until(lambda: answers_tcp(port), SECONDS)
    yield f"redis://127.0.0.1:{port}/0"
    server.terminate()
    server.wait(SECONDS)


def test_up_on_postgresql_and_redis(postgres_url: str, redis_url: str, tmp_path: Path) -> None:
    env = {**os.environ, "KSCHEDUI_DATA_DIR": str(tmp_path), "DATABASE_URL": postgres_url, "REDIS_URL": redis_url}
    command = [sys.executable, "manage.py", "up", "--port", "0"]
    up = subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        line = up.stdout.readline()
        assert line.startswith("kschedui is ready: "), line or up.stderr.read()
        with urllib.request.urlopen(line.split()[3] + "/healthz", timeout=SECONDS) as answer:
            assert json.load(answer) == {"database": True, "broker": True}
        family = descendants(up.pid)
        assert not any("valkey-server" in process.command for process in family)
        assert not list(tmp_path.glob("*.sqlite3"))
    finally:
        up.send_signal(signal.SIGINT)
        _, errors = up.communicate(timeout=SECONDS)
    assert up.returncode == 0, errors
    assert not still_running(family)
