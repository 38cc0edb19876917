"""`manage.py up` with REDIS_URL and DATABASE_URL works the same with real Redis and PostgreSQL servers.

Skipped where their programs are not installed (Debian: apt install redis-server postgresql); .ci/run installs them.
"""

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.processes import descendants, still_running

SECONDS = 120  # reached only if something is broken


@pytest.mark.slow
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
