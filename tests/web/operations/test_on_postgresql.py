"""PostgreSQL may behave differently: some tests run again in a process that uses it."""

import os
import subprocess
import sys

import pytest

from tests.conftest import ROOT

FILES = [
    *(f"classes/test_{name}.py" for name in ("classes", "class_websocket", "notes", "courses")),
    "runs/test_experiments.py",
    "api/test_odd_characters.py",
]


@pytest.mark.slow
def test_they_pass_on_postgresql_too(postgres_url: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-k", "not no_address"]
    env = {**os.environ, "DATABASE_URL": postgres_url}
    done = subprocess.run(
        [*command, *(f"tests/web/{name}" for name in FILES)], cwd=ROOT, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-4000:]
    assert "passed" in done.stdout
