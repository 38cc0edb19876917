"""Two processes set up a site at the same time, as replicas do: both succeed, and each lesson is stored once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, run_manage
from tests.web.postgres import postgres_url  # noqa: F401

COUNT = """
from kschedui.models import Scenario, Version
print(Scenario.objects.exclude(slug=None).count(), Version.objects.count())
"""


def run_twice_at_once(env: dict[str, str], *arguments: str) -> list[str]:
    """Run a command of manage.py in two processes at once; return the error output of those that fail."""
    command = [sys.executable, "manage.py", *arguments]
    both = [subprocess.Popen(command, cwd=ROOT, env=env, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    said = [process.communicate()[1] for process in both]
    return [error for process, error in zip(both, said, strict=True) if process.returncode]


def set_up_twice(env: dict[str, str]) -> None:
    assert run_twice_at_once(env, "migrate", "--noinput", "--verbosity", "0") == []
    assert run_twice_at_once(env, "load_library", "--no-run", "--verbosity", "0") == []
    lessons, versions = map(int, run_manage(env, "shell", "--no-imports", "-c", COUNT).split())
    assert lessons == versions > 50
    assert "No migrations to apply" in run_manage(env, "migrate")


def test_on_sqlite(tmp_path: Path) -> None:
    set_up_twice({**os.environ, "DATABASE_URL": f"sqlite:///{tmp_path}/kschedui.sqlite3"})


@pytest.mark.usefixtures("postgres_url")
def test_on_postgresql(postgres_url: str) -> None:  # noqa: F811
    set_up_twice({**os.environ, "DATABASE_URL": postgres_url})
