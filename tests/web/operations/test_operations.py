"""The operator's tasks in docs/operations.md work: backup and restore on both databases, and prune."""

import json
import os
import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from kschedui.models import Run, Version
from kschedui.runs import store as runs
from kschedui.runs import worker
from tests.conftest import ROOT, run_manage

BLOCK = re.compile(r"```sh ([\w-]+)\n(.*?)```", re.DOTALL)
FILL = """
from kschedui.runs import store as runs, worker
from kschedui.scenarios import store as scenarios
from kschedui.scenarios.access import Visitor
from tests.web.conftest import MANY
run = runs.start_run(scenarios.create(Visitor(editor="somebody"), MANY))
worker.execute(run.public_id)
"""
SEE = """
import hashlib, json
from django.test import Client
from kschedui.models import Chunk, Run
run = Run.objects.get()
page = Client(headers={"Host": "localhost"}).get(f"/s/{run.version.scenario.public_id}/v/1/")
frames = [hashlib.sha256(bytes(chunk.frame)).hexdigest() for chunk in Chunk.objects.order_by("seq")]
known = {"run": run.public_id, "state": run.state, "steps": run.steps, "status": page.status_code}
print(json.dumps({**known, "text": run.version.sha256, "frames": frames}))
"""


def shell(env: dict[str, str], code: str) -> str:
    return run_manage({**env, "PYTHONPATH": str(ROOT)}, "shell", "--no-imports", "-c", code)


def run_block(name: str, env: dict[str, str]) -> None:
    """Run a code block of the guide."""
    command = dict(BLOCK.findall((ROOT / "docs" / "operations.md").read_text()))[name]
    done = subprocess.run(["sh", "-euc", command], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_sqlite_site_is_backed_up_wiped_and_restored_with_its_links(tmp_path: Path) -> None:
    file = tmp_path / "kschedui.sqlite3"
    more = {"DATABASE_URL": f"sqlite:///{file}", "DATABASE_FILE": str(file), "BACKUP": str(tmp_path / "backup")}
    env = {**os.environ, **more, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    there_and_back(env, "sqlite", lambda: file.write_bytes(b""))


@pytest.mark.slow
def test_a_postgresql_site_is_backed_up_wiped_and_restored_with_its_links(tmp_path: Path, postgres_url: str) -> None:
    env = {**os.environ, "DATABASE_URL": postgres_url, "BACKUP": str(tmp_path / "backup")}
    wipe = (
        "from django.db import connection as c; c.cursor().execute('DROP SCHEMA public CASCADE; CREATE SCHEMA public')"
    )
    there_and_back(env, "postgresql", lambda: shell(env, wipe))


def there_and_back(env: dict[str, str], database: str, wipe: Any) -> None:
    run_manage(env, "migrate", "--verbosity", "0")
    shell(env, FILL)
    before = json.loads(shell(env, SEE).splitlines()[-1])
    assert (before["state"], before["status"]) == ("done", 200)
    assert len(before["frames"]) > 2
    run_block(f"backup-{database}", env)
    wipe()
    run_block(f"restore-{database}", env)
    assert json.loads(shell(env, SEE).splitlines()[-1]) == before
    assert "No migrations to apply" in run_manage(env, "migrate")


def test_what_is_pruned_is_simulated_again_to_the_same_steps(many: Run, capsys: Any) -> None:
    Run.objects.update(finished=timezone.now() - timedelta(days=100))
    frames, versions = list(runs.all_frames(many)), list(Version.objects.values_list("pk", "sha256"))
    call_command("prune", "--dry-run")
    assert "traces of 1 runs would be forgotten" in capsys.readouterr().out
    assert list(runs.all_frames(many)) == frames
    call_command("prune")
    many.refresh_from_db()
    assert (many.chunks, many.bytes, runs.frame(many.public_id, 0)) == (0, 0, None)
    assert list(Version.objects.values_list("pk", "sha256")) == versions
    assert runs.start_run(many.version, retry=True).public_id == many.public_id, "links name the same run"
    worker.execute(many.public_id)
    many.refresh_from_db()
    assert list(runs.all_frames(many)) == frames


@pytest.mark.parametrize("kept", ["fresh", "older engine", "lesson"])
def test_prune_leaves_what_is_fresh_cannot_be_made_again_or_is_the_librarys(many: Run, kept: str) -> None:
    if kept != "fresh":
        Run.objects.update(finished=timezone.now() - timedelta(days=100))
    if kept == "older engine":
        Run.objects.update(engine_version="0.0.1")
    if kept == "lesson":
        many.version.scenario.slug = "a-lesson"
        many.version.scenario.save()
    call_command("prune")
    assert runs.frame(many.public_id, 0) is not None
