"""A PostgreSQL server for a test, where its programs are installed."""

import getpass
import glob
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from kschedui.supervisor.ports import free_port, wait_until

SECONDS = 120  # to start or stop; reached only if something is broken


def server_user() -> str:
    """Return the user that runs PostgreSQL: this one, or postgres if this is root, because it refuses to run as root.

    Skip the test if there is no user postgres.
    """
    if os.geteuid() != 0:
        return getpass.getuser()
    try:
        return pwd.getpwnam("postgres").pw_name
    except KeyError:
        pytest.skip("PostgreSQL does not run as root, and there is no user postgres")


def takes_connections(url: str) -> bool:
    """Return whether the server accepts connections. While it starts up, it listens but refuses them."""
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True


@pytest.fixture
def postgres_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with postgres_server(tmp_path_factory.mktemp("postgres")) as url:
        yield url


@contextmanager
def postgres_server(parent: Path) -> Iterator[str]:
    """Yield the URL of a new server whose files are below `parent`. Skip the test if PostgreSQL is not installed."""
    initdb = shutil.which("initdb") or next(iter(sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))), None)
    if initdb is None:
        pytest.skip("PostgreSQL is not installed")
    user = server_user()
    folder = Path(tempfile.mkdtemp(dir=parent))
    for path in (folder, *folder.parents):
        if path == Path(tempfile.gettempdir()):
            break
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
    url = f"postgres://kschedui@127.0.0.1:{port}/postgres"
    assert wait_until(lambda: takes_connections(url), SECONDS)
    try:
        yield url
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(SECONDS)
