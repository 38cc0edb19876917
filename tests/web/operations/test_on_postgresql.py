"""Classes, notes, courses and experiments on PostgreSQL: their own tests again, in a process whose database that is."""

import os
import subprocess
import sys

from tests.conftest import ROOT

FILES = [
    *(f"classes/test_{name}.py" for name in ("classes", "class_websocket", "notes", "courses")),
    "runs/test_experiments.py",
]


def test_classes_notes_courses_and_experiments_behave_alike_on_postgresql(postgres_url: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-k", "not no_address"]
    env = {**os.environ, "DATABASE_URL": postgres_url}
    done = subprocess.run(
        [*command, *(f"tests/web/{name}" for name in FILES)], cwd=ROOT, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-4000:]
    assert "passed" in done.stdout
